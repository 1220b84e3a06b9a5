package import Canonical

/// What Daybook itself asked of a gateway about a payment, and what became of the question.
///
/// `GatewayCallSent` is recorded before the call is made and one of the others after it, so that a call that was cut short
/// by a crash is seen to be under way. What the gateway says about the money is not here but in the vendor's document, which
/// is taken in like any other.
package typealias GatewayEvent = ReportEvent<GatewayEventName>

/// The names of the event types, as they are stored.
package enum GatewayEventName: String, ReportName {
    package typealias Report = GatewayReport

    /// The call is about to be made. From here on it may have acted.
    case callSent = "GatewayCallSent"
    /// The gateway answered, and the answer could be read.
    case callAnswered = "GatewayCallAnswered"
    /// The call was sent and not answered, or not legibly: what it did nobody knows.
    case callTimedOut = "GatewayCallTimedOut"
    /// The call never reached the gateway: it did nothing.
    case callFailed = "GatewayCallFailed"
}

/// What a gateway can be asked for.
package enum GatewayOperation: String, Sendable, Hashable, Codable, CaseIterable {
    case sale, authorization, capture
    /// The tip of a payment is set anew.
    case tipAdjustment
    case void
    /// Money goes back: of a payment where one is named, else a standalone credit.
    case refund
    /// A payment is taken back because nobody knows whether it was made.
    case reversal
    /// What became of a payment.
    case find
    /// A token that can be used again is asked for.
    case token
    /// The open batch is closed.
    case settlement
    case accountInquiry
    case giftActivation, giftLoad, giftDeactivation
    case merchantInformation, passwordChange

    /// True where all of a payment is taken back by it: done twice it is done once.
    package var takesBack: Bool { self == .void || self == .reversal }

    /// True where money, or a card's value, can move by it: asked for twice it can be done twice.
    package var canMoveMoney: Bool {
        switch self {
        case .sale, .authorization, .capture, .tipAdjustment, .void, .refund, .reversal, .settlement, .giftActivation,
            .giftLoad, .giftDeactivation:
            true
        case .find, .token, .accountInquiry, .merchantInformation, .passwordChange: false
        }
    }
}

/// What an answer says as far as callers decide by it. What it says about the money is in its document.
package enum GatewayVerdictName: String, Sendable, Hashable, Codable, CaseIterable {
    case approved, partiallyApproved, declined
    /// The gateway does not have the payment, and will not have it any more.
    case notPosted
    /// The gateway does not know yet.
    case pending
    /// More than one payment fits, or it became something else: a person has to look.
    case ambiguous
    /// The gateway's own word is that it does not know.
    case unknown
    /// The request was wrong, and nothing was done.
    case refused

    /// True where the answer says for certain what became of the payment that was asked about.
    package var isCertain: Bool {
        switch self {
        case .approved, .partiallyApproved, .declined, .notPosted: true
        case .pending, .ambiguous, .unknown, .refused: false
        }
    }
}

/// The payload of every `GatewayEvent`.
package struct GatewayReport: Sendable, Hashable, Codable {
    /// Ours, and unique for one attempt; the gateway has it as invoice or transaction id.
    package var reference: String
    /// The name the gateway has in the configuration.
    package var gateway: String
    package var vendor: Vendor
    package var operation: GatewayOperation
    /// The reference of the earlier call that this one asks about.
    package var about: String?
    package var amount: Money?
    package var tip: Money?
    /// The names by which the gateway was told which payment it is about; in an answer those the gateway gave.
    package var references: References
    /// In `GatewayCallAnswered`.
    package var verdict: GatewayVerdictName?
    /// Where a find found a transaction that cannot be taken for the payment: what tells them apart, or what is missing to
    /// tell that they are the same. For people.
    package var differs: String?
    /// Why a call failed or was not answered: one of the stable codes of `GatewayFailure`.
    package var failure: String?
    /// The gateway's code and text.
    package var response: Response
    package var at: Timestamp?
    /// In `GatewayCallSent`: by then the call is over, by the clock of whoever makes it. Nothing is sent later, and no answer
    /// is waited for. Events of earlier builds do not say.
    package var overBy: Timestamp?

    package init(
        reference: String,
        gateway: String,
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
