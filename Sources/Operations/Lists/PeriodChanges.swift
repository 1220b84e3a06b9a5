import Access
package import Canonical
import EventLog
package import Ledger
import Matching
import Payments
package import Projections
package import Reconciliation
import Tables

/// A page of the changes of a business day since it was closed.
package struct PeriodChangesPage: Sendable {
    package var comparison: PeriodComparison
    package var days: BusinessDay
    package var items: [JSONValue]
    package var next: PeriodChangesCursor?

    package var json: JSONObject {
        var object: JSONObject = [
            "fromPosition": .number(.init(comparison.money.from)), "toPosition": .number(.init(comparison.money.to)),
            "day": .string(comparison.day), "zone": .string(days.zone.name), "cutoff": .string(days.cutoff),
            "items": .array(items),
        ]
        object.set("next", next?.text)
        return object
    }

    /// The changes, each read as a value.
    ///
    /// - Throws: As `JSONValueDecoder.decode`.
    package func changes() throws -> [PeriodChangeJSON] {
        try items.map { try JSONValueDecoder().decode(PeriodChangeJSON.self, from: $0) }
    }
}

/// The place from which a list of such changes continues. All pages compare the same positions.
package struct PeriodChangesCursor: Sendable, Hashable {
    package var from: Int64
    package var to: Int64
    package var last: Cursor

    /// - Throws: `invalid-cursor`.
    package init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "~", maxSplits: 1)
        let positions = parts.first?.split(separator: "-").compactMap { Int64($0) } ?? []
        guard parts.count == 2, positions.count == 2, positions[0] <= positions[1] else { throw Cursor.invalid }
        self.init(from: positions[0], to: positions[1], last: try Cursor(String(parts[1])))
    }

    package init(from: Int64, to: Int64, last: Cursor) {
        self.from = from
        self.to = to
        self.last = last
    }

    package var text: String { "\(from)-\(to)~\(last.text)" }
}

extension Ledger {
    /// The read models that changes of a day are read from.
    package static let periodModels = ["batches", "reconciliation", "statements", "transactions"]

    /// The first page of the changes of a day since it was closed; nil if it was never closed.
    package func changes(ofPeriod id: UUID128, of tenant: String, limit: Int) async throws -> PeriodChangesPage? {
        guard let found = try await reconciliationQuery.period(id, of: tenant) else { return nil }
        let (comparison, days) = try await comparison(of: found, to: try await reader.head(), tenant: tenant)
        return try await changesPage(of: tenant, comparison, days, after: nil, limit: limit)
    }

    /// - Parameter from: The earlier position; by default that of the closing.
    package func comparison(
        of period: PeriodView,
        from: Int64? = nil,
        to: Int64,
        tenant: String
    ) async throws -> (comparison: PeriodComparison, days: BusinessDay) {
        let closing = try JSONValueDecoder().decode(PeriodClosing.self, from: JSONValue(parsing: period.reported.utf8))
        let compared = BatchComparison(from: min(from ?? closing.position, to), to: to)
        let (money, days) = try await narrowed(compared, to: ChangesScope(closing), of: tenant)
        return (PeriodComparison(money: money, merchant: closing.merchant, day: closing.day), days)
    }

    package func changesPage(
        of tenant: String,
        _ comparison: PeriodComparison,
        _ days: BusinessDay,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> PeriodChangesPage {
        let found = try await periodChanges(of: tenant, comparison, after: cursor, limit: limit)
        return PeriodChangesPage(
            comparison: comparison,
            days: days,
            items: try found.items.map { try JSONValue(parsing: $0.utf8) },
            next: found.next.map {
                PeriodChangesCursor(from: comparison.money.from, to: comparison.money.to, last: $0)
            }
        )
    }

    /// A page of changes: all of money first, then the others.
    package func periodChanges(
        of tenant: String,
        _ comparison: PeriodComparison,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> ListPage {
        var page = ListPage(items: [], next: nil)
        if cursor?.position ?? 0 == 0 {
            let last = try cursor.map { cursor throws(Refusal) in try cursor.line() }
            let found = try await batches.changes(of: tenant, comparison.money, after: last, limit: limit + 1)
            page = try ListPage(found, limit) {
                Self.item("money", try $0.json()).text
            } cursor: {
                Cursor(line: ($0.transaction, $0.line))
            }
            if page.next != nil { return page }
        }
        let rest = limit - page.items.count
        let place = try cursor.flatMap { cursor throws(Refusal) in try cursor.periodChange() }
        let found = try await reconciliationQuery.changes(of: tenant, comparison, after: place, limit: rest + 1)
        page.items += try found.prefix(rest).map { change in
            Self.item(change.place.kind.rawValue, try JSONValue(parsing: change.reported.utf8)).text
        }
        if found.count > rest { page.next = Cursor(found.prefix(rest).last?.place ?? place) }
        return page
    }

    private static func item(_ kind: String, _ json: JSONValue) -> JSONValue {
        var object: JSONObject = ["kind": .string(kind)]
        for member in json.object?.members ?? [] { object[member.key] = member.value }
        return .object(object)
    }
}

extension Cursor {
    /// - Parameter place: Nil for the first change that is not money.
    package init(_ place: PeriodChangePlace?) {
        self.init(position: 1, name: place.map { "\($0.kind.rawValue)~\($0.key)" } ?? "")
    }

    package func periodChange() throws(Refusal) -> PeriodChangePlace? {
        guard position == 1, let name, !name.isEmpty else { return nil }
        let parts = name.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let kind = PeriodChange.Kind(rawValue: String(parts[0])) else { throw Cursor.invalid }
        return PeriodChangePlace(kind: kind, key: String(parts[1]))
    }
}
