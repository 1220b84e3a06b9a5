package import Payments

/// Somebody who can be asked to move money, or what became of it.
///
/// Asking never throws: whatever happens is one of three outcomes, and only one of them leaves open whether the gateway
/// acted.
package protocol PaymentGateway: Sendable {
    /// The name it has in the configuration.
    var name: String { get }
    var vendor: Vendor { get }
    /// The one account of a merchant's that it serves (BridgeComm: the MerchantAccountCode; Dejavoo: the TPN); nil where it is
    /// not bound to one.
    var merchantAccount: String? { get }
    /// Whether it can be asked for `operation` at all.
    func support(for operation: GatewayOperation) -> GatewaySupport
    /// Whether what it makes is paid with the card that is presented next, and not with the one that is named.
    var takesPresentedCards: Bool { get }
    /// How many characters a call's reference may have.
    var longestReference: Int { get }
    /// How long a call can take at the very most: its turn, the connection, the request and the answer.
    var longestCallMilliseconds: Int64 { get }
    /// Asks once. Nothing is ever sent a second time.
    ///
    /// - Parameter deadline: Then the call is over. However long its turn takes to come, and however long this process stands
    ///   still, nothing is sent later than leaves the gateway the time to answer; what comes too late is `notSent`.
    func call(_ call: GatewayCall, by deadline: ContinuousClock.Instant) async -> GatewayOutcome
}

extension PaymentGateway {
    package var takesPresentedCards: Bool { false }
    package var merchantAccount: String? { nil }

    package var longestReference: Int { 50 }

    /// Asks once, with all the time that a call can take.
    package func call(_ call: GatewayCall) async -> GatewayOutcome {
        await self.call(call, by: .now.advanced(by: .milliseconds(longestCallMilliseconds)))
    }
}

/// Whether a gateway can be asked for something.
package enum GatewaySupport: Sendable, Hashable {
    case supported
    /// With the reason, for people.
    case unsupported(String)
}

/// What became of a call.
package enum GatewayOutcome: Sendable, Hashable {
    /// Nothing that could be acted upon left this process: it is known that nothing was done.
    case notSent(GatewayFailure)
    /// Something was sent, and no answer came that could be read: it is not known what was done.
    case unanswered(GatewayFailure)
    case answered(GatewayAnswer)
}

/// Why there is no answer. Carries nothing that was sent or received.
package struct GatewayFailure: Error, Sendable, Hashable {
    /// Stable codes.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        // Nothing was sent.
        case unsupported
        /// The call lacks something this gateway needs.
        case incomplete
        /// The gateway failed too often of late.
        case circuitOpen = "circuit-open"
        /// Too many calls are waiting already.
        case queueFull = "queue-full"
        /// Its turn did not come in time, or came too late for an answer.
        case waitedTooLong = "waited-too-long"
        case nameNotResolved = "name-not-resolved"
        /// The gateway's name leads to an address that is not allowed.
        case addressRefused = "address-refused"
        case notConnected = "not-connected"
        case connectTimeout = "connect-timeout"
        /// No trusted connection came about: the certificate, or the protocol.
        case tlsFailed = "tls-failed"
        // Sent, or perhaps sent.
        case readTimeout = "read-timeout"
        case connectionLost = "connection-lost"
        case serverError = "server-error"
        /// The gateway sends elsewhere; that is not followed.
        case redirected
        /// An HTTP status that is no answer.
        case unexpectedStatus = "unexpected-status"
        case oversized
        /// The answer cannot be read.
        case malformed
        /// The answer is about another call.
        case otherAnswer = "other-answer"
        // Either.
        case cancelled
    }

    package var code: Code
    /// What happened, in words.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
