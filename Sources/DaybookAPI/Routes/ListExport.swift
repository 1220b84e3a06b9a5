import Canonical
import EventLog
package import HTTPEdge
import HTTPTypes
package import Ledger
import Payments
import Projections
import Replay
package import Tables

/// In which form a whole list is written.
package enum ListForm: Sendable {
    /// One JSON document a line.
    case lines
    case csv(CSVDialect, Table)
}

/// A whole list, written page after page, so that it takes no more memory than two of them. Stable: what comes in
/// meanwhile neither repeats an item nor leaves one out.
package struct ListExport: Sendable {
    /// The most items that are held at once.
    static let pageLimit = 1000

    private let ledger: Ledger
    private let list: LedgerList
    private let tenant: String
    private let form: ListForm
    private let limit: Int?
    private let first: ListPage

    /// Reads the first page, so that what is wrong shows before anything is written.
    ///
    /// - Parameter limit: How many items at most; nil for all.
    /// - Throws: What `Ledger.page` throws.
    package init(
        _ list: LedgerList,
        of tenant: String,
        in ledger: Ledger,
        as form: ListForm,
        after cursor: Cursor? = nil,
        limit: Int? = nil
    ) async throws {
        self.list = list
        self.tenant = tenant
        self.ledger = ledger
        self.form = form
        self.limit = limit
        let size = min(limit ?? Self.pageLimit, Self.pageLimit)
        first = try await ledger.page(list, of: tenant, after: cursor, limit: size)
    }

    /// Writes everything: a page while the next one is read.
    ///
    /// - Returns: How many items there were, and where the rest begins that the limit did not allow.
    @discardableResult
    package func run(_ write: ([UInt8]) async throws -> Void) async throws -> (items: Int, next: Cursor?) {
        try await write(beginning)
        var page = first
        var count = page.items.count
        while let next = page.next {
            let rest = limit.map { $0 - count } ?? Self.pageLimit
            guard rest > 0 else {
                try await write(bytes(page.items))
                return (count, next)
            }
            async let following = ledger.page(list, of: tenant, after: next, limit: min(rest, Self.pageLimit))
            try await write(bytes(page.items))
            page = try await following
            count += page.items.count
        }
        try await write(bytes(page.items))
        return (count, nil)
    }

    private var beginning: [UInt8] {
        switch form {
        case .lines: []
        case .csv(let dialect, let table): dialect.beginning + dialect.line(table.head)
        }
    }

    private func bytes(_ items: [String]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        switch form {
        case .lines:
            bytes.reserveCapacity(items.reduce(0) { $0 + $1.utf8.count + 1 })
            for item in items {
                bytes.append(contentsOf: item.utf8)
                bytes.append(0x0A)
            }
        case .csv(let dialect, let table):
            for item in items { dialect.append(table.row(of: try JSONValue(parsing: item.utf8)), to: &bytes) }
        }
        return bytes
    }
}

extension API {
    static let listTypes = ["application/json", "application/x-ndjson", "text/csv"]
    /// A list is a page as JSON, and everything that matches in the other forms.
    static let streamable = RouteOptions(offering: listTypes, streaming: ["application/x-ndjson", "text/csv"])

    /// The filters that select one thing: a list with one of them contains the client's own writes.
    static let identifiers: Set<String> = [
        "reference", "gateway_id", "rrn", "invoice", "auth_code", "transaction", "batch", "number", "statement", "line",
        "reader",
    ]

