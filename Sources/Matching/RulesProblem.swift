/// A problem in submitted rules and its place.
package struct RulesProblem: Error, Sendable, Hashable {
    /// Stable codes for programs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A member is missing, unknown or of the wrong kind.
        case invalid = "invalid-rules"
        /// The ladder is empty, so nothing would match.
        case noRules = "no-rules"
        case tooMany = "too-many-rules"
        case invalidName = "invalid-rule-name"
        case repeatedName = "repeated-rule-name"
        case noKeys = "no-keys"
        case unknownKey = "unknown-key"
        case repeatedKey = "repeated-key"
        /// The keys name no payment: too many payments share them.
        case wideKeys = "keys-too-wide"
        case unknownChoice = "unknown-choice"
        case days = "days-out-of-range"
        case tolerance = "tolerance-out-of-range"
        case amount = "amount-out-of-range"
        /// The member has no effect with this choice.
        case notApplicable = "not-applicable"
        case unknownCurrency = "unknown-currency"
        case unknownAccount = "unknown-account"
        /// The type of lines cannot be explained by a posting rule.
        case unknownType = "unknown-type"
        /// No files of that format are read.
        case unknownProcessor = "unknown-processor"
        /// No fees of that kind are read.
        case unknownComponent = "unknown-component"
        case unknownVendor = "unknown-payment-vendor"
        case unknownWeekday = "unknown-weekday"
        case unknownZone = "unknown-zone"
        case invalidDay = "invalid-day"
        case invalidTime = "invalid-time"
        /// Two entries are about the same subject.
        case repeatedEntry = "repeated-entry"
        case cardData = "card-data"
    }

    package var code: Code
    /// A JSON pointer from the root of the rules: `/ladder/3/days`.
    package var pointer: String
    package var detail: String

    package init(_ code: Code, at pointer: String, _ detail: String) {
        self.code = code
        self.pointer = pointer
        self.detail = detail
    }
}
