package import Canonical
import Composition
import Matching
import Projections
import Reconciliation
import Tables

extension Lists {
    package static let periodChanges = ListDefinition<PeriodChangesFilter, PeriodChangeJSON>(
        name: "period-changes",
        summary: "Differences of a closed business day since its closing: money, then lines, matches and exceptions.",
        paths: ["periods/{period}/changes"],
        readModels: ["batches", "reconciliation", "statements", "transactions", "merchants"],
        filter: PeriodChangesFilter.init,
        columns: { _ in periodChangeColumns },
        shown: "kind,change,transaction,line,before_amount_decimal,after_amount_decimal,currency",
        settle: { query, ledger in
            guard let period = try await ledger.reconciliation.query.period(query.filter.period, of: query.tenant)
            else {
                throw Refusal.notFound
            }
            let closing = try JSONValueDecoder().decode(PeriodClosing.self, parsing: period.reported)
            let span = try await query.filter.positions
                .span(from: closing.position, cursor: query.cursor, in: ledger)
            let compared = BatchComparison(from: span.from, to: span.to)
            let scope = ChangesScope(closing)
            let (money, days) = try await ledger.narrowed(compared, to: scope, of: query.tenant)
            query.filter.days = days
            query.filter.comparison = PeriodComparison(money: money, merchant: closing.merchant, day: closing.day)
            query.position = span.to
        },
        members: { query, _ in
            guard let comparison = query.filter.comparison else { return [:] }
            return try JSONObject(members: ComparedDayJSON(comparison, query.filter.days))
        },
        page: { query, ledger in
            guard let comparison = query.filter.comparison else { throw Refusal.internal }
            return try await periodChanges(comparison, query, ledger)
        }
    )

    /// A page of changes: all of money first, then the others.
    private static func periodChanges(
        _ comparison: PeriodComparison,
        _ query: ListQuery<PeriodChangesFilter>,
        _ ledger: Ledger
    ) async throws -> Page<PeriodChangeJSON> {
        let from = comparison.money.from
        var page = Page<PeriodChangeJSON>(items: [], next: nil)
        let place = try query.place { cursor throws(Refusal) in try cursor.periodChange() }
        var after: PeriodChangePlace?
        switch place {
        case .other(let place): after = place
        case .money, nil:
            let last: (transaction: UUID128, line: String)? = if case .money(let last)? = place { last } else { nil }
            let found = try await ledger.payments.batches.changes(
                of: query.tenant,
                comparison.money,
                after: last,
                limit: query.limit + 1
            )
            page = Page(found, query.limit) {
                PeriodChangeJSON(ChangeJSON($0))
            } cursor: {
                Cursor(position: from, name: "\(moneyKind)~\($0.transaction)~\($0.line)")
            }
            if page.next != nil { return page }
        }
        let rest = query.limit - page.items.count
        let found = try await ledger.reconciliation.query.changes(
            of: query.tenant,
            comparison,
            after: after,
            limit: rest + 1
        )
        page.items += try found.prefix(rest).map { try PeriodChangeJSON($0) }
        if found.count > rest {
            let last = found.prefix(rest).last?.place ?? after
            page.next = Cursor(position: from, name: last.map { "\($0.kind.rawValue)~\($0.key)" } ?? "")
        }
        return page
    }

    fileprivate static let moneyKind = PeriodChangeJSON.Kind.money.rawValue

    private static let periodChangeColumns =
        [
            Column("kind", "kind"), Column("change", "change"), Column("transaction", "transaction"),
            Column("line", "line"), Column("movement", "movement"), Column("statement_line", "statementLine"),
            Column("type", "type"), Column("exception", "exception"), Column("class", "class"),
            Column("currency", as: .currency([["after", "amount"], ["before", "amount"]])),
            Column("before_status", "before", "status"), Column("before_rule", "before", "rule"),
        ] + Column.money("before_amount", "before", "amount") + Column.money("before_voided", "before", "voided") + [
            Column("after_status", "after", "status"), Column("after_rule", "after", "rule"),
        ] + Column.money("after_amount", "after", "amount") + Column.money("after_voided", "after", "voided")
}

/// The changes of a closed business day that a caller wants.
package struct PeriodChangesFilter: Sendable {
    package var period: UUID128
    package var positions: ComparedPositions
    /// Computed when the list is opened.
    var comparison: PeriodComparison?
    var days = BusinessDay.standard

    package init(period: UUID128, positions: ComparedPositions = .init()) {
        self.period = period
        self.positions = positions
    }

    /// Reads `period`, `from_position` and `to_position`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        period = try query.requiredID("period")
        positions = try ComparedPositions(&query)
    }
}

/// The place from which changes of a day continue.
private enum PeriodPlace {
    case money((transaction: UUID128, line: String))
    /// Nil for the first change that is not money.
    case other(PeriodChangePlace?)
}

extension Cursor {
    fileprivate func periodChange() throws(Refusal) -> PeriodPlace {
        guard let name else { throw Self.invalid }
        if name.isEmpty { return .other(nil) }
        let parts = name.split(separator: "~", maxSplits: 1)
        guard parts.count == 2 else { throw Self.invalid }
        if parts[0] == Lists.moneyKind { return .money(try Cursor(position: 0, name: String(parts[1])).line()) }
        guard let kind = PeriodChange.Kind(rawValue: String(parts[0])) else { throw Self.invalid }
        return .other(PeriodChangePlace(kind: kind, key: String(parts[1])))
    }
}
