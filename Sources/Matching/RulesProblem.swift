/// What is wrong with rules that somebody wants, and where.
package struct RulesProblem: Error, Sendable, Hashable {
    /// Stable: programs go by them.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A member is missing, is not known, or is of another kind.
        case invalid = "invalid-rules"
        /// There is nothing that would match anything.
        case noRules = "no-rules"
        case tooMany = "too-many-rules"
        case invalidName = "invalid-rule-name"
        case repeatedName = "repeated-rule-name"
        case noKeys = "no-keys"
        case unknownKey = "unknown-key"
        case repeatedKey = "repeated-key"
        /// The keys name no payment: too many have them in common.
        case wideKeys = "keys-too-wide"
        case unknownChoice = "unknown-choice"
        case days = "days-out-of-range"
        case tolerance = "tolerance-out-of-range"
        case amount = "amount-out-of-range"
        /// Rules with this choice take no notice of it.
        case notApplicable = "not-applicable"
        case unknownCurrency = "unknown-currency"
        /// Two entries are about the same.
        case repeatedEntry = "repeated-entry"
        case cardData = "card-data"
    }

    package var code: Code
    /// A JSON pointer from the rules on: `/ladder/3/days`.
    package var pointer: String
    package var detail: String

    package init(_ code: Code, at pointer: String, _ detail: String) {
        self.code = code
        self.pointer = pointer
        self.detail = detail
    }
}
