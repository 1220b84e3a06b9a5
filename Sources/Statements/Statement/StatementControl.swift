package import Payments

/// A figure in the file that states the sum, count or balance of other parts of it.
package struct StatementControl: Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// Amounts, signed by the file's rule.
        case total
        /// The number of records, lines or transactions.
        case count
        /// Figures added up regardless of their direction.
        case hashTotal = "hash-total"
        /// The balance of an account after the listed entries.
        case balance
    }

    package var kind: Kind
    /// The figure compared, in kebab case; stable for each format.
    package var name: String
    /// The scope: `file`, `payment 066M1416`, `batch 238`.
    package var scope: String
    /// The value in the file, in minor units for amounts.
    package var stated: Int64
    /// The value computed from the file's parts; nil if they cannot be added up.
    package var computed: Int64?
    /// Nil for counts.
    package var currency: Currency?
    /// The 1-based physical line of the stated figure.
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
    /// Makes a control with a computed sum that may not fit 64 bits.
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
