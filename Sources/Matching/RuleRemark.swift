/// A remark about a rule that is valid but may have an unwanted effect.
package struct RuleRemark: Sendable, Hashable {
    package enum Code: String, Codable, Sendable, Hashable, CaseIterable {
        /// The rule uses only keys with reused values and has no limit of days.
        case withoutDays = "without-days"

        package var detail: String {
            switch self {
            case .withoutDays:
                "The values of its keys are reused, and it has no limit of days: a much later payment may match an earlier line."
            }
        }
    }

    /// The name of a rule in the ladder.
    package var rule: String
    package var code: Code
}

extension MatchingRules {
    /// The remarks in the order of the ladder; the standard rules have none.
    package var remarks: [RuleRemark] {
        ladder.filter(\.isUnbounded).map { RuleRemark(rule: $0.name, code: .withoutDays) }
    }
}
