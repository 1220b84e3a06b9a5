package import Payments

/// A figure in the file that says what other parts of it come to.
package struct StatementControl: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Amounts, signed as the file's rule says.
        case total
        /// How many records, lines or transactions.
        case count
        /// Figures added up regardless of their sense.
        case hashTotal = "hash-total"
        /// What is on an account after what is listed.
        case balance
    }

    package var kind: Kind
    /// What is compared, in kebab case; stable for each format.
    package var name: String
    /// What it is about: `file`, `payment 066M1416`, `batch 238`.
    package var scope: String
    /// As it stands in the file: minor units for amounts.
    package var stated: Int64
    /// As the file's own parts come to; nil where they cannot be added up.
    package var computed: Int64?
    /// Nil for counts.
    package var currency: Currency?
    /// The 1-based physical line with the stated figure.
    package var line: Int

    package init(
        _ kind: Kind,
        _ name: String,
        scope: String,
        stated: Int64,
        computed: Int64?,
        currency: Currency? = nil,
        line: Int
    ) {
        self.kind = kind
        self.name = name
        self.scope = scope
        self.stated = stated
        self.computed = computed
        self.currency = currency
        self.line = line
    }

    package var holds: Bool { computed == stated }
}

extension StatementControl {
    /// With a sum that may not fit.
    init(
        _ kind: Kind,
        _ name: String,
        scope: String,
        stated: Int64,
        sum: Int128,
        currency: Currency? = nil,
        line: Int
    ) {
        self.init(
            kind,
            name,
            scope: scope,
            stated: stated,
            computed: Int64(exactly: sum),
            currency: currency,
            line: line
        )
    }
}
