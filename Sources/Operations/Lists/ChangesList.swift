package import Canonical
import Composition
import EventLog
import Matching
import Payments
import Projections
import Tables

extension Lists {
    package static let changes = ListDefinition<ChangesFilter, ChangeJSON>(
        name: "changes",
        summary: "Lines of money that differ between two positions, by transaction and line.",
        paths: ["totals/changes", "batches/{batch}/changes"],
        readModels: ["batches", "merchants"],
        filter: ChangesFilter.init,
        columns: { _ in changeColumns },
        shown: "transaction,line,change,before_amount_decimal,after_amount_decimal,currency",
        settle: { query, ledger in
            var first: Int64?
            if let id = query.filter.batch {
                guard let batch = try await ledger.payments.batches.batch(id, of: query.tenant) else {
                    throw Refusal.notFound
                }
                first = try await ledger.payments.closingPosition(of: batch, tenant: query.tenant)
            }
            let span = try await query.filter.positions.span(from: first ?? 0, cursor: query.cursor, in: ledger)
            var comparison = BatchComparison(from: span.from, to: span.to)
            comparison.batch = query.filter.batch
            let scope = query.filter.scope
            (query.filter.comparison, query.filter.days) = try await ledger.narrowed(
                comparison,
                to: scope,
                of: query.tenant
            )
            query.position = span.to
        },
        members: { query, _ in
            var head = query.filter.comparison.head
            if let day = query.filter.scope.day { head.set(day: day, query.filter.days) }
            return head
        },
        page: { query, ledger in
            let comparison = query.filter.comparison
            let found = try await ledger.payments.batches.changes(
                of: query.tenant,
                comparison,
                after: try query.place { cursor throws(Refusal) in try cursor.line() },
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                ChangeJSON($0)
            } cursor: {
                Cursor(position: comparison.from, name: Cursor(line: ($0.transaction, $0.line)).name)
            }
        }
    )

    private static let changeColumns: [Column] = {
        func side(_ name: String) -> [Column] {
            Column.money("\(name)_amount", name, "amount") + Column.money("\(name)_tip", name, "tip")
                + Column.money("\(name)_voided", name, "voided")
        }
        return [
            Column("transaction", "transaction"), Column("line", "line"), Column("change", "change"),
            Column("currency", as: .currency([["after", "amount"], ["before", "amount"]])),
        ] + side("before") + side("after")
    }()
}

/// The changes that a caller wants.
package struct ChangesFilter: Sendable {
    package var batch: UUID128?
    package var scope: ChangesScope
    package var positions: ComparedPositions
    /// Computed from the others when the list is opened.
    var comparison = BatchComparison(from: 0, to: 0)
    var days = BusinessDay.standard

    package init(batch: UUID128? = nil, scope: ChangesScope = .init(), positions: ComparedPositions = .init()) {
        self.batch = batch
        self.scope = scope
        self.positions = positions
    }

    /// Reads `batch`, `merchant`, `day`, `zone`, `cutoff`, `from_position` and `to_position`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        batch = try query.id("batch", of: "a batch")
        scope = try ChangesScope(&query)
        positions = try ComparedPositions(&query)
    }
}

/// The two positions of the log that are compared.
package struct ComparedPositions: Sendable, Hashable {
    package var from: Int64?
    package var to: Int64?

    package init(from: Int64? = nil, to: Int64? = nil) {
        self.from = from
        self.to = to
    }

    /// Reads `from_position` and `to_position`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        from = try query.integer("from_position", in: 0...Int64.max)
        to = try query.integer("to_position", in: 0...Int64.max)
        if let from, let to, from > to { throw ParameterReader.invalid("to_position", "is not before from_position") }
    }

    /// The positions of the cursor, so that all pages compare the same ones, else the wanted ones. The later is at most
    /// the end of the log.
    ///
    /// - Parameter first: The earlier position, unless another is wanted.
    func span(from first: Int64, cursor: Cursor?, in ledger: Ledger) async throws -> (from: Int64, to: Int64) {
        let head = try await ledger.reader.head()
        guard let cursor else {
            let end = min(to ?? head, head)
            return (min(from ?? first, end), end)
        }
        guard let end = cursor.asOf, end <= head, cursor.position <= end else { throw Cursor.invalid }
        return (cursor.position, end)
    }
}

/// The part of the changed lines: those of one business day, of one merchant, or of both.
package struct ChangesScope: Sendable, Hashable {
    package var merchant: String?
    /// As `2026-03-01`.
    package var day: String?
    package var days: BusinessDayRequest

    package init(merchant: String? = nil, day: String? = nil, days: BusinessDayRequest = .init()) {
        self.merchant = merchant
        self.day = day
        self.days = days
    }

    /// The day of a closing, by its zone and cut-off.
    init(_ closing: PeriodClosing) {
        let days = BusinessDayRequest(zone: Zone(closing.zone), cutoffMinutes: BusinessDay.minutes(closing.cutoff[...]))
        self.init(merchant: closing.merchant, day: closing.day, days: days)
    }

    /// Reads `merchant`, `day`, `zone` and `cutoff`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        merchant = try query.text("merchant")
        days = try BusinessDayRequest(&query)
        // A day is valid in every zone or in none.
        day = try query.value("day", expected: "is a day, as 2026-03-01") {
            BusinessDay.standard.interval(of: $0) == nil ? nil : $0
        }
    }
}

extension Ledger {
    /// A comparison within a scope, and the business days of the scope. A merchant's days are those described at the
    /// later position, so that each further page is of the same day.
    ///
    /// - Throws: Errors of reading.
    func narrowed(
        _ comparison: BatchComparison,
        to scope: ChangesScope,
        of tenant: String
    ) async throws -> (comparison: BatchComparison, days: BusinessDay) {
        var narrowed = comparison
        narrowed.merchant = scope.merchant
        let days = try await days(scope.days, merchant: scope.merchant, of: tenant, at: comparison.to)
        let interval = scope.day.flatMap(days.interval)
        narrowed.occurredFrom = interval?.start
        narrowed.occurredBefore = interval?.end
        narrowed.zone = days.zone
        return (narrowed, days)
    }
}

extension BatchComparison {
    /// The members of a document about the compared positions.
    var head: JSONObject { ["fromPosition": .number(.init(from)), "toPosition": .number(.init(to))] }
}

extension JSONObject {
    /// Sets the members about a business day.
    mutating func set(day: String, _ days: BusinessDay) {
        self["day"] = .string(day)
        self["zone"] = .string(days.zone.name)
        self["cutoff"] = .string(days.cutoff)
    }
}
