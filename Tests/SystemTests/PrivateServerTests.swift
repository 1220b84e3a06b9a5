import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import PostgresCluster
import Testing

/// The commands without a database URL: all share one private server and the last one to end stops it.
@Suite(.serialized) struct PrivateServerTests {
    private func server(_ doctor: JSONValue) -> String? {
        doctor["checks"]?.array?.first { $0["check"]?.string == "private server" }?["found"]?.string
    }

    @Test func commandsShareAServerAndTakeOverOneThatWasLeftBehind() async throws {
        try await Daybook.with { daybook in
            // Nothing exists yet: no problem is reported, and the check creates nothing.
            let none = try await daybook.json("doctor")
            #expect(none["healthy"]?.bool == true)
            #expect(server(none)?.hasPrefix("not created yet") == true)
            #expect(!FileManager.default.fileExists(atPath: daybook.directory + "/.daybook"))

            let key = try await daybook.key()
            let stopped = try await daybook.json("doctor")
            #expect(server(stopped)?.hasPrefix("stopped") == true)
            // It runs for the check, so the log is examined, too.
            #expect(stopped["checks"]?.array?.contains { $0["check"] == "log" && $0["state"] == "ok" } == true)

            let first = try await daybook.serve()
            var samples = SampleRecords(series: 1, random: SeededGenerator(seed: 1))
            let record = samples.bridgePaySale()
            let posted = try await first.client(key).post(record)
            #expect(posted.status == 201)
            let id = try #require(try JSONValue(parsing: posted.body)["transaction"]?.string)
            #expect(server(try await daybook.json("doctor"))?.hasPrefix("running") == true)
            // Its log is signed from the first start on.
            let file = daybook.directory + "/.daybook/log.key"
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            async let shown = daybook.json("show", id)
            async let tailed = daybook.json("tail")
            #expect(try await shown["status"]?.string == "captured")
            #expect(try await tailed.array?.isEmpty == false)
            #expect(try await first.client(key).send(HTTPRequest(target: "/readyz")).status == 200)

            try await first.process.kill()
            #expect(server(try await daybook.json("doctor"))?.hasPrefix("running") == true, "nothing stopped it")
            #expect(try await daybook.json("show", id)["id"]?.string == id)
            #expect(server(try await daybook.json("doctor"))?.hasPrefix("stopped") == true, "the last user stopped it")

            try await expectRecovery(daybook, key, record)
        }
    }

    /// The database is killed under a running server, and any other command restarts it.
    private func expectRecovery(_ daybook: Daybook, _ key: String, _ record: SampleRecord) async throws {
        let server = try await daybook.serve()
        let cluster = PrivateCluster(dataDirectory: daybook.directory + "/.daybook")
        try await PostgresProcesses(of: cluster).kill()
        #expect(try await daybook.run("tail").exitCode == 0)
        var answer = try await server.client(key).post(record)
        while answer.status == 503 {
            try Task.checkCancellation()
            answer = try await server.client(key).post(record)
        }
        #expect(answer.status == 201)
        #expect(answer.fields["idempotency-replayed"] == "true")
        #expect(try await server.stop() == 0)
        #expect(self.server(try await daybook.json("doctor"))?.hasPrefix("stopped") == true)
    }

    @Test func theDemonstrationPlaysATradingDay() async throws {
        try await Daybook.with { daybook in
            let first = try await daybook.run("demo", "--exit")
            #expect(first.exitCode == 0, "\(first)")
            for text in [
                "A trading day: 300 payments", "Payments:", "captured", "settled", "in doubt", "Batches:", "closed",
                "the ledger matches the truth", "Receipt of", "MERCHANT COPY", "TOTAL", "bai2", "camt053",
                "iposgo-settlement",
                "missing-at-processor", "the reconciliation found every discrepancy", "unexplained difference",
            ] {
                #expect(first.standardOutput.contains(text), "\(text) is missing in\n\(first.standardOutput)")
            }
            let second = try await daybook.run("demo", "--exit")
            #expect(second.exitCode == 0, "\(second)")
            // The same documents again change nothing.
            #expect(second.standardOutput == first.standardOutput)
            let report = try await daybook.json("demo", "--exit")
            #expect(report["score"]?["isClean"]?.bool == true)
            #expect(report["receipt"]?.object != nil)
            #expect(report["reconciliation"]?["score"]?["isClean"]?.bool == true)
            #expect(report["reconciliation"]?["isBalanced"]?.bool == true)
            // A payment that an app reports twice is two payments for the ledger.
            let count = try #require(report["transactions"]?.array?.count)
            #expect(count >= 300 && report["score"]?["payments"]?.int64 == Int64(count))
            #expect(report["batches"]?.array?.isEmpty == false)
        }
    }

    @Test func theDatabaseCommandStartsKeepsAndStops() async throws {
        try await Daybook.with { daybook in
            let url = try #require(try await daybook.json("db", "start")["connection"]?.string)
            #expect(try await TestDatabase.psql("SELECT 7", at: url) == "7")
            #expect(server(try await daybook.json("db", "status"))?.hasPrefix("running") == true)
            #expect(try await daybook.run("tail").exitCode == 1, "there is no tenant")
            #expect(try await TestDatabase.psql("SELECT 7", at: url) == "7", "it stays until it is stopped")
            let psql = try await daybook.run("db", "psql", "--", "-Atc", "SELECT 6 * 7")
            #expect(psql.standardOutput == "42\n", "\(psql)")
            #expect(try await daybook.json("db", "stop")["stopped"]?.bool == true)
            #expect(server(try await daybook.json("db", "status"))?.hasPrefix("stopped") == true)
        }
    }
}
