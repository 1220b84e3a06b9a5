import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

struct RebuildTests {
    /// The rows must not depend on where the log was cut into runs: the live model cuts it anywhere.
    @Test func aRebuildGivesTheSameRowsHoweverTheLogWasCut() async throws {
        var random = SeededGenerator.forTest()
        let seed = random.next()
        try await Following.with(runs: false) { following in
            var random = SeededGenerator(seed: seed)
            var history = RandomHistory(random)
            try await history.record(130, in: following.log)
            let events = try await following.log.events()
            for projection in ReadModels.all {
                let store = ProjectionStore(projection: projection, pool: following.log.pool)
                // Some payments are remembered from run to run, and some are read again.
                let reader = EventReader(pool: following.log.pool, tail: following.log.tail)
                let runs = LogRuns(reader: reader, payments: 20)
                var position: Int64 = 0
                while position < events.count {
                    let end = position + Int64.random(in: 1...9, using: &random)
                    let run = try #require(try await runs.run(after: position, upTo: end))
                    try #require(try await store.advance(run, of: runs, isLive: true))
                    position = run.end
                }
                let report = try await following.rebuild(projection.name)
                #expect(report.liveDigest == report.rebuiltDigest, "\(projection.name)")
                #expect(report.isSwapped)
                #expect(report.events == Int64(events.count))
                #expect(try await store.digest() == report.liveDigest)
            }
        }
    }

    @Test func theSameLogGivesTheSameDigestInAnotherSession() async throws {
        try await Following.with { following in
            try await following.log.record(Samples.sale(100, batch: Samples.batch("1")), about: Samples.id(1))
            try await following.catchUp()
            let store = ProjectionStore(projection: TransactionsProjection(), pool: following.log.pool)
            let digest = try await store.digest()
            let abroad = PostgresConfiguration(
                connectionString: following.log.url + "&options=-c%20TimeZone%3DAsia/Tokyo%20-c%20DateStyle%3DGerman"
            ).acting(as: .service)
            let other = try await PostgresPool.withPool(abroad, options: .patient) { pool in
                try await ProjectionStore(projection: TransactionsProjection(), pool: pool).digest()
            }
            #expect(other == digest)
        }
    }

    @Test func aRebuildWhileAppendsGoOnIsComparedAndSwapped() async throws {
        try await Following.with { following in
            let writing = Task {
                for number in 0..<120 {
                    try await following.log.record(
                        Samples.sale(100, batch: Samples.batch("\(number % 3)")),
                        about: Samples.id(number)
                    )
                }
            }
            for name in ReadModels.all.map(\.name) + ["transactions"] {
                let report = try await following.rebuild(name)
                #expect(report.liveDigest == report.rebuiltDigest, "\(name)")
                #expect(report.isSwapped)
            }
            try await writing.value
            try await following.catchUp()
            for name in ReadModels.all.map(\.name) {
                let report = try await following.rebuild(name)
                #expect(report.liveDigest == report.rebuiltDigest)
                #expect(report.events == 480)
            }
            let all = try await following.transactions.transactions(of: "acme", matching: .init(), limit: 1000)
            #expect(all.count == 120)
            #expect(try await following.models.positions().allSatisfy { !$0.isRebuilding && $0.lag == 0 })
        }
    }

    @Test func readsNeverStopDuringTheSwap() async throws {
        try await Following.with { following in
            for number in 0..<20 {
                try await following.log.record(Samples.sale(100, batch: Samples.batch("1")), about: Samples.id(number))
            }
            try await following.catchUp()
            let isDone = PositionSignal()
            let readers = (0..<3).map { reader in
                Task {
                    var reads = 0
                    repeat {
                        switch reader {
                        case 0:
                            let all = try await following.transactions.transactions(
                                of: "acme",
                                matching: .init(),
                                limit: 100
                            )
                            try #require(all.count == 20)
                        case 1:
                            try #require(try await following.receipts.receipt(of: Samples.id(7), tenant: "acme") != nil)
                        default:
                            let batch = try await following.batches.batches(of: "acme", limit: 10)
                            try #require(batch.first?.totals.first?.count == 20)
                        }
                        reads += 1
                    } while isDone.position == 0
                    return reads
                }
            }
            for _ in 0..<5 {
                for name in ReadModels.all.map(\.name) {
                    #expect(try await following.rebuild(name, force: true).isSwapped)
                }
            }
            isDone.reached(1)
            for reader in readers { #expect(try await reader.value > 0) }
        }
    }

    @Test func tamperedRowsAreFoundAndStayUntilForced() async throws {
        try await Following.with { following in
            let pool = following.log.pool
            try await following.log.record(Samples.sale(100), about: Samples.id(1))
            try await following.catchUp()
            let honest = try await following.rebuild("transactions").liveDigest
            try await pool.execute("UPDATE read_transactions.transactions SET amount = 1")
            // The rows are compared however far the log is ahead of them.
            try await following.log.record(Samples.sale(200), about: Samples.id(2))
            let report = try await following.rebuild("transactions")
            #expect(report.liveDigest != report.rebuiltDigest)
            #expect(!report.isSwapped)
            #expect(
                try await pool.query("SELECT amount FROM read_transactions.transactions WHERE amount = 1").count == 1
            )
            #expect(try await !following.progress(of: "transactions").isRebuilding)
            let right = try await pool.query("SELECT amount FROM read_transactions_rebuild.transactions ORDER BY 1")
            #expect(try right.first?.int64(0) == 100)

            let forced = try await following.rebuild("transactions", force: true)
            #expect(forced.isSwapped)
            #expect(forced.liveDigest != forced.rebuiltDigest)
            try await following.catchUp()
            let amounts = try await pool.query("SELECT amount FROM read_transactions.transactions ORDER BY 1")
            #expect(try amounts.map { try $0.int64(0) } == [100, 200])
            let again = try await following.rebuild("transactions")
            #expect(again.liveDigest == again.rebuiltDigest)
            #expect(again.liveDigest != honest)
        }
    }

