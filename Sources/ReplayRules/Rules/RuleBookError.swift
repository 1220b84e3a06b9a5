/// Why there is no book of rules.
package struct RuleBookError: Error, Sendable, Hashable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The rules as they are written down cannot be read.
        case unreadableRules = "unreadable-rules"
        /// Two rules of one id hold on the same day.
        case overlappingRules = "overlapping-rules"
        /// An override is not of the form `rule=value`.
        case malformedOverride = "malformed-override"
        /// One rule is overridden twice.
        case repeatedOverride = "repeated-override"
        /// No rule of this id holds on that day.
        case unknownRule = "unknown-rule"
        /// The value is not one of the rule's unit.
        case invalidValue = "invalid-rule-value"
        case outOfBounds = "rule-value-out-of-bounds"
        /// The value would let be repeated what must not be.
        case tooLoose = "rule-too-loose"
    }

    package var code: Code
    /// The id of the rule it is about; empty where it is about none.
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
