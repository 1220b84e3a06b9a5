import Canonical
import DaybookTestKit
import EventLog
import Foundation
import Postgres
import Testing

/// Combines everything that could make a reader miss a position or see one twice. Short by default; `make soak` uses a
/// million events.
struct LongRunTests {
    private static let events = ProcessInfo.processInfo.environment["DAYBOOK_SOAK_EVENTS"].flatMap { Int($0) } ?? 20_000
    private static let writers = 8

    @Test func aFollowerSeesEveryPositionOnceAndInOrder() async throws {
        try await OwnServer.with { log, server in
            let other = log.anotherSequencer(limits: .init(batchItems: 50))
            try await TestLog.running(other) {
                // A follower in this process, which its sequencer wakes and supplies with events, and one that only
                // polls and reads, like another process.
                let sources = [
                    (EventReader(pool: log.pool, tail: log.tail), log.signal), (log.reader, PositionSignal()),
                ]
                let followers = sources.map { reader, signal in
                    Task { try await Self.follow(reader, signal) }
                }
                let unrest = Task { try await Self.unrest(log) }
                let restart = Task {
                    while try await patiently({ try await log.reader.head() }) < Int64(Self.events / 2) {
                        // Checks from time to time, to leave the processors to the writers.
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    try await server.restart()
                }
                let written = try await withThrowingTaskGroup(of: Int.self) { group in
                    for writer in 0..<Self.writers {
                        group.addTask { try await Self.write(writer, to: [log.sequencer, other]) }
                    }
                    return try await group.reduce(0, +)
                }
                try await restart.value
                unrest.cancel()
                _ = try? await unrest.value
                let head = try await patiently { try await log.reader.head() }
                #expect(written >= Self.events)
                #expect(Int(head) == written)
                for follower in followers {
                    // Ends when it has seen the last position; it throws if one was missing or repeated.
                    #expect(try await follower.value >= Int64(Self.events))
                    follower.cancel()
                }
                let sound = try await log.pool.query(
                    """
                    SELECT count(*), min(position), max(position), count(DISTINCT position), count(DISTINCT id)
                    FROM ledger.events
                    """
                ).single()
                for column in [0, 2, 3, 4] { #expect(try sound.int64(column) == head) }
                #expect(try sound.int64(1) == 1)
            }
        }
    }

    /// Follows until all expected events have been seen.
    private static func follow(_ reader: EventReader, _ signal: PositionSignal) async throws -> Int64 {
        let follower = Follower(reader: reader, signal: signal, batch: 1000, pollEvery: .milliseconds(50))
        var position: Int64 = 0
        while position < Int64(events) {
            do {
                // Throws at a gap, a repeat, and anything out of order.
                position = try await follower.next(after: position).last?.position ?? position
            } catch let error as PostgresError where error.isWorthRetrying {
                await Task.yield()
            }
        }
        return position
    }

    /// - Returns: The number of acknowledged events.
    private static func write(_ writer: Int, to sequencers: [Sequencer]) async throws -> Int {
        var random = SeededGenerator(seed: UInt64(writer))
        var written = 0
        var version: Int64 = 0
        while written < events / writers + 1 {
            // Both instances append to the same stream in turn, so each has to detect the other's appends.
            let items = (0..<Int.random(in: 1...60, using: &random)).map { index in
                AppendItem.sample(
                    "w\(writer)",
                    expected: .version(version + Int64(index)),
                    keys: [.sample("\(writer)-\(written + index)")]
                )
            }
            let sequencer = sequencers[Int.random(in: 0..<2, using: &random)]
            for result in await sequencer.append(items) {
                guard case .appended = try result.get() else { throw TestKitError("an item was not appended") }
            }
            written += items.count
            version += Int64(items.count)
        }
        return written
    }

    /// Transactions that take a number and a lock and roll back, and others that stay open for a long time.
    private static func unrest(_ log: TestLog) async throws {
        while !Task.isCancelled {
            do {
                try await log.pool.withConnection { parked in
                    try await parked.script(
                        """
                        BEGIN; SELECT txid_current();
                        CREATE TEMPORARY TABLE IF NOT EXISTS parked (n int); INSERT INTO parked VALUES (1)
                        """
                    )
                    for _ in 0..<20 {
                        try await log.pool.withConnection { connection in
                            try await connection.script(
                                """
                                BEGIN;
                                UPDATE ledger.head SET position = position + 1000;
                                INSERT INTO ledger.reference_keys SELECT 'acme', 'x', 'y', position FROM ledger.head;
                                ROLLBACK
                                """
                            )
                        }
                        // Only sets the pace of these transactions; nothing waits for it.
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    try await parked.script("ROLLBACK")
                }
            } catch is PostgresError {
                // The server was restarted meanwhile.
                await Task.yield()
            }
        }
    }
}
