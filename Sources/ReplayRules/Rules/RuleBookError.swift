/// The reason a book of rules cannot be created.
package struct RuleBookError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The written rules cannot be read.
        case unreadableRules = "unreadable-rules"
        /// Two rules with the same id apply on the same day.
        case overlappingRules = "overlapping-rules"
        /// An override is not of the form `rule=value`.
        case malformedOverride = "malformed-override"
        /// One rule is overridden twice.
        case repeatedOverride = "repeated-override"
        /// No rule with this id applies on the day.
        case unknownRule = "unknown-rule"
        /// The value does not have the rule's unit.
        case invalidValue = "invalid-rule-value"
        case outOfBounds = "rule-value-out-of-bounds"
        /// The value would allow repeating an operation that must not be repeated.
        case tooLoose = "rule-too-loose"
    }

    package var code: Code
    /// The id of the rule; empty if the error is about no rule.
    package var rule: String
    package var detail: String

    package init(_ code: Code, _ rule: String, _ detail: String) {
        self.code = code
        self.rule = rule
        self.detail = detail
    }
}

extension RuleBookError: CustomStringConvertible {
    package var description: String {
        rule.isEmpty ? "\(code.rawValue): \(detail)" : "\(code.rawValue): \(rule): \(detail)"
    }
}
