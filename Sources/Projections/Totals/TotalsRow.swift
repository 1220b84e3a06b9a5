package import Canonical
package import Payments

/// What totals are told apart by.
package enum TotalsKey: String, Sendable, Hashable, CaseIterable {
    case day, merchant, terminal, brand, tender, clerk, currency, vendor
    /// Only within a batch.
    case tipRecipient = "tip_recipient"
    case type
}

/// What lines of money of one currency add up to. Minor units; what was voided is listed, and not counted (I5, I7).
package struct TotalsRow: Sendable, Hashable {
    /// The value of each key that was asked for, in that order; nil for lines without one. The currency stands below.
    package var keys: [String?]
    package var currency: Currency
    /// Sales and captures of which anything is left.
    package var capturedCount: Int64 = 0
    /// Voids taken off, tips included.
    package var captured: Int64 = 0
    /// The tips inside it.
    package var tips: Int64 = 0
    package var refundedCount: Int64 = 0
    package var refunded: Int64 = 0
    /// Refunds without an original payment.
    package var creditedCount: Int64 = 0
    package var credited: Int64 = 0
    /// Lines of which anything was taken back, of whatever type.
    package var voidedCount: Int64 = 0
    package var voided: Int64 = 0
    /// Captured less refunded and credited.
    package var net: Int64 = 0

    package init(keys: [String?], currency: Currency) {
        self.keys = keys
        self.currency = currency
    }
}

/// Which lines of money are counted. A row must satisfy every condition given.
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

/// Why there are no totals.
package enum TotalsError: Error, Hashable {
    /// A sum does not fit 64 bits of minor units.
    case overflow
    /// There would be more rows than `TotalsQuery.limit`.
    case tooMany
}
