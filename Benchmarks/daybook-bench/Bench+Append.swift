import Canonical
import EventLog
import Ledger
import Logging
import Postgres

/// Lines c and g: the log without HTTP.
extension Bench {
    mutating func append() async throws {
        let ceiling = try await naiveCeiling()
        let seconds = self.seconds
        for batch in [500, 50, 1] {
            let rate = try await server.withDatabase("append") { url in
                try await withLog(url) { log in
                    _ = try await log.append(batch: batch, seconds: seconds / 4)
                    return try await log.append(batch: batch, seconds: seconds)
                }
            }
            add(
                BenchRow(
                    line: "c",
                    what: "append, \(batch) items a call, 1 caller",
                    figure: Figure.rate(rate, "events"),
                    ceiling: "\(Figure.rate(ceiling, "events")) (naive function, 500 a call)",
                    ratio: Figure.ratio(rate, ceiling)
                )
            )
        }
    }

    mutating func growth() async throws {
        let marks = isQuick ? [0, 100_000] : [0, 1_000_000, 5_000_000]
        let seconds = self.seconds
        let rates = try await server.withDatabase("growth") { url in
            try await withLog(url) { log in
                var rates: [Double] = []
                for mark in marks {
                    while await log.stored < mark { try await log.append(events: 500) }
                    rates.append(try await log.append(batch: 500, seconds: seconds))
                }
                return rates
            }
        }
        for (mark, rate) in zip(marks, rates) {
            add(
                BenchRow(
                    line: "g",
                    what: "append with \(Figure.grouped(mark)) events stored",
                    figure: Figure.rate(rate, "events"),
                    ceiling: "\(Figure.rate(rates[0], "events")) (empty log)",
                    ratio: Figure.ratio(rate, rates[0])
                )
            )
        }
    }

    private func withLog<Result: Sendable>(
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

/// Appends the same kind of event again and again: 400 bytes, five to a stream, each with a key of its own.
private actor BenchLog {
    private let sequencer: Sequencer
    private let ids = UUIDv7Generator(clock: SystemClock())
    private var random = SystemRandomNumberGenerator()
    private(set) var stored = 0

    init(sequencer: Sequencer) { self.sequencer = sequencer }

    /// Events a second; two calls are on their way at a time, so that one is made while the other commits.
    func append(batch: Int, seconds: Double) async throws -> Double {
        let start = LoadGenerator.now()
        let before = stored
        while Double(LoadGenerator.now() - start) < seconds * 1e6 { try await append(events: batch) }
        return Double(stored - before) / (Double(LoadGenerator.now() - start) / 1e6)
    }

    func append(events count: Int) async throws {
        let items = (0..<count).map { _ in item() }
        for result in await sequencer.append(items) {
            guard case .success(.appended) = result else { throw LoadFailure("an item was not appended") }
        }
    }

    private func item() -> AppendItem {
        defer { stored += 1 }
        let key = (0..<4).flatMap { _ in
            withUnsafeBytes(of: UInt64.random(in: 0...UInt64.max, using: &random)) { Array($0) }
        }
        return AppendItem(
            tenant: "bench",
            stream: "bench/\(stored / 5)",
            expected: .version(Int64(stored % 5)),
            idempotency: [IdempotencyKey(key: key, request: key)],
            events: [
                ProposedEvent(
                    id: ids.next(),
                    type: "Measured",
                    schema: 1,
                    occurredAt: Timestamp(microsecondsSince1970: 1_767_225_600_000_000),
                    actor: "key:bench",
                    correlation: "bench",
                    data: BenchPayload.text(number: String(stored))
                )
            ]
        )
    }
}
