/// Faults of a gateway call. At most one of these happens to a call.
package enum GatewayFault: String, Sendable, Hashable, CaseIterable {
    /// The answer is delayed.
    case slow
    /// The call is in the books, and the connection ends without an answer.
    case lost
    /// The connection ends before the call is in the books.
    case dropped
    /// The answer is written twice; the call is executed once.
    case duplicate
    /// The answer's document is truncated, with a matching content length: JSON or XML that cannot be read.
    case malformed
    /// The text of the answer is not base64. BridgeComm only.
    case base64
    /// The document declares UTF-16 but is UTF-8. BridgeComm only, whose real documents do that.
    case utf16 = "utf-16"
    /// 500 or 503, before or after the call is in the books.
    case fail
    /// 503 before the call is in the books.
    case failBefore = "fail-before"
    /// 500 after the call is in the books.
    case failAfter = "fail-after"

    /// True if the fault is possible at this gateway. Only BridgePay's has XML within base64.
    func exists(at gateway: StandInGateway) -> Bool {
        switch self {
        case .base64, .utf16: gateway == .bridgepay
        default: true
        }
    }

    /// Whether the call reaches the books.
    package var isProcessed: Bool { self != .dropped && self != .failBefore }
}

/// The fault drawn for one call.
package struct PlannedFault: Sendable, Hashable {
    /// Never `fail`, which is resolved to one of its two kinds.
    package let fault: GatewayFault
    /// Whether an ending connection is reset instead of closed.
    package let isReset: Bool
    /// The point of truncation, in percent of the answer's bytes: 1...99.
    package let cutPercent: Int
}
