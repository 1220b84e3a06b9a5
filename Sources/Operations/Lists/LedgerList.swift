package import Canonical
package import EventLog
package import Ledger
package import Payments
package import Projections
package import Reconciliation
package import Replay
package import Tables

/// The lists of the ledger. The API reads them page by page; exports and the command line read them whole.
package enum LedgerList: Sendable {
    /// With a position: as they were then. The same holds for the other lists with `at`.
    case transactions(TransactionFilter, TransactionOrder, at: Int64? = nil)
    case batches(BatchFilter, at: Int64? = nil)
    /// The lines of one batch.
    case members(UUID128, at: Int64? = nil)
    case readers(ReaderFilter)
    case checkouts(CheckoutFilter)
    case events(EventFilter, order: EventOrder = .oldest)
    /// The events of one payment.
    case timeline(UUID128)
    case anomalies(AnomalyFilter)
    case inDoubt(DoubtQuery.Filter)
    /// The same with the status of each, and with approvals that must be reversed.
    case doubts(DoubtWorklist.Filter, DoubtQuery.Order)
    case duplicates(DuplicateQuery.Filter)
    /// Lines of money that differ between two positions. `Ledger.settled` moves the scope into the comparison.
    case changes(BatchComparison, ChangesScope = .init())
    /// The differences of a closed business day between two positions: money, then statement lines, matches and
    /// exceptions.
    case periodChanges(PeriodComparison)
    /// Always one page.
    case totals(TotalsRequest)
    /// By name.
    case merchants
    case statements(StatementFilter, at: Int64? = nil)
    /// The lines of one statement, in the order of the file.
    case statementLines(UUID128)
    /// The totals, counts and balances of one statement; with `holds`, only those that hold or do not hold.
    case controls(UUID128, holds: Bool?)
    case runs(at: Int64? = nil)
    case matches(MatchFilter, at: Int64? = nil)
    /// Ages are computed at the time; without one, at the time the position was recorded, or now.
    case exceptions(ExceptionFilter, at: Int64? = nil, time: Timestamp? = nil)
    /// Payouts and lines of banks.
    case deposits(TransferFilter, at: Int64? = nil)
    /// The lines that a payout pays, with their explanations.
    case paidLines(UUID128, at: Int64? = nil)
    /// Closed business days.
    case periods(PeriodFilter, at: Int64? = nil)
    /// Replay plans.
    case replays(ReplayFilter)
    /// The items of one plan, by number.
    case replayItems(UUID128, ReplayItemFilter)

    package var table: Table {
        switch self {
        case .transactions: .transactions
        case .batches: .batches
        case .members: .members
        case .readers: .readers
        case .checkouts: .checkouts
        case .events, .timeline: .events
        case .anomalies: .anomalies
        case .inDoubt: .inDoubt
        case .doubts: .doubts
        case .duplicates: .duplicates
        case .changes: .changes
        case .periodChanges: .periodChanges
        case .merchants: .merchants
        case .statements: .statements
        case .statementLines: .statementLines
        case .controls: .controls
        case .runs: .runs
        case .matches: .matches
        case .exceptions: .exceptions
        case .periods: .periods
        case .deposits: .deposits
        case .paidLines: .paidLines
        case .replays: .replays
        case .replayItems: .replayItems
        case .totals(let asked): .totals(by: asked.keys.map { ($0.rawValue, $0.member) })
        }
    }

    /// The position that cursors of the list must name; nil for a list of the present, and for one that gets no
    /// further items.
    package var past: Int64? {
        switch self {
        case .transactions(_, _, let position), .batches(_, let position), .matches(_, let position),
            .exceptions(_, let position, _), .statements(_, let position), .deposits(_, let position),
            .paidLines(_, let position), .periods(_, let position), .runs(let position):
            position
        default: nil
        }
    }

    /// The read model of the list; nil for the log itself.
    package var readModel: String? {
        switch self {
        case .transactions, .inDoubt, .doubts, .duplicates: "transactions"
        case .batches, .members, .changes, .totals: "batches"
        case .readers: "readers"
        case .checkouts: "checkouts"
        case .anomalies: "anomalies"
        case .merchants: "merchants"
        case .statements, .statementLines, .controls: "statements"
        case .runs, .matches, .exceptions, .periods, .deposits, .paidLines, .periodChanges: "reconciliation"
        case .replays, .replayItems: "replays"
        case .events, .timeline: nil
        }
    }
}

/// The order of events.
package enum EventOrder: String, Sendable, Hashable, CaseIterable {
    case oldest, newest
}

