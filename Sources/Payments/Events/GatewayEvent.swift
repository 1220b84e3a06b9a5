package import Canonical

/// A call of Daybook to a gateway about a payment, and its result.
///
/// `GatewayCallSent` is recorded before the call is made and one of the others after it, so that a call cut short by a
/// crash still counts as open. The gateway's report about the money is not in these events but in the vendor's
/// document, which is ingested like any other.
package typealias GatewayEvent = ReportEvent<GatewayEventName>

/// The names of the event types, as stored.
package enum GatewayEventName: String, ReportName, Codable {
    package typealias Report = GatewayReport

    /// The call is about to be made. From now on it may have taken effect.
    case callSent = "GatewayCallSent"
    /// The gateway sent a readable answer.
    case callAnswered = "GatewayCallAnswered"
    /// The call was sent, and no readable answer came: its effect is unknown.
    case callTimedOut = "GatewayCallTimedOut"
    /// The call never reached the gateway: it had no effect.
    case callFailed = "GatewayCallFailed"
}

/// The operations a gateway can be called for.
package enum GatewayOperation: Sendable, Hashable {
    case sale, authorization
    /// A refund of no named payment is a standalone credit. A reversal is for a payment with an unknown outcome.
    case followUp(FollowUp)
    /// Queries the outcome of a payment.
    case find
    /// Requests a reusable token.
    case token
    /// Closes the open batch.
    case settlement
    case accountInquiry
    case giftActivation, giftLoad, giftDeactivation
    case merchantInformation, passwordChange

    package static let capture = Self.followUp(.capture)
    package static let tipAdjustment = Self.followUp(.tipAdjustment)
    package static let void = Self.followUp(.void)
    package static let refund = Self.followUp(.refund)
    package static let reversal = Self.followUp(.reversal)

    /// Nil for operations that are not follow-ups.
    package var followUp: FollowUp? { if case .followUp(let followUp) = self { followUp } else { nil } }

    /// True if the operation reverses all of a payment. Repeating it has no further effect.
    package var takesBack: Bool { followUp?.takesBack ?? false }

    /// True if the operation can move money or the value of a card. Repeating it can move the money twice.
    package var canMoveMoney: Bool {
        switch self {
        case .sale, .authorization, .followUp, .settlement, .giftActivation, .giftLoad, .giftDeactivation: true
        case .find, .token, .accountInquiry, .merchantInformation, .passwordChange: false
        }
    }
}

extension GatewayOperation: RawRepresentable, CaseIterable, Codable {
    /// Every operation that a call can have.
    package static let allCases: [Self] =
        [.sale, .authorization] + FollowUp.allCases.filter(\.isCallable).map(Self.followUp)
        + [
            .find, .token, .settlement, .accountInquiry, .giftActivation, .giftLoad, .giftDeactivation,
            .merchantInformation, .passwordChange,
        ]

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    /// The stored name. Follow-ups have the name of `FollowUp`.
    package var rawValue: String {
        switch self {
        case .sale: "sale"
        case .authorization: "authorization"
        case .followUp(let followUp): followUp.rawValue
        case .find: "find"
        case .token: "token"
        case .settlement: "settlement"
        case .accountInquiry: "accountInquiry"
        case .giftActivation: "giftActivation"
        case .giftLoad: "giftLoad"
        case .giftDeactivation: "giftDeactivation"
        case .merchantInformation: "merchantInformation"
        case .passwordChange: "passwordChange"
        }
    }
}

/// The result of an answer, as callers use it for decisions. The money it reports is in its document.
package enum GatewayVerdictName: String, Sendable, Hashable, Codable, CaseIterable {
    case approved, partiallyApproved, declined
    /// The gateway does not have the payment and will not post it later.
    case notPosted
    /// The gateway does not have a result yet.
    case pending
    /// More than one payment matches, or the payment changed into something else: an operator must review it.
    case ambiguous
    /// The gateway reports the outcome as unknown.
    case unknown
    /// The request was invalid, and nothing was done.
    case refused

    /// True if the answer proves the outcome of the payment it is about.
    package var isCertain: Bool {
        switch self {
        case .approved, .partiallyApproved, .declined, .notPosted: true
        case .pending, .ambiguous, .unknown, .refused: false
        }
    }
}

/// The payload of every `GatewayEvent`.
package struct GatewayReport: Sendable, Hashable, Codable {
    /// Daybook's reference, unique per attempt. The gateway receives it as invoice or transaction id.
    package var reference: String
    /// The gateway's name in the configuration.
    package var gateway: String
    /// Set in `GatewayCallSent`: the merchant account about whose payment the gateway is called.
    package var account: String?
    package var vendor: Vendor
    package var operation: GatewayOperation
    /// The reference of the earlier call that this call is about.
    package var about: String?
    package var amount: Money?
    package var tip: Money?
    /// The references that named the payment to the gateway; in an answer, the references the gateway gave.
    package var references: References
    /// Set in `GatewayCallAnswered`.
    package var verdict: GatewayVerdictName?
    /// Set if a find returned a transaction that cannot be matched with the payment: what differs between them, without
    /// the values of the found one, or the data that is missing for a match. For operators.
    package var differs: String?
    /// The reason a call failed or was not answered: one of the stable codes of `GatewayFailure`.
    package var failure: String?
    /// The gateway's code and text.
    package var response: Response
    package var at: Timestamp?
    /// Set in `GatewayCallSent`: the end of the call by the caller's clock. After this time nothing is sent and no
    /// answer is awaited. Nil in the other events.
    package var overBy: Timestamp?

    package init(
        reference: String,
        gateway: String,
        account: String? = nil,
        vendor: Vendor,
        operation: GatewayOperation,
        about: String? = nil,
        amount: Money? = nil,
        tip: Money? = nil,
        references: References = .init(),
        verdict: GatewayVerdictName? = nil,
        differs: String? = nil,
        failure: String? = nil,
        response: Response = .init(),
        at: Timestamp? = nil,
        overBy: Timestamp? = nil
    ) {
        self.reference = reference
        self.gateway = gateway
        self.account = account
        self.vendor = vendor
        self.operation = operation
        self.about = about
        self.amount = amount
        self.tip = tip
        self.references = references
        self.verdict = verdict
        self.differs = differs
        self.failure = failure
        self.response = response
        self.at = at
        self.overBy = overBy
    }
}
