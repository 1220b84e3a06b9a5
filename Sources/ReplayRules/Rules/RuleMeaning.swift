extension FixedRule {
    /// The meaning of the rule, for display; without a full stop.
    package var meaning: String {
        switch self {
        case .unknown: "no other rule applies"
        case .posted: "the payment is posted"
        case .settlementRejected: "its settlement was rejected"
        case .voided: "it was voided"
        case .reversed: "it was reversed"
        case .expired: "it has expired"
        case .cancelled: "it was cancelled"
        case .test: "it was made at the vendor's test system, where no money moves"
        case .reversalDue: "the host approved it, but the terminal did not complete it, so a reversal is due"
        case .contradiction: "the recorded facts contradict each other"
        case .approvalReported: "an approval was reported, but the recorded outcome is not an approval"
        case .doubtEnded: "evidence proves the outcome and is about to be recorded"
        case .callOpen: "a call about it may have moved money, and its outcome is unknown"
        case .notSent: "it was proven never to be sent"
        case .notPosted: "evidence proves that nothing was posted"
        case .foundDeclined: "the gateway has it as declined, without a reason"
        case .notRequested: "it was never requested"
        case .inEffect: "it is in effect"
        case .nothingToFollow: "there is no payment, capture or refund that it could follow up"
        case .notKnown: "the payment to follow up is not known, or is in another currency"
        case .captureOfExpired: "the authorization has expired"
        case .captureExceeds: "it is more than the open authorization"
        case .tipAfterSettlement: "the payment is settled, so its tip is final"
        case .voidAfterSettlement: "the payment is settled; it can be refunded, not voided"
        case .refundUnsettled: "the payment is not settled; it can be voided, not refunded"
        case .refundExceeds: "it is more than was captured and not refunded"
        case .refundDisputed: "the payment was charged back"
        case .reversalAfterSettlement: "the payment is settled; it can be refunded, not reversed"
        case .reversalRepeated: "a reversal is repeated until it is acknowledged"
        case .noGateway: "no gateway is configured for its merchant account"
        case .noAccount: "its documents name no merchant account"
        case .reversalOff: "no gateway is configured to receive reversals"
        case .streamFull: "it has the largest number of events, so no gateway is queried"
        }
    }
}

extension WrittenRules {
    private static let meanings: [String: String] = {
        let records = (try? all.get()) ?? []
        // If a rule has several days, the last one counts: the subject of a rule does not change with its value.
        return Dictionary(records.map { ($0.id, $0.meaning) }) { $1 }
    }()

    /// The meaning of a rule of this build, for display, regardless of its day; nil for an unknown id.
    package static func meaning(of id: String) -> String? {
        FixedRule(rawValue: id)?.meaning ?? meanings[id]
    }
}
