package import Canonical
package import Payments

/// The keys by which totals are grouped.
package enum TotalsKey: String, Codable, Sendable, Hashable, CaseIterable {
    case day, merchant, terminal, brand, tender, clerk, currency, vendor
    /// The recipient of the tip. Only within a batch.
    case tipRecipient = "tip_recipient"
    case type
}

/// The sum of one tax, or of one portion from health-care accounts, in lines of money. Minor units.
package struct TotalsPortion: Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case tax
        case healthCare = "health-care"
    }

    package var kind: Kind
    /// Nil for the part of taxes without a label.
    package var label: String?
    package var amount: Int64

    package init(_ kind: Kind, label: String?, amount: Int64) {
        self.kind = kind
        self.label = label
        self.amount = amount
    }

    /// The order in a row: by kind, then by label, both by bytes.
    func precedes(_ other: TotalsPortion) -> Bool {
        guard kind == other.kind else { return kind.rawValue < other.kind.rawValue }
        return (label ?? "").utf8.lexicographicallyPrecedes((other.label ?? "").utf8)
    }
}

/// The sum of lines of money in one currency. Minor units; voided amounts are listed and not counted (I5, I7).
package struct TotalsRow: Sendable, Hashable {
    /// The value of each requested key, in that order; nil for lines without one. The currency is in `currency`.
    package var keys: [String?]
    package var currency: Currency
    /// The number of sales and captures with an amount left after voids, or with the amount zero.
    package var capturedCount: Int64 = 0
    /// The captured amount without voided amounts, including tips.
    package var captured: Int64 = 0
    /// The tips included in `captured`.
    package var tips: Int64 = 0
    package var refundedCount: Int64 = 0
    package var refunded: Int64 = 0
    /// Refunds without an original payment.
    package var creditedCount: Int64 = 0
    package var credited: Int64 = 0
    /// The number of lines of any type with a voided amount.
    package var voidedCount: Int64 = 0
    package var voided: Int64 = 0
    /// Captured less refunded and credited.
    package var net: Int64 = 0
    /// The taxes and health-care portions inside the lines of `captured` that are not voided in full, by kind and
    /// label. A void in part leaves them as reported.
    package var portions: [TotalsPortion] = []

    package init(keys: [String?], currency: Currency) {
        self.keys = keys
        self.currency = currency
    }

    /// - Throws: `TotalsError.overflow`.
    mutating func add(_ other: TotalsRow) throws(TotalsError) {
        for sum in [
            \.capturedCount, \.captured, \.tips, \.refundedCount, \.refunded, \.creditedCount, \.credited,
            \.voidedCount,
            \.voided, \.net,
        ] as [WritableKeyPath<TotalsRow, Int64>] {
            let (value, isTooLarge) = self[keyPath: sum].addingReportingOverflow(other[keyPath: sum])
            guard !isTooLarge else { throw .overflow }
            self[keyPath: sum] = value
        }
        for portion in other.portions { try add(portion) }
    }

    /// Keeps the order of the portions.
    private mutating func add(_ portion: TotalsPortion) throws(TotalsError) {
        guard let index = portions.firstIndex(where: { !$0.precedes(portion) }) else {
            portions.append(portion)
            return
        }
        guard !portion.precedes(portions[index]) else {
            portions.insert(portion, at: index)
            return
        }
        let (amount, isTooLarge) = portions[index].amount.addingReportingOverflow(portion.amount)
        guard !isTooLarge else { throw .overflow }
        portions[index].amount = amount
    }
}

/// The conditions on the counted lines of money. Everything set must hold.
package struct TotalsFilter: Sendable, Hashable {
    package var occurredFrom: Timestamp?
    package var occurredBefore: Timestamp?
    package var merchant: String?
    package var terminal: String?
    package var vendor: Vendor?
    package var currency: String?
    package var cardBrand: String?
    package var tender: String?
    package var clerk: String?

    package init() {}
}

/// The reason why there are no totals.
package enum TotalsError: Error, Hashable {
    /// A sum does not fit 64 bits of minor units.
    case overflow
    /// There would be more rows than `TotalsQuery.limit`.
    case tooMany
}
