import Canonical
package import Matching
package import Payments
package import Projections

/// Totals with their keys.
package struct TotalsAnswer: Sendable {
    package var keys: [TotalsKey]
    package var days: BusinessDay
    package var rows: [TotalsRow]
    /// The log position of a past state; nil for now.
    package var position: Int64?

    package init(keys: [TotalsKey], days: BusinessDay, rows: [TotalsRow], position: Int64? = nil) {
        self.keys = keys
        self.days = days
        self.rows = rows
        self.position = position
    }
}

package struct TotalsJSON: Codable, Sendable, Hashable {
    package var by: [TotalsKey]
    package var zone: String
    package var cutoff: String
    package var asOfPosition: Int64?
    package var items: [TotalsRowJSON]

    package init(_ answer: TotalsAnswer) {
        by = answer.keys
        zone = answer.days.zone.name
        cutoff = answer.days.cutoff
        asOfPosition = answer.position
        items = answer.rows.map { TotalsRowJSON($0, by: answer.keys) }
    }
}

/// A row of totals: its keys, its money, and the taxes and health-care portions in it.
package typealias TotalsRowJSON = Joined<Joined<TotalsKeysJSON, MoneyTotalsJSON>, TotalsPortionsJSON>

/// The taxes and health-care portions of a row of totals.
package struct TotalsPortionsJSON: Codable, Sendable, Hashable {
    package struct Portion: Codable, Sendable, Hashable {
        package var kind: TotalsPortion.Kind
        package var label: String?
        package var amount: Money
    }

    package var portions: [Portion]

    fileprivate init(_ row: TotalsRow) {
        portions = row.portions.map {
            Portion(kind: $0.kind, label: $0.label, amount: Money($0.amount, row.currency))
        }
    }
}

/// The keys of a row of totals. A key that was not requested, or that the lines do not have, is absent.
package struct TotalsKeysJSON: Codable, Sendable, Hashable {
    package var day: String?
    package var merchant: String?
    package var terminal: String?
    package var brand: String?
    package var tender: String?
    package var clerk: String?
    package var vendor: String?
    package var type: String?
    package var tipRecipient: String?

    fileprivate init(_ row: TotalsRow, by keys: [TotalsKey]) {
        func value(_ key: TotalsKey) -> String? { keys.firstIndex(of: key).flatMap { row.keys[$0] } }
        day = value(.day)
        merchant = value(.merchant)
        terminal = value(.terminal)
        brand = value(.brand)
        tender = value(.tender)
        clerk = value(.clerk)
        vendor = value(.vendor)
        type = value(.type)
        tipRecipient = value(.tipRecipient)
    }
}

/// Totals of money in one currency.
package struct MoneyTotalsJSON: Codable, Sendable, Hashable {
    package var currency: Currency
    package var capturedCount: Int64
    package var captured: Money
    package var tip: Money
    package var refundedCount: Int64
    package var refunded: Money
    package var creditedCount: Int64
    package var credited: Money
    package var voidedCount: Int64
    package var voided: Money
    package var net: Money

    /// The totals of a closed day.
    ///
    /// - Throws: `UnknownStoredText`.
    package init(_ total: PeriodTotal) throws { self.init(total, try Currency(stored: total.currency)) }

    fileprivate init(_ row: TotalsRow) { self.init(PeriodTotal(row), row.currency) }

    private init(_ total: PeriodTotal, _ currency: Currency) {
        func money(_ minor: Int64) -> Money { Money(minor, currency) }
        self.currency = currency
        capturedCount = total.capturedCount
        captured = money(total.captured)
        tip = money(total.tips)
        refundedCount = total.refundedCount
        refunded = money(total.refunded)
        creditedCount = total.creditedCount
        credited = money(total.credited)
        voidedCount = total.voidedCount
        voided = money(total.voided)
        net = money(total.net)
    }
}

extension TotalsRowJSON {
    /// - Parameter keys: The keys of the rows.
    package init(_ row: TotalsRow, by keys: [TotalsKey]) {
        self.init(
            Joined<TotalsKeysJSON, MoneyTotalsJSON>(TotalsKeysJSON(row, by: keys), MoneyTotalsJSON(row)),
            TotalsPortionsJSON(row)
        )
    }
}

extension TotalsKey {
    /// The name of the JSON member.
    package var member: String { self == .tipRecipient ? "tipRecipient" : rawValue }

    /// The keys of `GET /v1/totals`.
    package static let offered: [TotalsKey] = [
        .day, .merchant, .terminal, .brand, .tender, .clerk, .currency, .vendor,
    ]

    /// The rule for a list of keys, as the rest of a sentence.
    package static func expectation(_ known: [TotalsKey]) -> String {
        "is one to three of \(known.map(\.rawValue).joined(separator: ", ")), each once, separated by commas"
    }

    /// Reads one to three of them, each once, separated by commas.
    package static func list(_ text: String) -> [TotalsKey]? { list(text, among: offered) }

    package static func list(_ text: String, among known: [TotalsKey]) -> [TotalsKey]? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let keys = names.compactMap { name in known.first { $0.rawValue == name } }
        guard keys.count == names.count, keys.count <= 3, Set(keys).count == keys.count else { return nil }
        return keys
    }
}
