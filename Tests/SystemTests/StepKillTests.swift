import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Postgres
import Testing

extension UnderLoad {
    /// Servers are killed in the middle of a step of the read models: their checkpoints are moved, and some of their
    /// rows are stored, but nothing is committed.
    @Suite struct StepKillTests {
        private static let kills = ProcessInfo.processInfo.environment["DAYBOOK_SOAK_KILLS"].flatMap { Int($0) } ?? 4

        /// A table of each read model that a sale changes, in the order of a step.
        private static let tables = [
            "read_transactions.transactions", "read_batches.members", "read_movements.movements",
            "read_receipts.receipts",
        ]

        @Test func nothingIsLostOrStoredTwice() async throws {
            try await Daybook.withDatabase { daybook, url in
                let key = try await daybook.key()
                var samples = SampleRecords(series: 1, random: SeededGenerator(seed: 1))
                let configuration = PostgresConfiguration(connectionString: url)
                try await PostgresPool.withPool(configuration, options: .patient(connections: 2)) { pool in
                    for round in 0..<Self.kills {
                        let server = try await daybook.serve()
                        let record = samples.dejavooSale()
                        let before = try await Self.positions(in: pool) { behind, _ in behind.isEmpty }
                        let table = Self.tables[round % Self.tables.count]
                        let backend = try await pool.withTransaction { transaction in
                            // The step waits for this lock once it has got to the table.
                            try await transaction.script("LOCK TABLE \(table) IN SHARE MODE")
                            #expect(try await server.client(key).post(record).status == 201)
                            let backend = try await Self.waiter(for: table, in: pool)
                            try await server.process.kill()
                            return backend
                        }
                        try await Self.waitForEnd(of: backend, in: pool)
                        // What was moved in the step is as before.
                        let after = try await Self.positions(in: pool) { _, _ in true }
                        #expect(after == before, "\(table)")
                    }
                    try await expectTheCulpritToBeNamed(daybook, key, samples.dejavooSale(), in: pool)
                    let payments = try await pool.query("SELECT count(*) FROM read_transactions.transactions", [])
                    #expect(try payments.single().int64(0) == Int64(Self.kills + 1))
                }
                // Every row is what the log gives when it is folded again.
                let reports = try await daybook.json("rebuild").array ?? []
                #expect(reports.count > Self.tables.count)
                for report in reports { #expect(report["equal"] == true, "\(report.text)") }
            }
        }

        /// A read model that cannot store a row halts alone and is named, until the next start.
        private func expectTheCulpritToBeNamed(
            _ daybook: Daybook,
            _ key: String,
            _ record: SampleRecord,
            in pool: PostgresPool
        ) async throws {
            let server = try await daybook.serve()
            _ = try await Self.positions(in: pool) { behind, _ in behind.isEmpty }
            try await pool.withConnection { connection in
                try await connection.script(
                    "ALTER TABLE read_receipts.receipts ADD CONSTRAINT planted CHECK (version < 0) NOT VALID"
                )
            }
            #expect(try await server.client(key).post(record).status == 201)
            _ = try await Self.positions(in: pool) { behind, faults in behind == ["receipts"] && faults == behind }
            let models = try await server.client(key).get("/v1/projections")["items"]?.array ?? []
            #expect(models.filter { $0["fault"] != nil }.map { $0["name"]?.string } == ["receipts"], "\(models)")
            try await pool.withConnection { connection in
                try await connection.script("ALTER TABLE read_receipts.receipts DROP CONSTRAINT planted")
            }
            #expect(try await server.stop() == 0)
            let next = try await daybook.serve()
            _ = try await Self.positions(in: pool) { behind, faults in behind.isEmpty && faults.isEmpty }
            #expect(try await next.stop() == 0)
        }

        /// The position of each read model, as soon as they fulfil a condition.
        ///
        /// - Parameter isDue: Whether these names of read models that are behind the log, and of those that are halted,
        ///   are expected.
        private static func positions(
            in pool: PostgresPool,
            when isDue: (_ behind: Set<String>, _ faults: Set<String>) -> Bool
        ) async throws -> [String: Int64] {
            while true {
                let rows = try await pool.query(
                    """
                    SELECT c.name, c.position, c.fault IS NOT NULL, (SELECT max(position) FROM ledger.events)
                      FROM projection.checkpoints c WHERE c.is_live
                    """,
                    []
                )
                var positions: [String: Int64] = [:]
                var (behind, faults): (Set<String>, Set<String>) = ([], [])
                for row in rows {
                    let name = try row.text(0)
                    positions[name] = try row.int64(1)
                    if try row.bool(2) { faults.insert(name) }
                    if try row.int64(1) < row.int64OrNull(3) ?? 0 { behind.insert(name) }
                }
                if isDue(behind, faults) { return positions }
                await Task.yield()
            }
        }

        /// The process of the database that waits for a lock on a table.
        private static func waiter(for table: String, in pool: PostgresPool) async throws -> Int32 {
            while true {
                let rows = try await pool.query(
                    "SELECT pid FROM pg_locks WHERE NOT granted AND relation = $1::text::regclass",
                    [.text(table)]
                )
                if let row = rows.first { return try row.int32(0) }
                await Task.yield()
            }
        }

        private static func waitForEnd(of backend: Int32, in pool: PostgresPool) async throws {
            while true {
                let rows = try await pool.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [.int32(backend)])
                if rows.isEmpty { return }
                await Task.yield()
            }
        }
    }
}
