package import Payments

/// A gateway that can move money and report outcomes.
///
/// A call never throws. It has one of three outcomes, and only `unanswered` leaves open whether the gateway acted.
package protocol PaymentGateway: Sendable {
    /// Its name in the configuration.
    var name: String { get }
    var vendor: Vendor { get }
    func support(for operation: GatewayOperation) -> GatewaySupport
    /// Whether a query finds a call of this operation by the reference that Daybook gave it.
    func findsByReference(_ operation: GatewayOperation) -> Bool
    /// Whether its payments are made with the card presented next instead of the card that the call names.
    var takesPresentedCards: Bool { get }
    /// The maximum number of characters in a call's reference.
    var longestReference: Int { get }
    /// The maximum duration of a call: wait, connection, request and answer.
    var longestCallMilliseconds: Int64 { get }
    /// Calls the gateway once. Nothing is ever sent a second time.
    ///
    /// - Parameter deadline: The end of the call. However long the call waits or this process is suspended, nothing is
    ///   sent too late for the gateway to answer in time; a call that is too late is `notSent`.
    func call(_ call: GatewayCall, by deadline: ContinuousClock.Instant) async -> GatewayOutcome
}

extension PaymentGateway {
    package var takesPresentedCards: Bool { false }
    package func findsByReference(_ operation: GatewayOperation) -> Bool { false }

    package var longestReference: Int { 50 }

    /// Calls the gateway once, with the maximum duration of a call.
    package func call(_ call: GatewayCall) async -> GatewayOutcome {
        await self.call(call, by: .now.advanced(by: .milliseconds(longestCallMilliseconds)))
    }
}

package enum GatewaySupport: Sendable, Hashable {
    case supported
    /// With the reason, for operators.
    case unsupported(String)
}

package enum GatewayOutcome: Sendable, Hashable {
    /// No request left this process: nothing was done for certain.
    case notSent(GatewayFailure)
    /// Something was sent and no readable answer arrived: it is unknown whether the gateway acted.
    case unanswered(GatewayFailure)
    case answered(GatewayAnswer)
}

/// The reason why there is no answer. It contains nothing that was sent or received.
package struct GatewayFailure: Error, Sendable, Hashable {
    /// Stable codes.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        // Nothing was sent.
        case unsupported
        /// The call lacks a value that this gateway needs.
        case incomplete
        /// The gateway failed too often recently.
        case circuitOpen = "circuit-open"
        /// Too many calls are waiting.
        case queueFull = "queue-full"
        /// The call was not admitted in time, or too late for an answer.
        case waitedTooLong = "waited-too-long"
        /// After it was recorded, the clock or the settings of the database turned out not to suffice.
        case held
        case nameNotResolved = "name-not-resolved"
        /// The gateway's host name resolves to an address that is not allowed.
        case addressRefused = "address-refused"
        case notConnected = "not-connected"
        case connectTimeout = "connect-timeout"
        /// No trusted connection: the certificate or the protocol failed.
        case tlsFailed = "tls-failed"
        // Sent, or possibly sent.
        case readTimeout = "read-timeout"
        case connectionLost = "connection-lost"
        case serverError = "server-error"
        /// The gateway redirects; redirects are not followed.
        case redirected
        /// An HTTP status without an answer.
        case unexpectedStatus = "unexpected-status"
        case oversized
        /// The answer cannot be read.
        case malformed
        /// The answer belongs to another call.
        case otherAnswer = "other-answer"
        // Sent or not sent.
        case cancelled
    }

    package var code: Code
    /// A description of the failure.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