/// A filter of batches. Every condition that is set must hold.
package struct BatchFilter: Sendable, Hashable {
    package var status: BatchState.Status?
    package var vendor: Vendor?
    package var number: String?
    package var merchant: String?
    package var terminal: String?
    package var isOpen: Bool?

    package init() {}
}

/// A filter of readers. Every condition that is set must hold.
package struct ReaderFilter: Sendable, Hashable {
    package var vendor: Vendor?
    package var isBusy: Bool?
    package var isUpdateDue: Bool?

    package init() {}
}

/// A request for totals.
package struct TotalsRequest: Sendable, Hashable {
    package var keys: [TotalsKey]
    package var filter = TotalsFilter()
    package var days = BusinessDay.standard
    /// The request that `days` was made from.
    package var daysAsked = BusinessDayRequest()
    /// Only the lines of this batch.
    package var batch: UUID128?
    /// The log position of a past state; nil for now.
    package var position: Int64?

    package init(keys: [TotalsKey]) {
        self.keys = keys
    }
}

extension TotalsQuery {
    /// - Throws: `TotalsError`, `PostgresError`.
    package func totals(of tenant: String, _ asked: TotalsRequest) async throws -> [TotalsRow] {
        try await totals(
            of: tenant,
            by: asked.keys,
            matching: asked.filter,
            days: asked.days,
            batch: asked.batch,
            at: asked.position
        )
    }
}

/// A page of a list: its items as JSON texts, and the cursor of the next page; nil after the last one.
package struct ListPage: Sendable {
    package var items: [String]
    package var next: Cursor?

    /// The items, each read as a value.
    ///
    /// - Throws: As `JSONValueDecoder.decode`.
    package func items<Item: Decodable>(as type: Item.Type) throws -> [Item] {
        try items.map { try JSONValueDecoder().decode(type, parsing: $0) }
    }
}

