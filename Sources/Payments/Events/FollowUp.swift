/// A follow-up on a payment. Refusals, doubts, calls to gateways and replays name follow-ups with this type.
package enum FollowUp: String, Sendable, Hashable, Codable, CaseIterable {
    case capture
    /// Sets the tip of a payment to a new value.
    case tipAdjustment = "tip-adjustment"
    case void, refund
    /// The release of an authorization that was not captured, or the reversal of a payment with an unknown outcome.
    case reversal
    case increment
    case refundVoid = "refund-void"

    /// True if the follow-up reverses all of a payment. Repeating it has no further effect.
    package var takesBack: Bool { self == .void || self == .reversal }

    /// True if Daybook can call a gateway for it, and so resubmit it.
    package var isCallable: Bool {
        switch self {
        case .capture, .tipAdjustment, .void, .refund, .reversal: true
        case .increment, .refundVoid: false
        }
    }
}

/// The subject of an anomaly `followUpInDoubt`. `Doubts` decides by it which later evidence ends the doubt.
package struct FollowUpInDoubt: Sendable, Hashable, Codable {
    package enum Subject: Sendable, Hashable {
        case followUp(FollowUp)
        /// A follow-up of an unknown kind.
        case anyFollowUp
        /// A part of the payment was voided, and the amount is not reported.
        case partialVoid
        /// A refund that the gateway has and that was not reported.
        case foundRefund
        /// Another attempt at the payment.
        case paymentAttempt
        /// A tender beside the recorded ones.
        case furtherTender
        /// The payment itself, after its only evidence, a statement line, was withdrawn.
        case withdrawnPayment
    }

    package var subject: Subject
    /// The id of the refund, for a void of a refund; nil means any refund.
    package var refund: String?

    package init(_ subject: Subject, refund: String? = nil) {
        self.subject = subject
        self.refund = refund
    }

    package init(_ followUp: FollowUp, refund: String? = nil) { self.init(.followUp(followUp), refund: refund) }

    /// True if the follow-up in doubt reverses all of a payment.
    package var takesBack: Bool {
        if case .followUp(let followUp) = subject { followUp.takesBack } else { false }
    }
}

extension FollowUpInDoubt.Subject: RawRepresentable, CaseIterable, Codable {
    package static var allCases: [Self] {
        FollowUp.allCases.map(Self.followUp)
            + [.anyFollowUp, .partialVoid, .foundRefund, .paymentAttempt, .furtherTender, .withdrawnPayment]
    }

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    /// The stored name. Follow-ups have the name of `FollowUp`.
    package var rawValue: String {
        switch self {
        case .followUp(let followUp): followUp.rawValue
        case .anyFollowUp: "follow-up"
        case .partialVoid: "partial-void"
        case .foundRefund: "found-refund"
        case .paymentAttempt: "payment-attempt"
        case .furtherTender: "further-tender"
        case .withdrawnPayment: "withdrawn-payment"
        }
    }
}

/// What a payment's last request asked for: its own operation, or a follow-up on it.
package enum AskedOperation: Sendable, Hashable {
    case payment(Operation)
    case followUp(FollowUp)
}
