import Canonical
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

/// A row of totals. A key that was not requested, or that the lines do not have, is absent.
package struct TotalsRowJSON: Codable, Sendable, Hashable {
    package var day: String?
    package var merchant: String?
    package var terminal: String?
    package var brand: String?
    package var tender: String?
    package var clerk: String?
    package var vendor: String?
    package var type: String?
    package var tipRecipient: String?
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

    /// - Parameter keys: The keys of the rows.
    package init(_ row: TotalsRow, by keys: [TotalsKey]) {
        func value(_ key: TotalsKey) -> String? { keys.firstIndex(of: key).flatMap { row.keys[$0] } }
        func money(_ minor: Int64) -> Money { Money(minor, row.currency) }
        day = value(.day)
        merchant = value(.merchant)
        terminal = value(.terminal)
        brand = value(.brand)
        tender = value(.tender)
        clerk = value(.clerk)
        vendor = value(.vendor)
        type = value(.type)
        tipRecipient = value(.tipRecipient)
        currency = row.currency
        capturedCount = row.capturedCount
        captured = money(row.captured)
        tip = money(row.tips)
        refundedCount = row.refundedCount
        refunded = money(row.refunded)
        creditedCount = row.creditedCount
        credited = money(row.credited)
        voidedCount = row.voidedCount
        voided = money(row.voided)
        net = money(row.net)
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
