/// What goes wrong with a call of a gateway. At most one of these happens to one call.
package enum GatewayFault: String, Sendable, Hashable, CaseIterable {
    /// The answer comes late.
    case slow
    /// The books have taken it, and the connection ends without an answer.
    case lost
    /// The connection ends before the books have seen it.
    case dropped
    /// The answer is written twice; what was asked for is done once.
    case duplicate
    /// The answer is cut off in the middle of its document, and its length says so: JSON or XML that cannot be read.
    case malformed
    /// The text of the answer is no base64. BridgeComm only.
    case base64
    /// The document claims to be UTF-16, and is UTF-8. BridgeComm only, whose documents really do that.
    case utf16 = "utf-16"
    /// 500 or 503, before or after the books have taken it.
    case fail
    /// 503 before the books have seen it.
    case failBefore = "fail-before"
    /// 500 after the books have taken it.
    case failAfter = "fail-after"

    /// False for what only XML within base64 can suffer.
    func exists(at gateway: StandInGateway) -> Bool {
        switch self {
        case .base64, .utf16: gateway == .bridgepay
        default: true
        }
    }

    /// Whether the books take the call.
    package var isProcessed: Bool { self != .dropped && self != .failBefore }
}

/// A fault as it was drawn for one call.
package struct PlannedFault: Sendable, Hashable {
    /// Never `fail`, which is decided to be one of its two kinds.
    package let fault: GatewayFault
    /// Whether a connection that ends is reset rather than closed.
    package let isReset: Bool
    /// Where an answer is cut off, in parts of a hundred of its bytes: 1...99.
    package let cutPercent: Int
}
