import BenchReport
import DaybookTestKit
import Foundation

/// The measurements and their results.
struct Bench: Sendable {
    let server: BenchServer
    let program: String
    let seconds: Double
    let isQuick: Bool
    /// How often lines f and g measure each figure on the stored data. Rows have the median.
    var repetitions = Repetitions()
    /// nil if it is not installed.
    var wrk: Wrk?
    /// nil if its SQL is not there.
    var messageDB: MessageDB?
    /// What was measured, when and where: a cell of each row.
    var measured = "-"
    /// The number of stored events at which line g measures.
    var marks = [0, 100_000]
    /// The number of stored payments at which lines e and f measure.
    var payments = 5_000
    /// The number of payments of line p.
    var proofPayments = 2_000
    /// The read models that line e rebuilds.
    var models = ["transactions", "receipts", "batches", "readers", "anomalies"]
    private(set) var table = BenchTable()
    /// The rate of the naive function at 500 events in a batch; measured once.
    private var naive: Double?

    init(server: BenchServer, program: String, seconds: Double, isQuick: Bool) {
        self.server = server
        self.program = program
        self.seconds = seconds
        self.isQuick = isQuick
    }

    mutating func measure(_ line: BenchLine) async throws {
        switch line {
        case .a: try await bulk()
        case .b: try await single()
        case .c: try await append()
        case .d: try await export()
        case .e: try await rebuild()
        case .f: try await read()
        case .g: try await growth()
        case .l: try await lag()
        case .m: try await besideMessageDB()
        case .p: try await prove()
        case .r: try await reconcile()
        }
    }

    mutating func add(_ row: BenchRow) {
        var row = row
        row.measured = measured
        table.add(row)
        note(
            "  \(row.what): \(row.figure), beside \(row.comparison), ratio \(row.ratio), memory \(row.memory), target "
                + row.target
        )
    }

    mutating func naiveCeiling() async throws -> Double {
        if let naive { return naive }
        let rate = try await Ceilings(server: server).naiveAppend(batch: 500, seconds: seconds)
        naive = rate
        return rate
    }

    /// Sends one request repeatedly, with a new number in each record.
    func load(
        _ service: BenchService,
        _ template: RequestTemplate,
        connections: Int,
        isStream: Bool,
        seconds: Double? = nil
    ) async throws -> LoadGenerator.Outcome {
        let generator = LoadGenerator(
            port: service.port,
            connections: connections,
            mark: isStream ? "\"status\":201" : nil
        )
        let seconds = seconds ?? self.seconds
        let before = service.processorMicroseconds
        var outcome = try await onThread {
            var number: UInt64 = 100_000_000
            return try generator.run(warmUp: seconds / 4, seconds: seconds) { request in
                template.write(from: number, to: &request)
                number += UInt64(template.records)
            }
        }
        let records = Double(max(1, outcome.answered * template.records))
        outcome.processorMicroseconds = (service.processorMicroseconds - before) / records
        return outcome
    }
}

/// Runs a blocking call on its own thread.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.stackSize = 1 << 22
        thread.start()
    }
}

/// Prints progress.
func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