    /// Answers a list in the form the client likes best.
    ///
    /// - Parameters:
    ///   - read: Reads what is wanted from the query, and where to begin when there is no cursor.
    ///   - exists: Whether there is what the list is of.
    ///   - document: The JSON document of a page, where it says more than the items.
    func list(
        _ request: Request,
        of tenant: String,
        _ read: (inout QueryReader) throws(Problem) -> (LedgerList, Cursor?),
        exists: () async throws -> Bool = { true },
        document: ((LedgerList, ListPage) async throws -> EdgeResponse)? = nil
    ) async throws -> EdgeResponse {
        var query = request.query
        let isAboutOne = !request.parameters.isEmpty || query.has(anyOf: Self.identifiers)
        let limit = try query.givenLimit()
        let cursor = try Cursor(&query)
        let (list, start) = try read(&query)
        let table = try TableRequest(&query, of: list.table)
        if let readModel = list.readModel {
            try await waitForWrites(&query, in: readModel, isAboutOne: isAboutOne && list.past == nil)
        }
        try query.finish()
        guard try await exists() else { throw Problem.notFound }
        let type = try request.negotiate(Self.listTypes)
        guard type == "application/json" else {
            return try await stream(list, of: tenant, as: type, table, after: cursor ?? start, limit: limit)
        }
        let found = try await ledger.page(list, of: tenant, after: cursor ?? start, limit: limit ?? 100)
        var response = try await document?(list, found) ?? page(found.items, next: found.next)
        response.fields[.vary] = "Accept"
        return response
    }

    /// Answers a whole list as NDJSON or CSV.
    ///
    /// - Parameter limit: How many items at most; nil for all.
    func stream(
        _ list: LedgerList,
        of tenant: String,
        as type: String,
        _ table: TableRequest,
        after cursor: Cursor? = nil,
        limit: Int? = nil
    ) async throws -> EdgeResponse {
        let isCSV = type == "text/csv"
        let export = try await ListExport(
            list,
            of: tenant,
            in: ledger,
            as: isCSV ? .csv(table.dialect, table.chosen) : .lines,
            after: cursor,
            limit: limit
        )
        var response = EdgeResponse.stream(type: isCSV ? "text/csv; charset=utf-8; header=present" : type) { writer in
            try await export.run { try await writer.write($0) }
        }
        if isCSV { response.fields[.contentDisposition] = "attachment; filename=\"\(list.table.name).csv\"" }
        response.fields[.vary] = "Accept"
        return response
    }
}

/// The columns and the dialect of a CSV.
struct TableRequest {
    var chosen: Table
    var dialect: CSVDialect

    /// Reads `columns` and `dialect`.
    init(_ query: inout QueryReader, of table: Table) throws(Problem) {
        let names = table.columns.map(\.name).joined(separator: ",")
        chosen =
            try query.value("columns", maximumBytes: 2048, expected: "is some of \(names), each once") {
                table.choosing($0)
            } ?? table
        dialect = try query.choice("dialect", of: CSVDialect.self) ?? .raw
    }
}

extension BatchFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        status = try query.choice("status", of: BatchState.Status.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        number = try query.text("number")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        isOpen = try query.flag("open")
    }
}

extension ReaderFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        isBusy = try query.flag("busy")
        isUpdateDue = try query.flag("update_due")
    }
}

extension LedgerList {
    /// The names of the lists, as a command line calls them.
    package static let names = [
        "transactions", "timeline", "batches", "members", "changes", "totals", "readers", "checkouts", "anomalies",
        "in-doubt", "doubts", "duplicates", "merchants", "statements", "statement-lines", "controls", "reconciliations",
        "matches", "exceptions", "periods", "deposits",
        "paid-lines", "replays", "replay-items", "events",
    ]

