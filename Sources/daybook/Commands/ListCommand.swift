import ArgumentParser
import Audit
import Canonical
import Composition
import Operations
import SystemPackage
import Tables

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List transactions, batches, totals, anomalies and more, with the filters of the API.",
        discussion: """
            Filters are NAME=VALUE with the names of the API's query parameters. A table has at most 50 rows unless \
            --limit is given, and a note when there are more. --csv, --jsonl and --json write all matching items. \
            as_of=TIME lists the state as recorded at that time. The excel dialect of --csv puts an apostrophe before \
            text that a spreadsheet would read as a formula or a figure; the raw dialect writes the values unchanged.

            EXAMPLES
              daybook list transactions status=captured last4=9269
              daybook list transactions from=2026-01-01T00:00:00Z --csv \\
                --dialect excel -o january.csv
              daybook list transactions --csv \\
                --columns id,captured,captured_decimal,currency
              daybook list transactions status=authorized as_of=2026-03-01T04:00:00Z
              daybook list members batch=0198c5f2-... --jsonl
              daybook list timeline transaction=0198c1c2-... --jsonl
              daybook list totals by=day,merchant from=2026-01-01T00:00:00Z --csv
              daybook list events type=Refunded --json
              daybook list events order=newest --limit 20

            LISTS
            \(Lists.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The name of the list.")
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
        guard Lists.named(name) != nil else {
            throw ValidationError("The lists are \(Lists.all.map(\.name).joined(separator: ", ")).")
        }
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
        guard CSVDialect(rawValue: dialect) != nil else { throw ValidationError("--dialect must be raw or excel.") }
        guard output == nil || csv || jsonl || common.json else {
            throw ValidationError("-o needs --csv, --jsonl or --json.")
        }
    }

    func run() async throws {
        let wanted = try wanted()
        let start = try await Failure.explaining { try cursor.map { try Cursor($0) } }
        guard let table = columns.map({ wanted.table.choosing($0) }) ?? wanted.table else {
            let names = wanted.table.columns.map(\.name).joined(separator: ", ")
            throw Failure("--columns names an unknown column, or one twice.", hint: "Columns: \(names).")
        }
        try await Session.open(common) { session in
            // The list of doubts names the gateways that a server queries. This command queries none.
            let gateways = name == Lists.doubts.name ? try session.settings.gateways() : []
            try await session.withLedger(for: .reading(wanted.list.readModels), gateways: gateways) { ledger in
                let tenant = try await ledger.tenant(tenant)
                try await Failure.explaining {
                    let reading = try await wanted.open(of: tenant, in: ledger, after: start)
                    try await reading.requireParent()
                    try await deliver(reading, table)
                }
            }
        }
    }

    private func named() throws -> [(name: String, value: String)] {
        try filters.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw Failure("A filter is NAME=VALUE.", exitCode: 64) }
            return (name: parts[0], value: parts[1])
        }
    }

    /// - Throws: `Failure` that names the invalid filter.
    private func wanted() throws -> ListRequest {
        do {
            guard let list = Lists.named(name) else {
                throw Failure("There is no list with this name.", exitCode: 64)
            }
            return try list.request(try named())
        } catch let refusal as Refusal {
            throw Failure(
                refusal.detail ?? "\(refusal.title).",
                hint: "The filters are the query parameters of this list in docs/openapi.yaml.",
                exitCode: 64
            )
        }
    }

    private func deliver(_ reading: ListReading, _ table: Table) async throws {
        do {
            if let output {
                try await OutputFile.with(output) { file in
                    try await write(reading, table, to: { try await file.write($0) })
                }
            } else {
                let standardOutput = OutputFile.standardOutput
                try await write(reading, table, to: { try await standardOutput.write($0) })
            }
        } catch let error as Errno where error == .brokenPipe {
            // The reader of the output has closed the pipe.
        } catch let error as Errno {
            throw Failure("\(output ?? "The output") cannot be written: \(error).")
        }
    }

    private func write(
        _ reading: ListReading,
        _ table: Table,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        if csv || jsonl {
            let form: ListForm = csv ? .csv(CSVDialect(rawValue: dialect) ?? .raw, table) : .lines
            let (items, next) = try await ListExport(reading, as: form, limit: limit).run(write)
            if let next { Terminal.note("there are more than these \(items); continue with --cursor \(next.text)") }
        } else if common.json {
            try await writeDocument(reading, to: write)
        } else {
            try await show(reading)
        }
    }

    /// Writes the document of a page, item after item.
    private func writeDocument(_ reading: ListReading, to write: ([UInt8]) async throws -> Void) async throws {
        let export = try await ListExport(reading, as: .lines, limit: limit)
        try await write(ListDocument.beginning(try await reading.head()))
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

    private func show(_ reading: ListReading) async throws {
        let size = min(limit ?? 50, ListExport.pageLimit)
        var page = try await reading.page(after: reading.start, limit: size)
        // A page of the past may be empty although more follow.
        while page.items.isEmpty, let next = page.next { page = try await reading.page(after: next, limit: size) }
        if page.items.isEmpty { return Terminal.say("nothing matches") }
        let table = columns.flatMap { reading.table.choosing($0) } ?? reading.list.shown(of: reading.table)
        let rows = try page.values().map { item in table.row(of: item).map { $0.value ?? "-" } }
        let figures = table.columns.indices.filter { table.columns[$0].kind == .decimal }
        Terminal.table(table.columns.map(\.name), rows, rightAligned: Set(figures))
        if page.next != nil { Terminal.note("there are more; --limit shows them, --csv and --jsonl write all") }
    }
}
