import ArgumentParser
import Audit
import Canonical
import EventLog
import Ledger
import Operations
import Projections
import SystemPackage
import Tables

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List transactions, batches, totals, anomalies and more, with the filters of the API.",
        discussion: """
            Filters are NAME=VALUE with the names of the API's query parameters. A table has at most 50 rows unless
            --limit is given, and a note when there are more. --csv, --jsonl and --json write all matching items.
            as_of=TIME lists the state as recorded at that time.
            The excel dialect of --csv puts an apostrophe before text that a spreadsheet would read as a formula or a
            figure; the raw dialect writes the values unchanged.

            EXAMPLES
              daybook list transactions status=captured last4=9269
              daybook list transactions from=2026-01-01T00:00:00Z --csv --dialect excel -o january.csv
              daybook list transactions --csv --columns id,captured,captured_decimal,currency
              daybook list transactions status=authorized as_of=2026-03-01T04:00:00Z
              daybook list members batch=0198c5f2-... --jsonl
              daybook list timeline transaction=0198c1c2-... --jsonl
              daybook list totals by=day,merchant from=2026-01-01T00:00:00Z --csv
              daybook list events type=Refunded --json
              daybook list events order=newest --limit 20
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "\(LedgerList.names.dropLast().joined(separator: ", ")) or \(LedgerList.names.last ?? "").")
    var name: String

    @Argument(help: "NAME=VALUE. Every filter must match.")
    var filters: [String] = []

    @Flag(help: "Write CSV with a heading.")
    var csv = false

    @Flag(help: "Write JSON documents, one per line.")
    var jsonl = false

    @Option(help: "The dialect of --csv: raw or excel.")
    var dialect = "raw"

    @Option(help: "The columns of --csv, separated by commas, in this order.")
    var columns: String?

    @Option(help: "The maximum number of items.")
    var limit: Int?

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file. Default: standard output.")
    var output: String?

    @Option(help: "The tenant. Optional when there is only one.")
    var tenant: String?

    func validate() throws {
        guard [csv, jsonl, common.json].count(where: { $0 }) < 2 else {
            throw ValidationError("--csv, --jsonl and --json exclude each other.")
        }
        guard LedgerList.names.contains(name) else {
            throw ValidationError("The lists are \(LedgerList.names.joined(separator: ", ")).")
        }
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
        guard CSVDialect(rawValue: dialect) != nil else { throw ValidationError("--dialect must be raw or excel.") }
        guard output == nil || csv || jsonl || common.json else {
            throw ValidationError("-o needs --csv, --jsonl or --json.")
        }
    }

    func run() async throws {
        let form = try wanted(filters: try given().map { Self.asked($0, at: 0) }, head: .max)
        _ = try start
        guard let table = columns.map({ form.table.choosing($0) }) ?? form.table else {
            let names = form.table.columns.map(\.name).joined(separator: ", ")
            throw Failure("--columns names an unknown column, or one twice.", hint: "Columns: \(names).")
        }
        try await Session.open(common) { session in
            // The read models may be behind when no server runs: this command follows the log itself.
            // The list of doubts names the gateways that a server queries. This command queries none.
            let gateways = name == "doubts" ? try session.settings.gateways() : []
            try await session.withLedger(
                follows: form.readModel != nil,
                gateways: gateways,
                callsGateways: false
            ) { ledger in
                let tenant = try await ledger.tenant(tenant)
                if form.readModel != nil { try await ledger.catchUp() }
                let list = try await ledger.settled(try await wanted(in: ledger), of: tenant)
                do {
                    guard let output else {
                        let standardOutput = OutputFile.standardOutput
                        return try await write(list, table, tenant, ledger) { try await standardOutput.write($0) }
                    }
                    try await OutputFile.with(output) { file in
                        try await write(list, table, tenant, ledger) { try await file.write($0) }
                    }
                } catch let error as Errno where error == .brokenPipe {
                    // The reader of the output has closed the pipe.
                } catch let error as Errno {
                    throw Failure("\(output ?? "The output") cannot be written: \(error).")
                }
            }
        }
    }

    private var start: Cursor? {
        get throws { try cursor.map { try Cursor(given: $0) } }
    }

    private typealias Filter = (name: String, value: String)

    private func given() throws -> [Filter] {
        try filters.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw Failure("A filter is NAME=VALUE.", exitCode: 64) }
            if parts[0] == "as_of", Timestamp(rfc3339: parts[1]) == nil {
                throw Failure("as_of must be a time such as 2026-03-01T00:00:00Z.", exitCode: 64)
            }
            return (name: parts[0], value: parts[1])
        }
    }

    /// The moment of an `as_of` or `as_of_position` filter; nil for any other filter.
    private static func moment(_ filter: Filter) -> Moment? {
        switch filter.name {
        case "as_of": Timestamp(rfc3339: filter.value).map(Moment.time)
        case "as_of_position": Int64(filter.value).map(Moment.position)
        default: nil
        }
    }

    /// The filter with a position instead of a time.
    private static func asked(_ filter: Filter, at position: Int64) -> Filter {
        filter.name == "as_of" ? (name: "as_of_position", value: "\(position)") : filter
    }

    private func wanted(in ledger: Ledger) async throws -> LedgerList {
        var filters: [Filter] = []
        for filter in try given() {
            guard let moment = Self.moment(filter) else {
                filters.append(filter)
                continue
            }
            if let cursor = try start, cursor.asOf != nil {
                let position: Int64
                do {
                    position = try await ledger.position(of: moment, goingOnAt: cursor)
                } catch is Refusal {
                    throw Cursor.failure
                }
                filters.append((name: "as_of_position", value: "\(position)"))
            } else if case .time = moment {
                filters.append(Self.asked(filter, at: try await ledger.position(of: moment)))
            } else {
                filters.append(filter)
            }
        }
        return try wanted(filters: filters, head: try await ledger.reader.head())
    }

    /// - Throws: `Failure` that names the invalid filter.
    private func wanted(filters pairs: [Filter], head: Int64) throws -> LedgerList {
        do {
            guard let list = try LedgerList(named: name, filters: pairs, head: head) else {
                throw Failure("There is no list with this name.", exitCode: 64)
            }
            return list
        } catch let refusal as Refusal {
            throw Failure(
                refusal.detail ?? "\(refusal.title).",
                hint: "The filters are the query parameters of this list in docs/openapi.yaml.",
                exitCode: 64
            )
        }
    }

    private func write(
        _ list: LedgerList,
        _ table: Table,
        _ tenant: String,
        _ ledger: Ledger,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        if csv || jsonl {
            let form: ListForm = csv ? .csv(CSVDialect(rawValue: dialect) ?? .raw, table) : .lines
            let export = try await ListExport(list, of: tenant, in: ledger, as: form, after: try start, limit: limit)
            let (items, next) = try await export.run(write)
            if let next { Terminal.note("there are more than these \(items); continue with --cursor \(next.text)") }
        } else if common.json {
            try await writeDocument(list, tenant, ledger, to: write)
        } else {
            try await show(list, tenant, ledger)
        }
    }

    /// Writes `{"items": [...]}`, item after item.
    private func writeDocument(
        _ list: LedgerList,
        _ tenant: String,
        _ ledger: Ledger,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        let export = try await ListExport(list, of: tenant, in: ledger, as: .lines, after: try start, limit: limit)
        // The beginning of a page of the API.
        let head = list.past.map { "\"asOfPosition\":\($0)," } ?? ""
        try await write(Array("{\(head)\"items\":[".utf8))
        var isFirst = true
        let (_, next) = try await export.run { lines in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(lines.count)
            for line in lines.split(separator: 0x0A) {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                bytes.append(contentsOf: line)
            }
            try await write(bytes)
        }
        let rest = next.map { ",\"next\":\(JSONValue.string($0.text).text)" } ?? ""
        try await write(Array("],\"more\":\(next != nil)\(rest)}\n".utf8))
    }

    private func show(_ list: LedgerList, _ tenant: String, _ ledger: Ledger) async throws {
        let size = min(limit ?? 50, 1000)
        var page = try await ledger.page(list, of: tenant, after: try start, limit: size)
        // A page of the past may be empty although more follow.
        while page.items.isEmpty, let next = page.next {
            page = try await ledger.page(list, of: tenant, after: next, limit: size)
        }
        if page.items.isEmpty { return Terminal.say("nothing matches") }
        let usual = Self.shown[name].flatMap { list.table.choosing($0) } ?? list.table
        let table = columns.flatMap { list.table.choosing($0) } ?? usual
        let rows = try page.items.map { item in
            table.row(of: try JSONValue(parsing: item.utf8)).map { $0.value ?? "-" }
        }
        let figures = table.columns.indices.filter { table.columns[$0].kind == .decimal }
        Terminal.table(table.columns.map(\.name), rows, rightAligned: Set(figures))
        if page.next != nil { Terminal.note("there are more; --limit shows them, --csv and --jsonl write all") }
    }

    /// The columns of the tables by list.
    private static let shown = [
        "transactions": "id,status,vendor,merchant,captured_decimal,currency,card_brand,last4,occurred_at",
        "batches": "id,vendor,account,number,status,opened_at,closed_at",
        "members": "transaction,line,type,amount_decimal,tip_decimal,voided_decimal,currency,brand",
        "readers": "vendor,serial,model,connected,battery,state,payments,last_seen",
        "statements": "id,format,name,status,lines,failed_controls,first_day,last_day,imported_at",
        "statement-lines":
            "number,type,gross_decimal,fees_decimal,net_decimal,currency,day,processor_id,last_four,invoice",
        "controls": "kind,name,scope,stated,computed,currency,holds,line",
        "checkouts": "id,vendor,status,state,due_decimal,currency,transactions,last_seen",
        "events": "position,recorded_at,stream,version,type,actor",
        "timeline": "version,position,occurred_at,recorded_at,type,actor",
        "changes": "transaction,line,change,before_amount_decimal,after_amount_decimal,currency",
        "anomalies": "position,state,kind,vendor,merchant,occurred_at,explanation",
        "in-doubt": "transaction,status,vendor,merchant,terminal,occurred_at,at_risk_decimal,currency",
        "doubts": "transaction,age_seconds,at_risk_decimal,currency,what,code,asked,last_answer,next_at,attention",
        "merchants": "merchant,zone,cutoff,at,by,reason",
        "duplicates": "later,earlier,gap_seconds,brand,last4,amount_decimal,currency,terminal",
    ]
}

extension Cursor {
    /// - Throws: `Failure` for a text that is not a cursor.
    init(given text: String) throws {
        do {
            try self.init(text)
        } catch {
            throw Self.failure
        }
    }

    fileprivate static let failure = Failure(
        "--cursor is not a cursor of this list.",
        hint: "Use `next` of an earlier answer.",
        exitCode: 64
    )
}
