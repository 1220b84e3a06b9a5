package import Canonical
package import EventLog
package import Ledger
package import Payments
package import Projections
package import Replay
package import Tables

/// The lists of the ledger, as they are asked for page by page over HTTP, and as a whole by exports and the command line.
package enum LedgerList: Sendable {
    /// As they were at a position, where one is given; so are batches.
    case transactions(TransactionFilter, TransactionOrder, at: Int64? = nil)
    case batches(BatchFilter, at: Int64? = nil)
    /// The lines of one batch; as they were at a position, where one is given.
    case members(UUID128, at: Int64? = nil)
    case readers(ReaderFilter)
    case checkouts(CheckoutFilter)
    case events(EventFilter, order: EventOrder = .oldest)
    /// The events of one payment.
    case timeline(UUID128)
    case anomalies(AnomalyFilter)
    case inDoubt(DoubtQuery.Filter)
    /// The same with how each stands, and with what has to be taken back.
    case doubts(DoubtWorklist.Filter, DoubtQuery.Order)
    case duplicates(DuplicateQuery.Filter)
    /// Lines of money that differ between two positions; the scope is in the comparison once it is settled.
    case changes(BatchComparison, ChangesScope = .init())
    /// What of a closed business day differs between two positions: money first, then lines of statements, matches and
    /// exceptions.
    case periodChanges(PeriodComparison)
    /// One page, however many there are.
    case totals(TotalsRequest)
    /// By name.
    case merchants
    /// As they were at a position, where one is given.
    case statements(StatementFilter, at: Int64? = nil)
    /// The lines of one statement, in the order of the file.
    case statementLines(UUID128)
    /// The totals, counts and balances of one statement; only those that hold, or that do not, where that is said.
    case controls(UUID128, holds: Bool?)
    /// As they stood at a position, where one is given.
    case runs(at: Int64? = nil)
    /// As they held at a position, where one is given.
    case matches(MatchFilter, at: Int64? = nil)
    /// Ages are counted to the time, where one is given; else to when the position was recorded, or to now.
    case exceptions(ExceptionFilter, at: Int64? = nil, time: Timestamp? = nil)
    /// Payouts, and lines of banks; as they were at a position, where one is given.
    case deposits(TransferFilter, at: Int64? = nil)
    /// The lines that a payout pays, and what explained them at a position, where one is given.
    case paidLines(UUID128, at: Int64? = nil)
    /// Closed business days; as they were at a position, where one is given.
    case periods(PeriodFilter, at: Int64? = nil)
    /// Plans of what is asked of gateways again.
    case replays(ReplayFilter)
    /// The items of one of them, by number.
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

    /// The position that cursors of the list must be of; nil for a list of now, and for one whose items never come later.
    package var past: Int64? {
        switch self {
        case .transactions(_, _, let position), .batches(_, let position), .matches(_, let position),
            .exceptions(_, let position, _), .statements(_, let position), .deposits(_, let position),
            .paidLines(_, let position), .periods(_, let position), .runs(let position):
            position
        default: nil
        }
    }

    /// The read model it is read from; nil for the log itself.
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

/// Which events come first.
package enum EventOrder: String, Sendable, Hashable, CaseIterable {
    case oldest, newest
}

/// Which batches are wanted. Everything set must hold.
package struct BatchFilter: Sendable, Hashable {
    package var status: BatchState.Status?
    package var vendor: Vendor?
    package var number: String?
    package var merchant: String?
    package var terminal: String?
    package var isOpen: Bool?

    package init() {}
}

/// Which readers are wanted. Everything set must hold.
package struct ReaderFilter: Sendable, Hashable {
    package var vendor: Vendor?
    package var isBusy: Bool?
    package var isUpdateDue: Bool?

    package init() {}
}

/// Which totals are wanted.
package struct TotalsRequest: Sendable, Hashable {
    package var keys: [TotalsKey]
    package var filter = TotalsFilter()
    package var days = BusinessDay.standard
    /// What `days` was made from.
    package var daysAsked = BusinessDayRequest()
    /// Only what is in this batch.
    package var batch: UUID128?
    /// As the lines were when everything up to there was in; nil for now.
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

/// A page of a list: its items as JSON texts, and where the next one begins; nil behind the last.
package struct ListPage: Sendable {
    package var items: [String]
    package var next: Cursor?
}

extension Ledger {
    /// Up to `limit` items of a list, from where a page before ended.
    ///
    /// - Throws: `Refusal` with `invalid-cursor`, or what reading throws.
    package func page(_ list: LedgerList, of tenant: String, after cursor: Cursor?, limit: Int) async throws -> ListPage
    {
        // Whoever goes on with a list of another time would leave something out.
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
            return ListPage(found, limit) {
                $0.json.text
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
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor($0)
            }
        case .checkouts(let filter):
            let last = try cursor.map { cursor throws(Refusal) in (cursor.position, try cursor.checkout()) }
            let found = try await checkouts.checkouts(of: tenant, matching: filter, after: last, limit: limit + 1)
            return ListPage(found, limit) {
                $0.json.text
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
            return ListPage(found, limit) {
                $0.json.text
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
                items: found.items.map { JSONValue.object($0.json(at: now)).text },
                next: found.next.map { Cursor($0, in: order) }
            )
        case .duplicates(let filter):
            let before = cursor?.position ?? .max
            let found = try await suspects(of: tenant, matching: filter, before: before, limit: limit + 1)
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        case .changes(let comparison, _):
            let last = try cursor.map { cursor throws(Refusal) in try cursor.line() }
            let found = try await batches.changes(of: tenant, comparison, after: last, limit: limit + 1)
            return ListPage(found, limit) {
                $0.json.text
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
            return ListPage(found, limit) {
                $0.json.text
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
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor(position: $0.position, name: $0.merchant)
            }
        case .totals(let asked):
            let rows = try await totals.totals(of: tenant, asked)
            return ListPage(items: rows.map { $0.json(asked.keys).text }, next: nil)
        }
    }
}

extension Ledger {
    /// The list with the business days that are meant: the merchant's own where nothing else is said.
    ///
    /// - Throws: What reading throws.
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
