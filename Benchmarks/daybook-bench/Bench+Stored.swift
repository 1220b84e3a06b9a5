import BenchReport
import DaybookTestKit
import Postgres
import PostgresCluster

/// The database of lines e and f, with many payments, filled once.
extension Bench {
    /// The database's URL. The database is filled if it has too few payments.
    mutating func stored() async throws -> String {
        let url = server.lease.connectionString(database: "stored")
        if try await server.databaseExists("stored") {
            let there = try await number("SELECT count(*) FROM read_transactions.transactions", url)
            if there >= payments { return url }
            try await server.drop("stored")
        }
        try await server.create("stored")
        let start = LoadGenerator.now()
        let taken = documents
        let (_, memory) = try await BenchService.with(program: program, at: url) { service in
            try await fill(service, documents: taken)
            try await settle(url)
        }
        let seconds = Double(LoadGenerator.now() - start) / 1e6
        add(
            BenchRow(
                line: "-",
                what: "\(Figure.grouped(payments)) payments recorded, until every read model has them",
                figure: "\(Int(seconds)) s; \(Figure.rate(Double(taken) / seconds, "documents"))",
                memory: "\(memory) MiB"
            )
        )
        // Without this, the first figures include the vacuum after the load.
        try await TestPsql(server).run("VACUUM ANALYZE", at: url)
        try await TestPsql(server).run("CHECKPOINT", at: url)
        return url
    }

    /// One of five documents follows up the payment before it.
    private var documents: Int { (payments * 5 / 4 + 499) / 500 * 500 }

    private func fill(_ service: BenchService, documents: Int) async throws {
        let template = RequestTemplate(
            path: "/v1/intake/bridgepay",
            type: "application/x-ndjson",
            key: service.key,
            lines: try BenchRecords.documents(500)
        )
        let generator = LoadGenerator(port: service.port, connections: 2, mark: "\"status\":201")
        let outcome = try await onThread {
            var number: UInt64 = 100_000_000
            var asked = 0
            return try generator.run(warmUp: 0, seconds: .infinity, until: { asked * 500 >= documents }) { request in
                template.write(from: number, to: &request)
                number += 500
                asked += 1
                if asked % 200 == 0 {
                    note("  \(Figure.grouped(asked * 500)) of \(Figure.grouped(documents)) documents")
                }
            }
        }
        try outcome.check(recordsEach: 500)
    }

    /// Waits until every read model has applied the log.
    func settle(_ url: String) async throws {
        let behind = """
            SELECT count(*) FROM projection.checkpoints c, ledger.head h WHERE c.is_live AND c.position < h.position
            """
        while try await number(behind, url) != 0 { try await Task.sleep(for: .milliseconds(200)) }
    }

    func number(_ sql: String, _ url: String) async throws -> Int {
        Int(try await TestPsql(server).run(sql, at: url).filter(\.isNumber)) ?? 0
    }
}
