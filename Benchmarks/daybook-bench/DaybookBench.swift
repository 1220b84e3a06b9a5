import ArgumentParser
import BenchReport
import DaybookTestKit
import Foundation

/// Measures the built service against the limits of the machine.
@main
struct DaybookBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook-bench",
        abstract: "Measure the release build and the ceilings of this machine, and print one table.",
        discussion: """
            Starts a private PostgreSQL in a temporary directory and stops it at the end. Every line runs on an
            empty database but e and f, which share one. What a figure is compared with is measured in the same run,
            because machines drift.

            LINES
              a  bulk intake over HTTP          g  append rate as the log grows
              b  single records over HTTP       l  lag of the read models, and what idling costs
              c  append without HTTP            m  events beside message-db (--peers)
              d  export and import              p  no payment is charged twice
              e  rebuild of each read model     r  statements imported and matched
              f  payments, pages, receipts, the past (needs wrk)

            Peak memory is a column of every line. A line whose program is missing is left out with a note.

            EXAMPLES
              daybook-bench
              daybook-bench --quick --only a --only b
              daybook-bench --only f --write docs/benchmarks.md
              daybook-bench --only f --only g --repetitions 3
              daybook-bench --only m --peers ~/peers
              daybook-bench --events 1000000
              daybook-bench --only e --only f --transactions 100000
              daybook-bench --only p --proof 20000
              daybook-bench --only e --model transactions --directory /var/tmp/bench
            """
    )

    @Flag(help: "Measure each figure for one or two seconds, with a small log.")
    var quick = false

    @Option(help: ArgumentHelp("Only these lines; may be repeated.", valueName: "line"))
    var only: [String] = []

    @Option(help: "Size of the log of line g. Twenty million events take a quarter of an hour and 30 GB.")
    var events = 20_000_000

    @Option(
        help: ArgumentHelp(
            "Payments that are stored before lines e and f. Default: a million, which take six minutes; 5,000 with --quick.",
            valueName: "count"
        )
    )
    var transactions: Int?

    @Option(
        help: ArgumentHelp("Payments of line p. Default: 200,000; 2,000 with --quick.", valueName: "count")
    )
    var proof: Int?

    @Option(help: ArgumentHelp("Only these read models in line e; may be repeated.", valueName: "name"))
    var model: [String] = []

    @Option(
        help: ArgumentHelp(
            "Measure each figure of lines f and g this often on the stored data, and report the median.",
            valueName: "odd number"
        )
    )
    var repetitions = 1

    @Option(help: "Directory that keeps the server and its data for later runs.")
    var directory: String?

    @Option(help: "The service to measure. Default: the `daybook` built beside this program.")
    var service: String?

    @Option(
        help: ArgumentHelp(
            "Replace the rows of these lines in the table of this document, after each line. Other rows stay.",
            valueName: "document"
        )
    )
    var write: String?

    @Option(help: ArgumentHelp("Directory with the SQL of message-db in message-db/.", valueName: "directory"))
    var peers = "../shared/peers"

    func run() async throws {
        let program = try service ?? ServerProcess.builtProduct("daybook")
        let chosen = BenchLine.allCases.filter { only.isEmpty || only.contains($0.rawValue) }
        guard !chosen.isEmpty else { throw ValidationError("There is no such line; they are a to g, l, m, p and r.") }
        let lines = chosen.filter { line in
            guard let missing = missing(for: line) else { return true }
            note("line \(line.rawValue), \(line.title), is left out: \(missing)")
            return false
        }
        guard repetitions > 0, !repetitions.isMultiple(of: 2) else {
            throw ValidationError("--repetitions is an odd number: the median is one of the measurements.")
        }
        guard repetitions == 1 || lines.allSatisfy({ $0 == .f || $0 == .g }) else {
            throw ValidationError("--repetitions is for lines f and g: choose them with --only.")
        }
        guard !lines.isEmpty else { throw ExitCode.failure }
        let commit = try await commit()
        let table = try await BenchServer.with(directory: directory) { server in
            var bench = Bench(server: server, program: program, seconds: quick ? 2 : 8, isQuick: quick)
            if !quick { bench.marks = [0, 1_000_000, 5_000_000, 20_000_000].filter { $0 <= events } }
            bench.repetitions = Repetitions(count: repetitions)
            bench.payments = transactions ?? (quick ? 5_000 : 1_000_000)
            bench.proofPayments = proof ?? (quick ? 2_000 : 200_000)
            if !model.isEmpty { bench.models = model }
            bench.wrk = Wrk.find()
            bench.messageDB = MessageDB.find(in: peers)
            bench.measured = "`\(commit)`, \(date)\(how), \(try await machine(server))"
            for line in lines {
                note("line \(line.rawValue): \(line.title)")
                try await bench.measure(line)
                if let write {
                    var published = try publishedTable(write)
                    published.replace(with: bench.table.rows)
                    try writeText(published.document, to: write)
                }
            }
            return bench.table
        }
        print("PostgreSQL with \(BenchServer.sharedBuffersMebibytes) MB of shared buffers,")
        print("fsync and synchronous_commit on; client, service and server on the same cores.\n")
        print(table.text)
    }

    private func missing(for line: BenchLine) -> String? {
        switch line {
        case .f: Wrk.find() == nil ? Wrk.missing : nil
        case .m: MessageDB.find(in: peers) == nil ? MessageDB.missing(in: peers) : nil
        default: nil
        }
    }

    /// The commit of the checkout. The table of a document must name the one that was measured.
    private func commit() async throws -> String {
        guard let write else { return try await Checkout(directory: ".").commit() ?? "unknown" }
        guard service == nil else { throw ValidationError("--write publishes the service of this checkout only.") }
        _ = try publishedTable(write)
        let checkout = Checkout(directory: URL(filePath: write).deletingLastPathComponent().path)
        guard let commit = try await checkout.commit(), let changes = try await checkout.changes() else {
            throw ValidationError("\(write) is not in a Git checkout, so its table could name no commit.")
        }
        guard changes.isEmpty else {
            throw ValidationError("Commit first, so that the table can name what was measured:\n\(changes)")
        }
        return commit
    }

    private func publishedTable(_ path: String) throws -> PublishedTable {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ValidationError("\(path) cannot be read.")
        }
        return try PublishedTable(of: text)
    }

    private var how: String {
        (quick ? ", quick" : "") + (repetitions > 1 ? ", median of \(repetitions)" : "")
    }

    private var date: String { Date.now.formatted(.iso8601.year().month().day()) }
}

enum BenchLine: String, CaseIterable, Sendable {
    case a, b, c, d, e, f, g, l, m, p, r

    var title: String {
        switch self {
        case .a: "bulk intake over HTTP"
        case .b: "single records over HTTP"
        case .c: "append without HTTP"
        case .d: "export and import"
        case .e: "rebuild"
        case .f: "reading over HTTP"
        case .g: "append as the log grows"
        case .l: "lag, and idling"
        case .m: "events beside message-db"
        case .p: "no payment is charged twice"
        case .r: "reconciliation"
        }
    }
}
