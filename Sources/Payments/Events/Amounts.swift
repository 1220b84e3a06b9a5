/// One figure as the vendor printed it, kept so that every amount can be traced to its source.
package struct Figure: Sendable, Hashable, Codable {
    /// The name of the vendor's field.
    package var field: String
    /// The figure as written.
    package var raw: String
    /// The number of decimals used to read it as minor units; nil where it could not be read.
    package var exponent: Int?

    package init(field: String, raw: String, exponent: Int?) {
        self.field = field
        self.raw = raw
        self.exponent = exponent
    }
}

/// A total and what it is made of. Every part is in the total's currency.
///
/// Invariant I2: where the base is known, total = base + tip + tax + fee + cashback. A vendor that prints figures
/// which do not add up is recorded as it printed them; `discrepancy` tells by how much, and an anomaly is raised.
package struct Amounts: Sendable, Hashable, Codable {
    package var total: Money
    /// Goods and services, before the parts below.
    package var base: Money?
    package var tip: Money?
    package var tax: Money?
    package var fee: Money?
    package var cashback: Money?
    /// The vendor's figures as written, in the order they were read.
    package var figures: [Figure]?

    package init(
        total: Money,
        base: Money? = nil,
        tip: Money? = nil,
        tax: Money? = nil,
        fee: Money? = nil,
        cashback: Money? = nil,
        figures: [Figure]? = nil
    ) {
        self.total = total
        self.base = base
        self.tip = tip
        self.tax = tax
        self.fee = fee
        self.cashback = cashback
        self.figures = figures
    }

    /// The currency shared by the total and its parts.
    package var currency: Currency { total.currency }

    /// True when every part is in the total's currency.
    package var isSingleCurrency: Bool {
        [base, tip, tax, fee, cashback].allSatisfy { $0 == nil || $0?.currency == currency }
    }

    /// The total less the sum of the parts, in minor units; nil when the base is not known.
    ///
    /// - Throws: `MoneyError` with `.overflow` or `.currencyMismatch`.
    package func discrepancy() throws(MoneyError) -> Int64? {
        guard let base else { return nil }
        var sum = base
        for part in [tip, tax, fee, cashback] {
            guard let part else { continue }
            sum = try sum.adding(part)
        }
        return try total.subtracting(sum).value
    }
}
