import BenchReport
import Canonical
import Composition
import EventLog
import Logging
import Postgres

/// Lines c and g: the log without HTTP.
extension Bench {
    mutating func append() async throws {
        let naive = try await naiveCeiling()
        let seconds = self.seconds
        let kinds = [(batch: 500, callers: 3), (50, 1), (1, 1)]
        // Before the ceilings, whose parameters use a gigabyte of this process.
        var figures: [(rate: Double, memory: Int)] = []
        for (batch, callers) in kinds {
            figures.append(try await appendRate(batch: batch, callers: callers))
        }
        for ((batch, callers), (rate, memory)) in zip(kinds, figures) {
            let calls = try await Ceilings(server: server).appendCalls(batch: batch, seconds: seconds)
            let what = "append, \(batch) items a call, \(callers) at a time"
            for (ceiling, name) in [
                (calls, "the same calls alone, made beforehand"), (naive, "naive function, 500 a call"),
            ] {
                add(
                    BenchRow(
                        line: "c",
                        what: what,
                        figure: Figure.rate(rate, "events"),
                        comparison: "\(Figure.rate(ceiling, "events")) (\(name))",
                        ratio: Figure.ratio(rate, ceiling),
                        memory: "\(memory) MiB"
                    )
                )
            }
        }
    }

    /// Events per second on an empty log, after a warm-up, and the peak memory of this process in MiB.
    func appendRate(batch: Int, callers: Int) async throws -> (rate: Double, memory: Int) {
        PeakMemory.restart()
        let seconds = self.seconds
        let rate = try await server.withDatabase("append") { url in
            try await withLog(url) { log in
                _ = try await log.append(batch: batch, callers: callers, seconds: seconds / 4)
                return try await log.append(batch: batch, callers: callers, seconds: seconds)
            }
        }
        return (rate, PeakMemory.mebibytes())
    }

    mutating func growth() async throws {
        let seconds = self.seconds
        let marks = self.marks
        let repetitions = self.repetitions
        PeakMemory.restart()
        let (rates, memory) = try await server.withDatabase("growth") { url in
            try await withLog(url) { log in
                var rates: [Double] = []
                var memory: [Int] = []
                var stored = 0
                for mark in marks {
                    stored += try await log.fill(mark - stored)
                    let appended = try await repetitions.median(by: { $0 }) {
                        let rate = try await log.append(batch: 500, callers: 3, seconds: seconds)
                        stored += Int(rate * seconds)
                        return rate
                    }
                    rates.append(appended)
                    memory.append(PeakMemory.mebibytes())
                    note("  \(Figure.grouped(mark)) stored: \(Figure.rate(appended, "events"))")
                }
                return (rates, memory)
            }
        }
        let naive = try await Ceilings(server: server).naiveGrowth(
            marks: marks,
            seconds: seconds,
            repetitions: repetitions.count
        )
        for (index, mark) in marks.enumerated() {
            add(
                BenchRow(
                    line: "g",
                    what: "append with \(Figure.grouped(mark)) events stored",
                    figure: Figure.rate(rates[index], "events") + ", \(Figure.ratio(rates[index], rates[0])) of empty",
                    comparison: Figure.rate(naive[index], "events")
                        + " (naive function), \(Figure.ratio(naive[index], naive[0])) of empty",
                    ratio: Figure.ratio(rates[index], naive[index]),
                    memory: "\(memory[index]) MiB"
                )
            )
        }
    }

    /// Runs a sequencer on a fresh log.
    func withLog<Result: Sendable>(
        _ url: String,
        _ body: @Sendable (BenchLog) async throws -> Result
    ) async throws -> Result {
        let configuration = PostgresConfiguration(connectionString: url)
        _ = try await LedgerSchema.migrate(configuration)
        let sequencer = Sequencer(
            configuration: configuration,
            clock: SystemClock(),
            signal: PositionSignal(),
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
        let appending = Task { await sequencer.run() }
        do {
            let result = try await body(BenchLog(sequencer: sequencer))
            await sequencer.close()
            await appending.value
            return result
        } catch {
            await sequencer.close()
            await appending.value
            throw error
        }
    }
}

/// Calls the ledger's append function directly.
struct BenchLog: Sendable {
    let sequencer: Sequencer

    /// Events per second. With several callers, one prepares its batch while another commits.
    func append(batch: Int, callers: Int, seconds: Double) async throws -> Double {
        let start = LoadGenerator.now()
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var source = BenchItems()
                    var stored = 0
                    while Double(LoadGenerator.now() - start) < seconds * 1e6 {
                        try await append(source.next(batch))
                        stored += batch
                    }
                    return stored
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(stored) / (Double(LoadGenerator.now() - start) / 1e6)
    }

    /// Appends at least `count` events.
    ///
    /// - Returns: The number of events.
    @discardableResult
    func fill(_ count: Int) async throws -> Int {
        var source = BenchItems()
        var stored = 0
        while stored < count {
            let (one, other) = (source.next(500), source.next(500))
            async let first: Void = append(one)
            async let second: Void = append(other)
            _ = try await (first, second)
            stored += 1000
            if stored % 1_000_000 == 0 { note("  \(Figure.grouped(stored)) of \(Figure.grouped(count)) appended") }
        }
        return stored
    }

    private func append(_ items: [AppendItem]) async throws {
        for result in await sequencer.append(items) {
            guard case .success(.appended) = result else { throw LoadFailure("an item was not appended") }
        }
    }
}
