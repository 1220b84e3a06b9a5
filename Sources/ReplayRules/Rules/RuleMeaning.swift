extension FixedRule {
    /// The meaning of the rule, for display; without a full stop.
    package var meaning: String {
        switch self {
        case .unknown: "no other rule knows what to do"
        case .posted: "the payment is posted"
        case .settlementRejected: "its batch rejected it"
        case .voided: "it was voided"
        case .reversed: "it was reversed"
        case .expired: "it has expired"
        case .cancelled: "it was cancelled"
        case .reversalDue: "the host approved it, and the terminal did not carry it out"
        case .contradiction: "what was told of it does not fit together"
        case .approvalReported: "an approval was told, and none stands"
        case .doubtEnded: "evidence has ended the doubt and is about to be recorded"
        case .callOpen: "a call about it may have moved money, and nobody knows"
        case .notSent: "it was certainly never sent"
        case .notPosted: "evidence shows that nothing was posted"
        case .foundDeclined: "it was found declined, and nobody says why"
        case .notAsked: "it has never been asked for"
        case .inEffect: "it is in effect"
        case .nothingToFollow: "there is nothing that it could follow"
        case .notKnown: "whether there is anything to follow is not known, or it is in another currency"
        case .captureOfExpired: "the authorisation has expired"
        case .captureExceeds: "it is more than is held"
        case .tipAfterSettlement: "the payment is settled, and its tip stands"
        case .voidAfterSettlement: "the payment is settled, and a refund takes the place of a void"
        case .refundUnsettled: "the payment is not settled, and a void takes the place of a refund"
        case .refundExceeds: "it is more than was captured and not given back"
        case .refundDisputed: "the payment was charged back"
        case .reversalAfterSettlement: "the payment is settled, and a refund takes the place of a reversal"
        case .reversalRepeated: "a reversal is repeated until it is acknowledged"
        case .noGateway: "no gateway is set up that could be asked"
        case .reversalOff: "no gateway is set up to be sent reversals"
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
