import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

struct RunnerTests {
    @Test func twoRunnersOfOneProjectionApplyEverythingOnce() async throws {
        try await TestLog.with(connections: 12) { log in
            let projection = CountingProjection()
            let store = ProjectionStore(projection: projection, pool: log.pool)
            let progress = PositionSignal()
            let followers = (0..<3).map { _ in Self.follower(projection, log, progress) }
            try await withFollowers(followers) {
                for number in 0..<200 { _ = try await log.sequencer.append(.sample("s\(number % 7)", count: 2)) }
                while try await store.position(isLive: true) < 400 { await progress.wait(beyond: 399) }
                let total = try await log.pool.query("SELECT count, weight FROM read_counting.total").single()
                #expect(try total.int64(0) == 400)
                let seen = try await log.pool.query("SELECT count(*), max(position) FROM read_counting.seen").single()
                #expect(try seen.int64(0) == 400)
                #expect(try seen.int64(1) == 400)
            }
        }
    }

    @Test func aLateRunnerAppliesNothing() async throws {
        try await TestLog.with { log in
            let store = ProjectionStore(projection: CountingProjection(), pool: log.pool)
            try await store.install()
            try await store.install()
            _ = try await log.sequencer.append(.sample("a", count: 5))
            #expect(try await store.advance(1...3, of: log))
            #expect(try await !store.advance(1...5, of: log))
            #expect(try await !store.advance(5...5, of: log))
            #expect(try await store.advance(4...5, of: log))
            #expect(try await store.position(isLive: true) == 5)
            let count = try await log.pool.query("SELECT count FROM read_counting.total").single().int64(0)
            #expect(count == 5)
        }
    }

    @Test func aStepIsSeenWhileItRunsAndNotWhileItWaits() async throws {
        try await TestLog.with(connections: 12) { log in
            let models = ReadModels([CountingProjection()], pool: log.pool, reader: log.reader)
            try await models.install()
            let move = "UPDATE projection.checkpoints SET position = position WHERE name = 'counting'"
            #expect(try await !models.isApplyingStep())
            try await log.pool.withTransaction { step in
                try await step.execute(move)
                #expect(try await models.isApplyingStep())
            }
            #expect(try await !models.isApplyingStep())
            // A step that waits for a table which another session has locked.
            try await log.superuser.withConnection { other in
                try await other.script("BEGIN; LOCK TABLE read_counting.total")
                let waiting = Task {
                    try await log.pool.withTransaction { step in
                        try await step.execute(move)
                        try await step.execute("UPDATE read_counting.total SET count = count")
                    }
                }
                let waits = """
                    SELECT EXISTS (
                        SELECT FROM pg_locks WHERE NOT granted AND relation = 'read_counting.total'::regclass
                            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    )
                    """
                while try await !log.pool.query(waits).single().bool(0) { await Task.yield() }
                #expect(try await !models.isApplyingStep())
                try await other.script("ROLLBACK")
                try await waiting.value
            }
        }
    }

    @Test func aWaitLastsAsLongAsAStepIsApplied() async throws {
        try await TestLog.with(connections: 12) { log in
            let models = ReadModels([CountingProjection()], pool: log.pool, reader: log.reader)
            try await models.install()
            _ = try await log.sequencer.append(.sample("a", count: 2))
            func waits(for name: String = "counting") async throws -> Bool {
                try await models.wait(for: name, toReach: 2, idle: .milliseconds(1))
            }
            #expect(try await !waits())
            let ended = try await log.pool.withTransaction { step in
                try await step.execute("UPDATE projection.checkpoints SET position = 2 WHERE name = 'counting'")
                // It is asked several times whether a step is applied before the step ends.
                let waiting = Task { try await waits() }
                let asked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%projection.checkpoints%'"
                for _ in 0..<20 { _ = try await step.query(asked) }
                return waiting
            }
            #expect(try await ended.value)
            #expect(try await waits())
            #expect(try await !waits(for: "other"))
        }
    }

