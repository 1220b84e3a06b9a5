import ArgumentParser
import DaybookTestKit

/// Measures the built service against the limits of the machine.
@main
struct DaybookBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook-bench",
        abstract: "Measure the release build and the ceilings of this machine, and print one table.",
        discussion: """
            Starts a private PostgreSQL in a temporary directory and stops it at the end. Every line runs on an
            empty database but e and f, which share one; ceilings are measured in the same run, because machines drift.

            LINES
              a  bulk intake over HTTP          e  rebuild of each read model
              b  single records over HTTP       f  transactions, pages, receipts, the past
              c  append without HTTP            g  append rate as the log grows
              d  export and import              l  lag of the read models, and what idling costs
              p  no payment is charged twice     r  statements imported and matched
              (h, peak memory, is a column of every line)

            EXAMPLES
              daybook-bench
              daybook-bench --quick --only a --only b
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

    @Option(help: "Directory that keeps the server and its data for later runs.")
    var directory: String?

    @Option(help: "The service to measure. Default: the `daybook` built beside this program.")
    var service: String?

    func run() async throws {
        let program = try service ?? ServerProcess.builtProduct("daybook")
        let lines = BenchLine.allCases.filter { only.isEmpty || only.contains($0.rawValue) }
        guard !lines.isEmpty else { throw ValidationError("There is no such line; they are a to g, l, p and r.") }
        let table = try await BenchServer.with(directory: directory) { server in
            var bench = Bench(server: server, program: program, seconds: quick ? 2 : 8, isQuick: quick)
            if !quick { bench.marks = [0, 1_000_000, 5_000_000, 20_000_000].filter { $0 <= events } }
            bench.payments = transactions ?? (quick ? 5_000 : 1_000_000)
            bench.proofPayments = proof ?? (quick ? 2_000 : 200_000)
            if !model.isEmpty { bench.models = model }
            for line in lines {
                note("line \(line.rawValue): \(line.title)")
                try await bench.measure(line)
            }
            return bench.table
        }
        print("\(machine()); PostgreSQL with \(BenchServer.sharedBuffersMebibytes) MB of shared buffers,")
        print("fsync and synchronous_commit on; client, service and server on the same cores.\n")
        print(table.text)
    }
}

enum BenchLine: String, CaseIterable, Sendable {
    case a, b, c, d, e, f, g, l, p, r

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
        case .p: "no payment is charged twice"
        case .r: "reconciliation"
        }
    }
}
