import DaybookTestKit
import Postgres
import Testing

@testable import EventLog

struct PartitionTests {
    private static let limits = Sequencer.Limits(partitionSpan: 256)
    private static let partitions = "SELECT first, last FROM ledger.partitions ORDER BY first"

    private static func append(_ count: Int, to log: TestLog, by sequencer: Sequencer) async throws {
        for result in await sequencer.append((0..<count).map { .sample("s\($0 % 7)", count: 5) }) {
            guard case .appended = try result.get() else { throw TestKitError("not appended: \(result)") }
        }
    }

    /// No partitions are added in advance; both writers repeatedly reach the end of the last one.
    @Test func appendsGoOnWhenThereIsNoPartitionLeft() async throws {
        try await TestLog.with(template: .smallPartitions(1), limits: Self.limits) { log in
            let other = log.anotherSequencer(limits: Self.limits)
            try await TestLog.running(other) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sequencer in [log.sequencer, other] {
                        group.addTask { try await Self.append(200, to: log, by: sequencer) }
                    }
                    try await group.waitForAll()
                }
            }
            let events = try await log.events()
            #expect(events.count == 2000)
            #expect(TestLog.faults(of: events).isEmpty)
            try await Self.checkPartitions(log)
        }
    }

    @Test func keepersStayTwoPartitionsAhead() async throws {
        try await TestLog.with(template: .smallPartitions(1), limits: Self.limits) { log in
            let keepers = (0..<2).map { _ in
                PartitionKeeper(pool: log.pool, appended: log.signal, span: 256, logger: TestLog.logger)
            }
            #expect(try await keepers[0].keep() == 512)
            let keeping = keepers.map { keeper in Task { await keeper.run() } }
            try await Self.append(200, to: log, by: log.sequencer)
            let count = "SELECT count(*) FROM ledger.partitions"
            while try await log.pool.query(count).single().int64(0) < 6 { await Task.yield() }
            for task in keeping { task.cancel() }
            for task in keeping { await task.value }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for keeper in keepers { group.addTask { try await keeper.keep() } }
                try await group.waitForAll()
            }
            #expect(try await keepers[0].keep() == 1536)
            #expect(try await log.pool.query(count).single().int64(0) == 6)
            try await Self.checkPartitions(log)
        }
    }

    /// A partition is touched unless the plan shows it as "never executed".
    @Test func readsTouchOnlyThePartitionsTheyAreAfter() async throws {
        try await TestLog.with(template: .smallPartitions(20), limits: Self.limits) { log in
            try await Self.append(500, to: log, by: log.sequencer)
            _ = try await log.sequencer.append(.sample("late", count: 3))
            try await Self.append(500, to: log, by: log.sequencer)
            try await log.superuser.withConnection {
                try await $0.script("ANALYZE ledger.events; ANALYZE ledger.streams")
            }
            let late = try await Self.touched(EventQuery(tenant: "acme", stream: "late", limit: 100), log)
            #expect(!late.isEmpty)
            #expect(late.allSatisfy { $0 >= 2305 }, "\(late)")
            for after in [Int64(0), 300, 2000, 4900] {
                let page = try await Self.touched(EventQuery(after: after, limit: 100), log)
                #expect(page.count <= 2, "after \(after): \(page)")
                let feed = try await Self.touched(EventQuery(after: after, tenant: "acme", limit: 100), log)
                #expect(feed.count <= 2, "after \(after): \(feed)")
                let one = try await Self.touched(EventQuery(after: after, upTo: after + 1, limit: 1), log)
                #expect(one == [after / 256 * 256 + 1])
            }
            let newest = EventQuery(tenant: "acme", limit: 10, isNewestFirst: true)
            #expect(try await Self.touched(newest, log).count <= 2)
        }
    }

    /// The first positions of the partitions that a query reads.
    private static func touched(_ query: EventQuery, _ log: TestLog) async throws -> [Int64] {
        let (sql, parameters) = query.statement
        let rows = try await log.superuser.query("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql, parameters)
        var touched: Set<Int64> = []
        for row in rows {
            let line = try row.text(0)
            guard !line.contains("never executed"), let name = line.firstMatch(of: /events_(\d{12})/) else { continue }
            touched.insert(try #require(Int64(name.1)))
        }
        return touched.sorted()
    }

    private static func checkPartitions(_ log: TestLog) async throws {
        var next: Int64 = 1
        for row in try await log.pool.query(partitions) {
            #expect(try row.int64(0) == next)
            #expect(try row.int64(1) == next + 255)
            next += 256
        }
    }
}
