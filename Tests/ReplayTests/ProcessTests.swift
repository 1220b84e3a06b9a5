import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Payments
import Projections
import Replay
import Simulator
import Testing

/// Automatic queries: step by step, on a stopped clock.
@Suite("Automatic queries") struct ProcessTests {
    @Test func doubtsAreQueriedWhenTheyAreDue() async throws {
        try await withBooks { log, books in
            let ids = try await World.with(log, books: books, faults: "lost=100") { world in
                var ids: [UUID128] = []
                for number in 0..<12 { ids.append(try await world.sell(1_000 + Int64(number))) }
                return ids
            }
            try await World.with(log, books: books) { world in
                let readModels = ReadModels([TransactionsProjection()], pool: log.pool, reader: log.reader)
                try await readModels.install()
                let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
                let following = Task { await follower.run() }
                let process = ResolverProcess(
                    pool: log.pool,
                    resolver: world.resolver,
                    readModels: readModels,
                    appended: log.signal,
                    ids: UUIDv7Generator(clock: log.clock),
                    wallClock: log.clock,
                    logger: TestLog.logger
                )
                func caughtUp() async throws {
                    let head = try await log.reader.head()
                    let isThere = try await readModels.wait(
                        for: "transactions",
                        toReach: head,
                        timeout: .seconds(60)
                    )
                    #expect(isThere)
                }
                var schedule = ResolverProcess.Schedule()
                try await caughtUp()
                try await process.step(&schedule)
                #expect(schedule.count == 12)
                let due = try #require(schedule.earliest)
                #expect(due.microseconds(since: log.clock.now()) == 5_000_000)
                log.clock.set(due)
                try await process.step(&schedule)
                #expect(schedule.count == 0)
                for id in ids {
                    let state = try await world.state(id)
                    #expect(state.status == .captured)
                }
                // Another process that begins now has nothing to do.
                try await caughtUp()
                var other = ResolverProcess.Schedule()
                try await process.step(&other)
                #expect(other.count == 0)
                following.cancel()
                await following.value
            }
        }
    }

    @Test func dueReversalsAreSent() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                var ids: [UUID128] = []
                for number in 0..<3 { ids.append(try await world.sell(1_000 + Int64(number))) }
                for id in ids.dropLast() { try await world.fail(id) }
                let readModels = ReadModels([TransactionsProjection()], pool: log.pool, reader: log.reader)
                try await readModels.install()
                let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
                let following = Task { await follower.run() }
                let head = try await log.reader.head()
                #expect(try await readModels.wait(for: "transactions", toReach: head, timeout: .seconds(60)))
                // Two servers at once.
                let processes = (0..<2).map { _ in
                    ResolverProcess(
                        pool: log.pool,
                        resolver: world.resolver,
                        readModels: readModels,
                        appended: log.signal,
                        ids: UUIDv7Generator(clock: log.clock),
                        wallClock: log.clock,
                        logger: TestLog.logger
                    )
                }
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for process in processes {
                        group.addTask {
                            var schedule = ResolverProcess.Schedule()
                            try await process.step(&schedule)
                            return schedule.count
                        }
                    }
                    try await group.waitForAll()
                }
                for id in ids.dropLast() {
                    #expect(try await world.state(id).status == .voided)
                    #expect(try await world.reversals(id).count == 1)
                }
                let kept = try #require(ids.last)
                #expect(try await world.state(kept).status == .captured)
                following.cancel()
                await following.value
            }
        }
    }
}
