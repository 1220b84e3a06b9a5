import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

struct FollowerTests {
    @Test func aFollowerSeesEverythingInOrderWhileTwoWritersAppend() async throws {
        try await TestLog.with { log in
            let other = log.anotherSequencer(limits: .init(batchItems: 3))
            try await TestLog.running(other) {
                let following = Task { try await Self.follow(log.signal, log.reader, until: 600) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<6 {
                        group.addTask {
                            for number in 0..<50 {
                                let sequencer = (writer + number) % 2 == 0 ? log.sequencer : other
                                _ = try await sequencer.append(.sample("w\(writer)", count: 2))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let seen = try await following.value
                #expect(TestLog.faults(of: seen).isEmpty)
                #expect(seen == (try await log.events()))
            }
        }
    }

    @Test func aWaitingFollowerIsWokenByTheSequencerOfItsProcess() async throws {
        try await TestLog.with { log in
            let following = Task { try await Self.follow(log.signal, log.reader, until: 1, pollEvery: .seconds(3600)) }
            _ = try await log.sequencer.append(.sample("a"))
            #expect(try await following.value.map(\.position) == [1])
        }
    }

    /// Two sets of objects on one database, like two processes. The follower's polling is practically off.
    @Test func aFollowerInAnotherProcessIsWokenByANotice() async throws {
        try await TestLog.with { log in
            let other = PositionSignal()
            let notices = [log.signal, other].map { signal in
                AppendNotices(configuration: log.configuration, pool: log.pool, signal: signal, logger: TestLog.logger)
            }
            let telling = notices.map { notices in Task { await notices.run() } }
            let listeners = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'idle' AND query LIKE 'LISTEN%'
                """
            while try await log.superuser.query(listeners).single().int64(0) < 2 { await Task.yield() }
            let following = Task { try await Self.follow(other, log.reader, until: 20, pollEvery: .seconds(3600)) }
            for _ in 0..<20 { _ = try await log.sequencer.append(.sample("a")) }
            #expect(try await following.value.map(\.position) == Array(1...20))
            for task in telling { task.cancel() }
            for task in telling { await task.value }
        }
    }

    @Test func aHoleInTheLogStopsTheFollower() async throws {
        try await TestLog.with { log in
            for _ in 0..<4 { _ = try await log.sequencer.append(.sample("a")) }
            // Only an owner of the table can do this.
            try await log.superuser.withConnection { connection in
                try await connection.script(
                    "ALTER TABLE ledger.events DISABLE TRIGGER ALL; DELETE FROM ledger.events WHERE position = 3"
                )
            }
            let follower = Follower(reader: log.reader, signal: log.signal)
            let gap = await #expect(throws: GapInLog.self) { try await follower.next(after: 0) }
            #expect(gap?.expected == 3)
            #expect(gap?.found == 4)
        }
    }

    @Test func aCancelledFollowerEnds() async throws {
        try await TestLog.with { log in
            let following = Task { try await Self.follow(log.signal, log.reader, until: 1, pollEvery: .seconds(3600)) }
            following.cancel()
            await #expect(throws: (any Error).self) { try await following.value }
        }
    }

    @Test func theFeedFiltersAndShowsOneTenant() async throws {
        try await TestLog.with { log in
            let start = log.clock.now()
            for number in 1...6 {
                var item = AppendItem.sample("s\(number % 2)", tenant: number == 4 ? "other" : "acme", count: 0)
                var event = ProposedEvent.sample(number % 3 == 0 ? "Third" : "Plain")
                event.actor = "actor-\(number % 2)"
                item.events = [event]
                log.clock.set(start.adding(microseconds: Int64(number)))
                _ = try await log.sequencer.append(item)
            }
            func feed(after: Int64 = 0, limit: Int = 100, _ set: (inout EventFilter) -> Void = { _ in }) async throws
                -> [Int64]
            {
                var filter = EventFilter()
                set(&filter)
                return try await log.reader.feed(of: "acme", matching: filter, after: after, limit: limit)
                    .map(\.position)
            }
            #expect(try await feed() == [1, 2, 3, 5, 6])
            #expect(try await feed { $0.stream = "s0" } == [2, 6])
            #expect(try await feed { $0.type = "Third" } == [3, 6])
            #expect(try await feed { $0.actor = "actor-1" } == [1, 3, 5])
            #expect(try await feed { $0.upTo = 3 } == [1, 2, 3])
            #expect(try await feed { $0.recordedFrom = start.adding(microseconds: 3) } == [3, 5, 6])
            #expect(try await feed { $0.recordedBefore = start.adding(microseconds: 3) } == [1, 2])
            #expect(try await feed { ($0.type, $0.stream) = ("Third", "s1") } == [3])
            #expect(try await feed(after: 2, limit: 2) == [3, 5])
            #expect(try await feed(after: 6).isEmpty)
        }
    }

    private static func follow(
        _ signal: PositionSignal,
        _ reader: EventReader,
        until last: Int64,
        pollEvery: Duration = .milliseconds(5)
    ) async throws -> [RecordedEvent] {
        let follower = Follower(reader: reader, signal: signal, batch: 50, pollEvery: pollEvery)
        var seen: [RecordedEvent] = []
        while (seen.last?.position ?? 0) < last { seen += try await follower.next(after: seen.last?.position ?? 0) }
        return seen
    }
}
