package import Canonical
package import EventLog
import HTTPEdge
package import Ledger
package import Payments
package import Projections
package import Tables

/// The lists of the ledger, as they are asked for page by page over HTTP, and as a whole by exports and the command line.
package enum LedgerList: Sendable {
    case transactions(TransactionFilter)
    case batches(BatchFilter)
    /// The lines of one batch; as they were at a position, where one is given.
    case members(UUID128, at: Int64? = nil)
    case readers(ReaderFilter)
    case events(EventFilter)

    package var table: Table {
        switch self {
        case .transactions: .transactions
        case .batches: .batches
        case .members: .members
        case .readers: .readers
        case .events: .events
        }
    }

    /// The read model it is read from; nil for the log itself.
    package var readModel: String? {
        switch self {
        case .transactions: "transactions"
        case .batches, .members: "batches"
        case .readers: "readers"
        case .events: nil
        }
    }
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

/// A page of a list: its items as JSON texts, and where the next one begins; nil behind the last.
package struct ListPage: Sendable {
    package var items: [String]
    package var next: Cursor?
}

extension Ledger {
    /// Up to `limit` items of a list, from where a page before ended.
    ///
    /// - Throws: `Problem` with `invalid-cursor`, or what reading throws.
    package func page(_ list: LedgerList, of tenant: String, after cursor: Cursor?, limit: Int) async throws -> ListPage
    {
        switch list {
        case .transactions(let filter):
            let found = try await transactions.transactions(
                of: tenant,
                matching: filter,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return ListPage(found, limit, json: \.json) { Cursor(position: $0.firstPosition) }
        case .batches(let filter):
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
            let last = try cursor.map { cursor throws(Problem) in try cursor.line() }
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
                after: try cursor.map { cursor throws(Problem) in try cursor.reader() },
                limit: limit + 1
            )
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor($0)
            }
        case .events(let filter):
            let found = try await reader.feed(
                of: tenant,
                matching: filter,
                after: cursor?.position ?? 0,
                limit: limit + 1
            )
            return ListPage(found, limit, json: \.recordLine) { Cursor(position: $0.position) }
        }
    }
}

extension ListPage {
    fileprivate init<Item>(
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
