/// Something about a rule that is allowed, and that whoever keeps it should know.
package struct RuleRemark: Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// It goes by names that come again, without days.
        case withoutDays = "without-days"

        package var detail: String {
            switch self {
            case .withoutDays:
                "What it goes by comes again, and it has no days: what comes long after may be taken for the payment of before."
            }
        }
    }

    /// The name of a rule of the ladder.
    package var rule: String
    package var code: Code
}

extension MatchingRules {
    /// In the order of the ladder; none about the standard rules.
    package var remarks: [RuleRemark] {
        ladder.filter(\.isUnbounded).map { RuleRemark(rule: $0.name, code: .withoutDays) }
    }
}
