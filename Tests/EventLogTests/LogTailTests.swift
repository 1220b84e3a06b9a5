import DaybookTestKit
import Postgres
import Testing

@testable import EventLog

struct LogTailTests {
    /// Items of several streams and tenants, with and without keys, some of them repeats.
    private static func append(_ log: TestLog, by sequencer: Sequencer? = nil, rounds: Int = 8) async {
        await withTaskGroup(of: Void.self) { group in
            for round in 0..<rounds {
                group.addTask {
                    var items: [AppendItem] = []
                    for number in 0..<12 {
                        var item = AppendItem.sample("s\(number % 5)", count: number % 3 + 1)
                        if number % 2 == 0 {
                            let key = [UInt8](repeating: UInt8(round / 2 * 16 + number), count: 32)
                            item.idempotency = [IdempotencyKey(key: key, request: key)]
                        }
                        if number == 3 { item.references = ["name \(round)"] }
                        items.append(item)
                    }
                    _ = await (sequencer ?? log.sequencer).append(items)
                }
            }
        }
    }

    @Test func theTailEqualsTheDatabase() async throws {
        try await TestLog.with { log in
            await Self.append(log)
            let head = try await log.reader.head()
            let written = log.tail.events(after: 0, limit: .max)
            #expect(written == (try await log.events()))
            #expect(written.contains { $0.claims != nil })
            var random = SeededGenerator.forTest()
            for _ in 0..<50 {
                let position = Int64.random(in: 0...head, using: &random)
                let limit = Int.random(in: 1...40, using: &random)
                let expected = try await log.reader.events(after: position, limit: limit)
                #expect(log.tail.events(after: position, limit: limit) == expected)
            }
        }
    }

    @Test func oldEventsAreReadFromTheDatabase() async throws {
        try await TestLog.with { log in
            let tail = LogTail(bytes: 20_000)
            let sequencer = Sequencer(
                configuration: log.configuration,
                clock: log.clock,
                signal: .init(),
                tail: tail,
                logger: TestLog.logger
            )
            try await TestLog.running(sequencer) {
                for _ in 0..<6 { await Self.append(log, by: sequencer, rounds: 2) }
                let all = try await log.events()
                #expect(tail.events(after: 0, limit: 1).isEmpty)
                #expect(!tail.events(after: Int64(all.count) - 1, limit: 1).isEmpty)
                let reader = EventReader(pool: log.pool, tail: tail)
                var read: [RecordedEvent] = []
                while let last = try await reader.run(after: Int64(read.count), limit: 7).last {
                    read += try await reader.run(after: Int64(read.count), limit: 7)
                    #expect(last.position == Int64(read.count))
                }
                #expect(read == all)
            }
        }
    }

    /// Even with large events, a step of a follower takes a bounded amount of memory.
    @Test func largeEventsMakeShortRuns() async throws {
        try await TestLog.with { log in
            var large = AppendItem.sample("large")
            large.events[0].data = "\"" + String(repeating: "x", count: 1 << 20) + "\""
            let items = Array(repeating: large, count: 24) + [AppendItem.sample("small", count: 200)]
            for result in await log.sequencer.append(items) { _ = try result.get() }
            var lengths: [Int] = []
            var position: Int64 = 0
            while let last = try await log.reader.run(after: position, limit: 100).last {
                let run = try await log.reader.run(after: position, limit: 100)
                try Follower.check(run, follow: position)
                lengths.append(run.count)
                position = last.position
            }
            #expect(position == 224)
            #expect(lengths.allSatisfy { $0 <= 100 })
            #expect(lengths.first.map { $0 <= 16 } == true)
        }
    }

    /// Events that another process writes in between are not in this process's tail.
    @Test func twoWritersLeaveNoGap() async throws {
        try await TestLog.with { log in
            let other = log.anotherSequencer()
            try await TestLog.running(other) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await Self.append(log) }
                    group.addTask { await Self.append(log, by: other) }
                }
                let reader = EventReader(pool: log.pool, tail: log.tail)
                var position: Int64 = 0
                while let last = try await reader.run(after: position, limit: 9).last {
                    let events = try await reader.run(after: position, limit: 9)
                    try Follower.check(events, follow: position)
                    position = last.position
                }
                #expect(try await position == log.reader.head())
            }
        }
    }

    /// After a failover the log may lack events that this process remembers having written.
    @Test func eventsLostByTheLogAreNotRead() async throws {
        try await TestLog.with { log in
            await Self.append(log, rounds: 1)
            let head = try await log.reader.head()
            let reader = EventReader(pool: log.pool, tail: log.tail)
            #expect(try await reader.run(after: head - 2, limit: 9).count == 2)
            try await log.superuser.withTransaction { transaction in
                try await transaction.script(
                    "ALTER TABLE ledger.events DISABLE TRIGGER ALL; DELETE FROM ledger.events WHERE position = \(head)"
                )
            }
            #expect(try await reader.run(after: head - 2, limit: 9).count == 1)
            #expect(log.tail.events(after: 0, limit: 9).isEmpty)
        }
    }
}
