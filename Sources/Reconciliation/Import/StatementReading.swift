import Canonical
import Crypto
import EventLog
import Statements

/// Receives the items that are read from a file.
protocol StatementCollector: Sendable {
    mutating func add(_ item: StatementItem) throws
}

/// One pass over one file. It runs outside the shared thread pool, because a file that is one document is parsed in
/// one step, which takes time in proportion to its size.
actor StatementReading<Collector: StatementCollector> {
    private nonisolated let executor = QueueExecutor(label: "daybook.statement")
    private var reader: any StatementReader
    private var collector: Collector
    private var hash = SHA256()
    private(set) var bytes: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ reader: any StatementReader, into collector: Collector) {
        self.reader = reader
        self.collector = collector
    }

    /// SHA-256 of the bytes read so far, in hexadecimal digits.
    var digest: String {
        hash.finalize().map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }

    /// - Throws: `StatementProblem`, and the errors of the collector.
    func read(_ chunk: [UInt8]) throws {
        hash.update(data: chunk)
        bytes += Int64(chunk.count)
        try reader.read(chunk[...]) { try collector.add($0) }
    }

    /// Ends the file.
    ///
    /// - Throws: The errors of `read`.
    func finish() throws {
        try reader.finish { try collector.add($0) }
    }

    /// Runs `body` on the collector.
    func take<Result: Sendable>(_ body: @Sendable (inout Collector) throws -> Result) rethrows -> Result {
        try body(&collector)
    }
}

/// The events of a file, in the order in which they are recorded.
struct StatementParts: StatementCollector {
    /// The number of parts that are appended together.
    private static let atOnce = 6

    /// The number of recorded parts left to skip.
    private var skipped: Int64
    private var writer: StatementPartWriter
    private var waiting: [StatementEvent] = []
    private(set) var count: Int64 = 0
    private(set) var lines: Int64 = 0

    /// - Parameter file: The digest of the file.
    init(of file: String, skipping skipped: Int64) {
        writer = StatementPartWriter(of: file)
        self.skipped = skipped
    }

    mutating func add(_ item: StatementItem) {
        if case .line = item { lines += 1 }
        writer.add(item)
        if writer.isFull { close() }
    }

    /// The complete parts, in groups that are appended together.
    mutating func complete() -> [[StatementEvent]] {
        var runs: [[StatementEvent]] = []
        while waiting.count >= Self.atOnce {
            runs.append(Array(waiting.prefix(Self.atOnce)))
            waiting.removeFirst(Self.atOnce)
        }
        return runs
    }

    /// The remaining parts, and the end of the import.
    mutating func end() -> [[StatementEvent]] {
        if !writer.isEmpty { close() }
        waiting.append(.imported(StatementCompletion(parts: count)))
        let runs = complete() + (waiting.isEmpty ? [] : [waiting])
        waiting = []
        return runs
    }

    private mutating func close() {
        let part = writer.take()
        count += 1
        if skipped > 0 { skipped -= 1 } else { waiting.append(.partRecorded(part)) }
    }
}