    /// A list by its name, with the filters the API has for it, by theirs. What stands in a path of the API is a filter
    /// here: `transaction` of a timeline, `batch` of members, changes and totals, `statement` of its lines and controls, `replay` of
    /// its items.
    ///
    /// A time that something is as of is given as the position it stands for, `as_of_position`.
    ///
    /// What depends on what the ledger knows of a merchant is not in it yet: see `Ledger.settled`.
    ///
    /// - Parameter head: Where the log ends, which is what changes are compared with if nothing is said.
    /// - Returns: Nil for a name no list has.
    /// - Throws: `Problem` for a filter the list does not have, or a value that makes no sense.
    package init?(
        named name: String,
        filters: [(name: String, value: String)],
        head: Int64 = .max
    ) throws(Problem) {
        var query = QueryReader(filters)
        switch name {
        case "transactions":
            let position = try Self.past(&query, head)
            self = .transactions(try TransactionFilter(&query), try TransactionOrder(&query), at: position)
        case "timeline": self = .timeline(try Self.id("transaction", &query))
        case "batches":
            let position = try Self.past(&query, head)
            self = .batches(try BatchFilter(&query), at: position)
        case "members":
            let batch = try Self.id("batch", &query)
            self = .members(batch, at: try query.integer("as_of_position", in: 0...Int64.max))
        case "changes":
            let batch = try query.value("batch", expected: "is the id of a batch") { UUID128($0) }
            let scope = try ChangesScope(&query)
            let asked = try ChangesRequest(&query)
            let to = min(asked.to ?? head, head)
            var comparison = BatchComparison(from: min(asked.from ?? 0, to), to: to)
            comparison.batch = batch
            self = .changes(comparison, scope)
        case "totals":
            let batch = try query.value("batch", expected: "is the id of a batch") { UUID128($0) }
            let keys = try query.totalsKeys(batch == nil ? TotalsKey.offered : TotalsKey.allCases)
            var asked = TotalsRequest(keys: keys ?? [batch == nil ? .currency : .type])
            asked.batch = batch
            asked.filter = try TotalsFilter(&query)
            asked.daysAsked = try BusinessDayRequest(&query)
            asked.position = try query.integer("as_of_position", in: 0...Int64.max)
            self = .totals(asked)
        case "readers": self = .readers(try ReaderFilter(&query))
        case "checkouts": self = .checkouts(try CheckoutFilter(&query))
        case "anomalies": self = .anomalies(try AnomalyFilter(&query))
        case "in-doubt": self = .inDoubt(try DoubtQuery.Filter(&query))
        case "doubts": self = .doubts(try DoubtWorklist.Filter(&query), try DoubtQuery.Order(&query))
        case "duplicates": self = .duplicates(try DuplicateQuery.Filter(&query))
        case "merchants": self = .merchants
        case "statements":
            let position = try Self.past(&query, head)
            self = .statements(try StatementFilter(&query), at: position)
        case "statement-lines": self = .statementLines(try Self.id("statement", &query))
        case "controls": self = .controls(try Self.id("statement", &query), holds: try query.flag("holds"))
        case "reconciliations": self = .runs(at: try Self.past(&query, head))
        case "matches":
            let position = try Self.past(&query, head)
            self = .matches(try MatchFilter(&query), at: position)
        case "exceptions":
            let position = try Self.past(&query, head)
            self = .exceptions(try ExceptionFilter(&query), at: position)
        case "deposits":
            let position = try Self.past(&query, head)
            self = .deposits(try TransferFilter(&query), at: position)
        case "paid-lines":
            let position = try Self.past(&query, head)
            self = .paidLines(try Self.id("payout", &query), at: position)
        case "periods":
            let position = try Self.past(&query, head)
            self = .periods(try PeriodFilter(&query), at: position)
        case "replays": self = .replays(try ReplayFilter(&query))
        case "replay-items": self = .replayItems(try Self.id("replay", &query), try ReplayItemFilter(&query))
        case "events":
            self = .events(try EventFilter(&query), order: try query.choice("order", of: EventOrder.self) ?? .oldest)
        default: return nil
        }
        try query.finish()
    }

    private static func past(_ query: inout QueryReader, _ head: Int64) throws(Problem) -> Int64? {
        try query.integer("as_of_position", in: 0...Int64.max).map { min($0, head) }
    }

    private static func id(_ name: String, _ query: inout QueryReader) throws(Problem) -> UUID128 {
        let expected = "is the id of a \(name)"
        guard let id = try query.value(name, expected: expected, { UUID128($0) }) else {
            throw QueryReader.invalid(name, expected)
        }
        return id
    }
}