extension Ledger {
    /// Up to `limit` items of a list after a cursor.
    ///
    /// - Throws: `Refusal` with `invalid-cursor`; errors of reading.
    package func page(_ list: LedgerList, of tenant: String, after cursor: Cursor?, limit: Int) async throws -> ListPage
    {
        // A cursor of another past state would skip items.
        if let cursor, cursor.asOf != list.past { throw Cursor.invalid }
        switch list {
        case .transactions(let filter, let order, let position?):
            let page = try await PastTransactions(pool: pool, reader: reader).transactions(
                of: tenant,
                matching: filter,
                sortedBy: order,
                at: position,
                after: try cursor.map { cursor throws(Refusal) in try cursor.place(in: order) },
                limit: limit
            )
            return ListPage(
                items: page.items.map(\.json),
                next: page.next.map { Cursor($0, in: order, asOf: position) }
            )
        case .batches(let filter, let position?):
            let page = try await pastBatches.batches(
                of: tenant,
                status: filter.status,
                vendor: filter.vendor,
                number: filter.number,
                merchant: filter.merchant,
                terminal: filter.terminal,
                isOpen: filter.isOpen,
                at: position,
                before: cursor?.position ?? .max,
                limit: limit
            )
            return ListPage(
                items: try page.items.map { try $0.json().text },
                next: page.next.map { Cursor(position: $0, asOf: position) }
            )
        case .transactions(let filter, let order, nil):
            let found = try await transactions.transactions(
                of: tenant,
                matching: filter,
                sortedBy: order,
                after: try cursor.map { cursor throws(Refusal) in try cursor.place(in: order) },
                limit: limit + 1
            )
            return ListPage(found, limit, json: \.json) { Cursor($0.place, in: order) }
        case .batches(let filter, nil):
            let found = try await batches.batches(
                of: tenant,
                status: filter.status,
                vendor: filter.vendor,
                number: filter.number,
                merchant: filter.merchant,
                terminal: filter.terminal,
                isOpen: filter.isOpen,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        case .members(let batch, let position):
            let last = try cursor.map { cursor throws(Refusal) in try cursor.line() }
            let found = try await batches.lines(of: batch, tenant: tenant, at: position, after: last, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(line: ($0.transaction, $0.line))
            }
        case .readers(let filter):
            let found = try await readers.readers(
                of: tenant,
                vendor: filter.vendor,
                isBusy: filter.isBusy,
                isUpdateDue: filter.isUpdateDue,
                after: try cursor.map { cursor throws(Refusal) in try cursor.reader() },
                limit: limit + 1
            )
            return try ListPage(found, limit, json: { try $0.json().text }, cursor: { Cursor($0) })
        case .checkouts(let filter):
            let last = try cursor.map { cursor throws(Refusal) in (cursor.position, try cursor.checkout()) }
            let found = try await checkouts.checkouts(of: tenant, matching: filter, after: last, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition, name: $0.id)
            }
        case .events(let filter, .oldest):
            let found = try await reader.feed(
                of: tenant,
                matching: filter,
                after: cursor?.position ?? 0,
                limit: limit + 1
            )
            return ListPage(found, limit, json: \.recordLine) { Cursor(position: $0.position) }
        case .events(var filter, .newest):
            if let cursor { filter.upTo = min(filter.upTo ?? .max, cursor.position - 1) }
            let found = try await reader.newest(of: tenant, matching: filter, limit: limit + 1)
            return ListPage(found.reversed(), limit, json: \.recordLine) { Cursor(position: $0.position) }
        case .timeline(let payment):
            let stream = StreamName.transaction(payment)
            let from = (cursor?.position ?? 0) + 1
            let found = try await reader.stream(stream, of: tenant, from: from, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.version)
            }
        case .anomalies(let filter):
            let found = try await anomalies.anomalies(
                of: tenant,
                matching: filter,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.position)
            }
        case .inDoubt(let filter):
            let found = try await doubts.payments(
                of: tenant,
                matching: filter,
                after: cursor?.position ?? 0,
                limit: limit + 1
            )
            let now = clock.now()
            return ListPage(found, limit) {
                $0.json(at: now).text
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        case .doubts(let filter, let order):
            let found = try await worklist.page(
                of: tenant,
                matching: filter,
                sortedBy: order,
                after: try cursor.map { cursor throws(Refusal) in try cursor.doubt(in: order) },
                limit: limit
            )
            let now = clock.now()
            return ListPage(
                items: try found.items.map { try $0.json(at: now).text },
                next: found.next.map { Cursor($0, in: order) }
            )
        case .duplicates(let filter):
            let before = cursor?.position ?? .max
            let found = try await suspects(of: tenant, matching: filter, before: before, limit: limit + 1)
            return try ListPage(found, limit, json: { try $0.json().text }) { Cursor(position: $0.firstPosition) }
        case .changes(let comparison, _):
            let last = try cursor.map { cursor throws(Refusal) in try cursor.line() }
            let found = try await batches.changes(of: tenant, comparison, after: last, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(line: ($0.transaction, $0.line))
            }
        case .statements(let filter, let position):
            let found = try await statements.statements(
                of: tenant,
                matching: filter,
                at: position,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition, asOf: position)
            }
        case .statementLines(let statement):
            let after = cursor?.position ?? 0
            let found = try await statements.lines(of: statement, tenant: tenant, after: after, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.number)
            }
        case .controls(let statement, let holds):
            let found = try await statements.controls(
                of: statement,
                tenant: tenant,
                holds: holds,
                after: try cursor.map { cursor throws(Refusal) in try cursor.control() },
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.place.position, name: String($0.place.place))
            }
        case .runs, .matches, .exceptions, .periods, .deposits, .paidLines, .periodChanges:
            return try await reconciliationPage(list, of: tenant, after: cursor, limit: limit)
        case .replays(let filter):
            let before = cursor?.position ?? .max
            let found = try await replays.plans(of: tenant, matching: filter, before: before, limit: limit + 1)
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        case .replayItems(let plan, let filter):
            let found = try await replays.items(
                of: plan,
                tenant: tenant,
                matching: filter,
                after: cursor?.position ?? 0,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.number)
            }
        case .merchants:
            let found = try await merchants.merchants(of: tenant, after: cursor?.name, limit: limit + 1)
            return try ListPage(
                found,
                limit,
                json: { try $0.json().text },
                cursor: { Cursor(position: $0.position, name: $0.merchant) }
            )
        case .totals(let asked):
            let rows = try await totals.totals(of: tenant, asked)
            return ListPage(items: try rows.map { try $0.json(asked.keys).text }, next: nil)
        }
    }
}

extension Ledger {
    /// The list with its business days: the requested ones, or else the merchant's.
    ///
    /// - Throws: Errors of reading.
    package func settled(_ list: LedgerList, of tenant: String) async throws -> LedgerList {
        switch list {
        case .totals(var asked):
            let merchant = asked.filter.merchant
            asked.days = try await days(asked.daysAsked, merchant: merchant, of: tenant, at: asked.position)
            return .totals(asked)
        case .changes(let comparison, let scope):
            return .changes(try await narrowed(comparison, to: scope, of: tenant).comparison, scope)
        default: return list
        }
    }
}

extension ListPage {
    package init<Item>(
        _ found: [Item],
        _ limit: Int,
        json: (Item) throws -> String,
        cursor: (Item) -> Cursor
    ) rethrows {
        let shown = found.prefix(limit)
        items = try shown.map(json)
        next = found.count > limit ? shown.last.map(cursor) : nil
    }
}
