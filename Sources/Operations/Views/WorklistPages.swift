package import Canonical
package import Ledger
import Payments
package import Projections

/// A page of payments in doubt, with the value at risk of all that match.
package struct InDoubtPage: Sendable {
    package var items: [PaymentInDoubt]
    package var totals: [ValueAtRisk]
    package var next: Cursor?
    /// The time at which ages are computed.
    package var now: Timestamp

    package var json: JSONObject {
        var object: JSONObject = [
            "totals": .array(totals.map(\.json)), "items": .array(items.map { $0.json(at: now) }),
        ]
        object.set("next", next?.text)
        return object
    }
}

/// A page of payments that may have been charged twice.
package struct DuplicatePage: Sendable {
    package var items: [SuspectedDuplicate]
    package var next: Cursor?

    package func json() throws -> JSONObject {
        var object: JSONObject = ["items": .array(try items.map { try $0.json() })]
        object.set("next", next?.text)
        return object
    }
}

/// A page of anomalies.
package struct AnomalyPage: Sendable {
    package var items: [AnomalyView]
    package var next: Cursor?

    package func json() throws -> JSONObject {
        var object: JSONObject = ["items": .array(try items.map { try $0.json() })]
        object.set("next", next?.text)
        return object
    }
}

/// A page of the changes between two positions.
package struct ChangesPage: Sendable {
    /// A business day with its zone and cut-off.
    package struct Day: Sendable {
        package var name: String
        package var days: BusinessDay

        package init(name: String, days: BusinessDay) {
            self.name = name
            self.days = days
        }
    }

    package var comparison: BatchComparison
    package var items: [BatchChange]
    package var hasMore: Bool
    /// The day, if the changes are of a single one.
    package var day: Day?

    package var next: ChangesCursor? {
        guard hasMore, let last = items.last else { return nil }
        return ChangesCursor(from: comparison.from, to: comparison.to, last: (last.transaction, last.line))
    }

}

/// The place from which a list of changes continues. All pages compare the same positions.
package struct ChangesCursor: Sendable {
    package var from: Int64
    package var to: Int64
    package var last: (transaction: UUID128, line: String)

    package init(from: Int64, to: Int64, last: (transaction: UUID128, line: String)) {
        self.from = from
        self.to = to
        self.last = last
    }

    /// Nil for an invalid text.
    package init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 1)
        let positions = parts.first?.split(separator: "-").map { Int64($0) } ?? []
        guard parts.count == 2, positions.count == 2, let from = positions[0], let to = positions[1], from <= to
        else { return nil }
        let line = parts[1].split(separator: "~", maxSplits: 1)
        guard line.count == 2, let id = UUID128(String(line[0])) else { return nil }
        self.init(from: from, to: to, last: (id, String(line[1])))
    }

    package var text: String { "\(from)-\(to)~\(last.transaction)~\(last.line)" }
}

extension Ledger {
    /// - Throws: `TotalsError.overflow`; errors of reading.
    package func inDoubtPage(
        of tenant: String,
        matching filter: DoubtQuery.Filter,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> InDoubtPage {
        let position = cursor?.position ?? 0
        let found = try await doubts.payments(of: tenant, matching: filter, after: position, limit: limit + 1)
        let totals = try await doubts.risk(of: tenant, matching: filter)
        let items = Array(found.prefix(limit))
        let next = found.count > limit ? items.last.map { Cursor(position: $0.firstPosition) } : nil
        return InDoubtPage(items: items, totals: totals, next: next, now: clock.now())
    }

    /// - Throws: Errors of reading.
    package func duplicatePage(
        of tenant: String,
        matching filter: DuplicateQuery.Filter,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> DuplicatePage {
        let position = cursor?.position ?? .max
        let found = try await suspects(of: tenant, matching: filter, before: position, limit: limit + 1)
        let items = Array(found.prefix(limit))
        let next = found.count > limit ? items.last.map { Cursor(position: $0.firstPosition) } : nil
        return DuplicatePage(items: items, next: next)
    }

    /// - Throws: Errors of reading.
    package func anomalyPage(
        of tenant: String,
        matching filter: AnomalyFilter,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> AnomalyPage {
        let position = cursor?.position ?? .max
        let found = try await anomalies.anomalies(of: tenant, matching: filter, before: position, limit: limit + 1)
        let items = Array(found.prefix(limit))
        let next = found.count > limit ? items.last.map { Cursor(position: $0.position) } : nil
        return AnomalyPage(items: items, next: next)
    }

    /// - Throws: Errors of reading.
    package func changesPage(
        of tenant: String,
        _ comparison: BatchComparison,
        after last: (transaction: UUID128, line: String)?,
        limit: Int
    ) async throws -> ChangesPage {
        let found = try await batches.changes(of: tenant, comparison, after: last, limit: limit + 1)
        return ChangesPage(comparison: comparison, items: Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    /// A business day of a tenant or of one merchant; nil for an invalid day.
    ///
    /// - Throws: `TotalsError.overflow`; errors of reading.
    package func day(
        _ day: String,
        of tenant: String,
        _ days: BusinessDay,
        merchant: String? = nil
    ) async throws -> DayAnswer? {
        guard let span = days.interval(of: day) else { return nil }
        let summary = try await dayQuery.summary(of: tenant, from: span.start, to: span.end, merchant: merchant)
        return DayAnswer(
            day: day,
            days: days,
            start: span.start,
            end: span.end,
            merchant: merchant,
            summary: summary
        )
    }
}

extension DoubtQuery.Filter {
    /// Reads `vendor`, `merchant` and `terminal`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
    }
}

extension DuplicateQuery.Filter {
    /// Reads `window`, `vendor`, `merchant`, `terminal`, `from` and `to`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        windowSeconds = try query.integer("window", in: 1...604_800) ?? windowSeconds
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
    }
}