    @Test func aPoisonedEventHaltsItsReadModelOnly() async throws {
        try await Following.with(runs: false) { following in
            let log = following.log
            let batch = Samples.batch("1")
            for number in 0..<20 { try await log.record(Samples.sale(100, batch: batch), about: Samples.id(number)) }
            let poison = try await log.recordPoison(in: StreamName.batch(batch, of: "acme"))
            for number in 20..<30 { try await log.record(Samples.sale(100, batch: batch), about: Samples.id(number)) }
            try await following.running {
                try await following.catchUp(["transactions", "receipts"])
                let halted = try await following.waitForFault(of: "batches")
                #expect(halted.fault == "Payments.UnknownEvent")
                #expect(halted.faultPosition == poison)
                // Every event before it is applied, including those in the same run.
                #expect(halted.position == poison - 1)
                #expect(halted.lag == 41)
                #expect(try await following.batches.batch(StreamName.batchID(batch, of: "acme"), of: "acme") != nil)
                // The wait ends, because the position cannot be reached.
                #expect(try await !following.models.wait(for: "batches", toReach: poison, timeout: .seconds(86_400)))
                // The other read models and appends continue.
                try await log.record(Samples.sale(100), about: Samples.id(99))
                try await following.catchUp(["transactions", "receipts"])
                #expect(try await following.progress(of: "batches").position == poison - 1)
                #expect(try await following.progress(of: "transactions").fault == nil)
            }
        }
    }

    @Test func aGapInTheLogHaltsEveryReadModelRightBeforeIt() async throws {
        try await Following.with(runs: false) { following in
            let log = following.log
            for number in 0..<5 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            let missing = try await log.reader.head() - 1
            // Only an owner of the table can do this.
            try await log.superuser.withConnection { connection in
                try await connection.script(
                    "ALTER TABLE ledger.events DISABLE TRIGGER ALL; DELETE FROM ledger.events WHERE position = \(missing)"
                )
            }
            // A process that has the events in memory notices nothing.
            let models = ReadModels(ReadModels.all, pool: log.pool, reader: EventReader(pool: log.pool))
            try await withFollowers([models.follower(appended: log.signal, logger: TestLog.logger)]) {
                for name in ReadModels.all.map(\.name) {
                    let halted = try await following.waitForFault(of: name)
                    #expect(halted.fault == "EventLog.GapInLog")
                    #expect(halted.faultPosition == missing)
                    #expect(halted.position == missing - 1)
                }
            }
        }
    }

    @Test func aPoisonedPaymentHaltsItsReadModelsAtItsEvent() async throws {
        try await Following.with(runs: false) { following in
            let log = following.log
            for number in 0..<10 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            let poison = try await log.recordPoison(in: StreamName.transaction(Samples.id(3)))
            try await log.record(Samples.sale(100), about: Samples.id(10))
            try await following.running {
                // Merchants, statements, reconciliation and replays have their own streams.
                let others = ["merchants", "statements", "reconciliation", "replays"]
                for name in ReadModels.all.map(\.name) where !others.contains(name) {
                    let halted = try await following.waitForFault(of: name)
                    #expect(halted.faultPosition == poison)
                    #expect(halted.position == poison - 1)
                }
                #expect(try await following.transactions.transaction(Samples.id(3), of: "acme") != nil)
                #expect(try await following.transactions.transaction(Samples.id(10), of: "acme") == nil)
            }
        }
    }

    /// A restart retries, and a halted runner continues once another process has got past the event.
    @Test func aRestartContinuesAfterTheFaultIsRemoved() async throws {
        try await TestLog.with(connections: 12) { log in
            let progress = PositionSignal()
            _ = try await log.sequencer.append(.sample("a", count: 4))
            try await log.recordPoison(in: "a")
            _ = try await log.sequencer.append(.sample("a", count: 4))
            let store = ProjectionStore(projection: CountingProjection(), pool: log.pool)
            try await withFollowers([Self.follower(CountingProjection(refuses: "Nonsense"), log, progress)]) {
                let fault = "SELECT fault_position FROM projection.checkpoints WHERE fault IS NOT NULL"
                while try await log.pool.query(fault).isEmpty { await Task.yield() }
                #expect(try await log.pool.query(fault).single().int64(0) == 5)
                #expect(try await store.position(isLive: true) == 4)
                // The same projection without the fault, as a new build would start it.
                try await withFollowers([Self.follower(CountingProjection(), log, progress)]) {
                    while try await store.position(isLive: true) < 9 { await progress.wait(beyond: 8) }
                    #expect(try await log.pool.query(fault).isEmpty)
                }
                // Only the previously halted runner is left to apply this.
                _ = try await log.sequencer.append(.sample("a"))
                while try await store.position(isLive: true) < 10 { await progress.wait(beyond: 9) }
            }
            let count = try await log.pool.query("SELECT count FROM read_counting.total").single().int64(0)
            #expect(count == 10)
        }
    }