    @Test func aRebuildThatMeetsAPoisonedEventLeavesTheLiveRows() async throws {
        try await Following.with { following in
            try await following.log.record(Samples.sale(100), about: Samples.id(1))
            try await following.log.record(Samples.sale(200), about: Samples.id(2))
            try await following.catchUp()
            try await following.log.tamper("UPDATE ledger.events SET type = 'Nonsense' WHERE position = 6")
            let error = await #expect(throws: UnappliedEvent.self) { try await following.rebuild("transactions") }
            #expect(error?.position == 6)
            #expect(error?.reason == "Payments.UnknownEvent")
            #expect(try await following.transactions.transaction(Samples.id(2), of: "acme") != nil)
            #expect(try await !following.progress(of: "transactions").isRebuilding)
            try await following.log.tamper("UPDATE ledger.events SET type = 'SaleRequested' WHERE position = 6")
            #expect(try await following.rebuild("transactions").isSwapped)
        }
    }

    @Test func readModelsAreRebuiltInOnePassAndOneThatFailsStopsNoOther() async throws {
        try await Following.with { following in
            for number in 0..<10 {
                try await following.log.record(Samples.sale(100, batch: Samples.batch("1")), about: Samples.id(number))
            }
            try await following.catchUp()
            let rebuilds = ReadModels.all.map {
                ProjectionRebuild(projection: $0, pool: following.log.pool, reader: following.log.reader)
            }
            func swapped() async throws -> [String] {
                let names = ReadModels.all.map(\.name)
                return try await zip(names, ProjectionRebuild.run(rebuilds)).compactMap { name, outcome in
                    guard let report = try? outcome.get() else { return nil }
                    #expect(report.name == name && report.events == 40)
                    #expect(report.liveDigest == report.rebuiltDigest)
                    return report.isSwapped ? name : nil
                }
            }
            #expect(try await swapped() == ReadModels.all.map(\.name))

            try await following.log.tamper("UPDATE ledger.events SET type = 'Unknown' WHERE position = 6")
            let sound = try await swapped()
            #expect(sound.contains("statements"))
            #expect(!sound.contains("transactions") && !sound.contains("receipts"))
            #expect(try await following.models.positions().allSatisfy { !$0.isRebuilding })
            #expect(try await following.transactions.transaction(Samples.id(2), of: "acme") != nil)
            let left = try await following.log.pool.query("SELECT FROM pg_namespace WHERE nspname LIKE '%_rebuild'")
            #expect(left.isEmpty)

            try await following.log.tamper("UPDATE ledger.events SET type = 'SaleRequested' WHERE position = 6")
            #expect(try await swapped() == ReadModels.all.map(\.name))
        }
    }

    @Test func aReadModelThatIsBehindEndsWhereItIs() async throws {
        try await Following.with(runs: false) { following in
            for number in 0..<10 { try await following.log.record(Samples.sale(100), about: Samples.id(number)) }
            let ends: [(any Projection, Int64)] = [
                (TransactionsProjection(), 40), (ReceiptsProjection(), 13), (MerchantsProjection(), 0),
            ]
            for (projection, end) in ends where end > 0 {
                let store = ProjectionStore(projection: projection, pool: following.log.pool)
                #expect(try await store.advance(1...end, of: following.log))
            }
            let rebuilds = ends.map {
                ProjectionRebuild(projection: $0.0, pool: following.log.pool, reader: following.log.reader)
            }
            for ((_, end), outcome) in zip(ends, try await ProjectionRebuild.run(rebuilds)) {
                let report = try outcome.get()
                #expect(report.events == end && report.isSwapped && report.liveDigest == report.rebuiltDigest)
            }
        }
    }

    @Test func twoRebuildsAtOnceTakeTurns() async throws {
        try await Following.with { following in
            for number in 0..<10 { try await following.log.record(Samples.sale(100), about: Samples.id(number)) }
            try await following.catchUp()
            try await withThrowingTaskGroup(of: ProjectionRebuild.Report.self) { group in
                for _ in 0..<3 { group.addTask { try await following.rebuild("transactions") } }
                for try await report in group {
                    #expect(report.isSwapped)
                    #expect(report.liveDigest == report.rebuiltDigest)
                }
            }
            let schemas = try await following.log.pool.query(
                "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'read_transactions%' ORDER BY 1"
            )
            #expect(try schemas.map { try $0.text(0) } == ["read_transactions"])
        }
    }

    @Test func progressIsReportedWhileEventsAreApplied() async throws {
        try await Following.with { following in
            for number in 0..<3 { try await following.log.record(Samples.sale(100), about: Samples.id(number)) }
            try await following.catchUp()
            let reported = PositionSignal()
            let rebuild = ProjectionRebuild(
                projection: ReceiptsProjection(),
                pool: following.log.pool,
                reader: following.log.reader
            )
            _ = try await rebuild.run { applied, all in
                if all == 12 { reported.reached(applied) }
            }
            #expect(reported.position == 12)
        }
    }
}
