import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

@Suite("Read models that follow together") struct GatheringTests {
    @Test("Those that are furthest behind go first, up to where the next ones are")
    func order() {
        var gathering = Gathering()
        #expect(gathering.next == nil)
        gathering.put("a", at: 7)
        gathering.put("b", at: 7)
        #expect(gathering.next == .init(start: 7, ceiling: .max, names: ["a", "b"]))
        gathering.put("c", at: 3)
        #expect(gathering.next == .init(start: 3, ceiling: 7, names: ["c"]))
        gathering.put("c", at: 7)
        #expect(gathering.next?.names == ["a", "b", "c"])
        gathering.remove("b")
        #expect(gathering.next?.names == ["a", "c"])
    }

    @Test("No two read models have a table of the same name")
    func tablesDiffer() {
        let tables = ReadModels.all.flatMap(\.contents).map(\.name)
        #expect(Set(tables).count == tables.count)
    }

    @Test("A run of the log costs one transaction, whatever the number of read models")
    func transactions() async throws {
        try await Following.with { following in
            let log = following.log
            try await log.record(Samples.sale(100), about: Samples.id(1))
            try await following.catchUp()
            // Rows that one transaction has written have its number in xmin.
            let checkpoints = """
                SELECT count(DISTINCT xmin::text), count(*), min(position), max(position) FROM projection.checkpoints
                """
            for number in 2..<10 {
                try await log.record(Samples.sale(100), about: Samples.id(number))
                try await following.catchUp()
            }
            let row = try await log.pool.query(checkpoints).single()
            #expect(try row.int64(0) == 1)
            #expect(try row.int64(1) == Int64(ReadModels.all.count))
            #expect(try row.int64(2) == row.int64(3))
        }
    }

    @Test("A read model that was set back gets what it lacks, and then follows with the others")
    func behind() async throws {
        try await Following.with { following in
            let log = following.log
            for number in 0..<5 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            try await following.catchUp()
            try await log.pool.withTransaction { transaction in
                try await transaction.script(
                    """
                    DELETE FROM read_receipts.receipts;
                    UPDATE projection.checkpoints SET position = 0 WHERE name = 'receipts' AND is_live
                    """
                )
            }
            try await log.record(Samples.sale(100), about: Samples.id(5))
            try await following.catchUp()
            let positions = try await following.models.positions().map(\.position)
            #expect(Set(positions).count == 1)
            let report = try await following.rebuild("receipts")
            #expect(report.liveDigest == report.rebuiltDigest)
        }
    }

    @Test("Two processes apply each run once and stay together")
    func twoProcesses() async throws {
        try await Following.with { following in
            let log = following.log
            let other = ReadModels(ReadModels.all, pool: log.pool, reader: log.reader)
            try await withFollowers([other.follower(appended: log.signal, logger: TestLog.logger)]) {
                for number in 0..<60 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
                try await following.catchUp()
            }
            let model = try #require(ReadModels.named("transactions"))
            let report = try await following.rebuild(model.name)
            #expect(report.liveDigest == report.rebuiltDigest)
        }
    }

    @Test("A read model that the database refuses is alone, and the others go on")
    func refusedByTheDatabase() async throws {
        try await Following.with { following in
            let log = following.log
            try await log.record(Samples.sale(100), about: Samples.id(1))
            try await following.catchUp()
            try await log.tamper("ALTER TABLE read_receipts.receipts RENAME TO hidden")
            for number in 2..<5 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            try await following.catchUp(ReadModels.all.map(\.name).filter { $0 != "receipts" })
            #expect(try await following.progress(of: "receipts").lag > 0)
            try await log.tamper("ALTER TABLE read_receipts.hidden RENAME TO receipts")
            try await following.catchUp(["receipts"])
        }
    }

    @Test("Positions that the database has lost are noticed without a further event")
    func lostPositions() async throws {
        try await Following.with(runs: false) { following in
            let log = following.log
            for number in 0..<3 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            let follower = ReadModelFollower(
                ReadModels.all,
                pool: log.pool,
                reader: log.reader,
                appended: log.signal,
                progress: [:],
                logger: TestLog.logger,
                pollEvery: .milliseconds(1)
            )
            try await withFollowers([follower]) {
                try await following.catchUp()
                try await log.tamper(
                    """
                    DELETE FROM read_receipts.receipts;
                    UPDATE projection.checkpoints SET position = 0 WHERE name = 'receipts' AND is_live
                    """
                )
                try await following.catchUp(["receipts"])
            }
        }
    }
}