    @Test func olderRulesAreRebuiltAtTheStart() async throws {
        try await TestLog.with(connections: 12) { log in
            let progress = PositionSignal()
            let store = ProjectionStore(projection: CountingProjection(), pool: log.pool)
            _ = try await log.sequencer.append(.sample("a", count: 30))
            try await withFollowers([Self.follower(CountingProjection(), log, progress)]) {
                while try await store.position(isLive: true) < 30 { await progress.wait(beyond: 29) }
                // Two processes of the new build start beside the old one.
                let newer = (0..<2).map { _ in Self.follower(CountingProjection(version: 2), log, progress) }
                try await withFollowers(newer) {
                    while try await store.installedVersion() != 2 { await Task.yield() }
                    _ = try await log.sequencer.append(.sample("a", count: 5))
                    while try await store.position(isLive: true) < 35 { await progress.wait(beyond: 34) }
                }
            }
            let total = try await log.pool.query("SELECT count, weight FROM read_counting.total").single()
            #expect(try total.int64(0) == 35)
            #expect(try total.int64(1) == 70)
            let rows = try await log.pool.query("SELECT is_live, version, position FROM projection.checkpoints")
            #expect(rows.count == 1)
            #expect(try rows.single().int32(1) == 2)
        }
    }

    @Test func newerRulesAreLeftAlone() async throws {
        try await TestLog.with { log in
            let newer = ProjectionStore(projection: CountingProjection(version: 2), pool: log.pool)
            try await newer.install()
            _ = try await log.sequencer.append(.sample("a", count: 3))
            // The runner ends without being cancelled.
            await Self.follower(CountingProjection(), log, .init()).run()
            let older = ProjectionStore(projection: CountingProjection(), pool: log.pool)
            #expect(try await !older.advance(1...3, of: log))
            #expect(try await newer.position(isLive: true) == 0)
            #expect(try await newer.installedVersion() == 2)
        }
    }

    @Test func aRunnerOutlivesALostConnection() async throws {
        try await TestLog.with(connections: 12) { log in
            let progress = PositionSignal()
            let store = ProjectionStore(projection: CountingProjection(), pool: log.pool)
            try await withFollowers([Self.follower(CountingProjection(), log, progress)]) {
                _ = try await log.sequencer.append(.sample("a"))
                while try await store.position(isLive: true) < 1 { await progress.wait(beyond: 0) }
                try await TestDatabase.psql(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """,
                    at: log.url
                )
                _ = try await log.sequencer.append(.sample("a"))
                // The runner announces its old position again when it has reconnected.
                while progress.position < 2 { await progress.wait(beyond: 1) }
            }
            #expect(progress.position == 2)
        }
    }

    @Test func waitingReportsWhetherThePositionWasReached() async throws {
        try await Following.with(runs: false) { following in
            let position = try await following.log.record(Samples.sale(100), about: Samples.id(1))
            let models = following.models
            #expect(try await models.wait(for: "receipts", toReach: 0, timeout: .zero))
            #expect(try await !models.wait(for: "receipts", toReach: position, timeout: .milliseconds(1)))
            #expect(try await !models.wait(for: "nonsense", toReach: 0, timeout: .zero))
            let waiting = Task { try await models.wait(for: "receipts", toReach: position, timeout: .seconds(60)) }
            try await following.running {
                let isThere = try await waiting.value
                #expect(isThere)
            }
            let cancelled = Task { try await models.wait(for: "receipts", toReach: 1000, timeout: .seconds(60)) }
            cancelled.cancel()
            await #expect(throws: (any Error).self) { try await cancelled.value }
            #expect(ReadModels.named("batches")?.name == "batches")
            #expect(ReadModels.named("nonsense") == nil)
        }
    }

    private static func follower(
        _ projection: CountingProjection,
        _ log: TestLog,
        _ progress: PositionSignal
    ) -> ReadModelFollower {
        ReadModelFollower(
            [projection],
            pool: log.pool,
            reader: log.reader,
            appended: log.signal,
            progress: [projection.name: progress],
            logger: TestLog.logger,
            retryEvery: .milliseconds(20)
        )
    }
}
