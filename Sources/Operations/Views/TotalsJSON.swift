package import Canonical
import Payments
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

    package var json: JSONValue {
        var object: JSONObject = [
            "by": .array(keys.map { .string($0.rawValue) }),
            "zone": .string(days.zone.name),
            "cutoff": .string(days.cutoff),
        ]
        if let position { object["asOfPosition"] = .number(.init(position)) }
        object["items"] = .array(rows.map { $0.json(keys) })
        return .object(object)
    }
}

extension TotalsRow {
    /// - Parameter keys: The keys of the rows.
    package func json(_ keys: [TotalsKey]) -> JSONValue {
        var object: JSONObject = [:]
        for (key, value) in zip(keys, self.keys) where key != .currency { object.set(key.member, value) }
        object["currency"] = .string(currency.alpha)
        object["capturedCount"] = .number(.init(capturedCount))
        object["captured"] = Money(captured, currency).json
        object["tip"] = Money(tips, currency).json
        object["refundedCount"] = .number(.init(refundedCount))
        object["refunded"] = Money(refunded, currency).json
        object["creditedCount"] = .number(.init(creditedCount))
        object["credited"] = Money(credited, currency).json
        object["voidedCount"] = .number(.init(voidedCount))
        object["voided"] = Money(voided, currency).json
        object["net"] = Money(net, currency).json
        return .object(object)
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
