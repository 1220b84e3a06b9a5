/// One figure as the vendor printed it. It makes every amount traceable to its source.
package struct Figure: Sendable, Hashable, Codable {
    /// The name of the vendor's field.
    package var field: String
    /// The figure as written.
    package var raw: String
    /// The number of decimals used to read it as minor units; nil if it could not be read.
    package var exponent: Int?

    package init(field: String, raw: String, exponent: Int?) {
        self.field = field
        self.raw = raw
        self.exponent = exponent
    }
}

/// One tax or fee of an amount, under the merchant's own label. It is inside `tax` or `fee` of the same amounts.
package struct AmountPart: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case tax, fee
    }

    package var kind: Kind
    /// As the merchant named it: `Local Tax`.
    package var label: String?
    package var amount: Money

    package init(_ kind: Kind, label: String?, amount: Money) {
        self.kind = kind
        self.label = label
        self.amount = amount
    }
}

/// A total and its parts. Every part is in the total's currency.
///
/// Invariant I2: if the base is known, total = base + tip + tax + fee + cashback. Figures that do not add up are
/// recorded as the vendor printed them; `discrepancy` is the difference, and an anomaly is raised.
package struct Amounts: Sendable, Hashable, Codable {
    package var total: Money
    /// Goods and services, before the parts below.
    package var base: Money?
    package var tip: Money?
    package var tax: Money?
    package var fee: Money?
    package var cashback: Money?
    /// The taxes and fees one by one, if the vendor reports them so.
    package var parts: [AmountPart]?
    /// The vendor's figures as written, in the order they were read.
    package var figures: [Figure]?

    package init(
        total: Money,
        base: Money? = nil,
        tip: Money? = nil,
        tax: Money? = nil,
        fee: Money? = nil,
        cashback: Money? = nil,
        parts: [AmountPart]? = nil,
        figures: [Figure]? = nil
    ) {
        self.total = total
        self.base = base
        self.tip = tip
        self.tax = tax
        self.fee = fee
        self.cashback = cashback
        self.parts = parts
        self.figures = figures
    }

    package var currency: Currency { total.currency }

    /// True when every part is in the total's currency.
    package var isSingleCurrency: Bool {
        [base, tip, tax, fee, cashback].allSatisfy { $0 == nil || $0?.currency == currency }
    }

    /// The total less the sum of the parts, in minor units; nil if the base is not known.
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
