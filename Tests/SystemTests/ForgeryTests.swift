import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Testing

/// Changes that a superuser makes to a log with all triggers off, and the position that `daybook verify` reports as
/// users run it.
struct ForgeryTests {
    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: String
        /// The position in SQL, on the log before it was changed.
        var position = "100"
        var sql: String
    }

    static let forgeries: [Forgery] = [
        Forgery(
            testDescription: "a changed byte in data",
            kind: "record",
            sql: "UPDATE ledger.events SET data = regexp_replace(data::text, '[a-p]', 'q')::json WHERE position = 100"
        ),
        Forgery(
            testDescription: "a changed header column",
            kind: "record",
            sql: "UPDATE ledger.events SET actor = 'nobody' WHERE position = 100"
        ),
        Forgery(
            testDescription: "a deleted row",
            kind: "missing",
            sql: "DELETE FROM ledger.events WHERE position = 100"
        ),
        Forgery(
            testDescription: "two swapped rows",
            kind: "record",
            position: "101",
            sql: """
                UPDATE ledger.events SET position = 1000000 WHERE position = 100;
                UPDATE ledger.events SET position = 100 WHERE position = 101;
                UPDATE ledger.events SET position = 101 WHERE position = 1000000
                """
        ),
        Forgery(
            testDescription: "a row inserted again",
            kind: "extra",
            position: "(SELECT position + 1 FROM ledger.head)",
            sql: """
                INSERT INTO ledger.events SELECT (SELECT position + 1 FROM ledger.head), id, tenant, stream || '2', version,
                    type, schema, occurred_at, recorded_at, actor, correlation, causation, claims, data, leaf
                FROM ledger.events WHERE position = 100
                """
        ),
        Forgery(
            testDescription: "a truncated tail, removed everywhere in the database",
            kind: "truncated",
            position: "251",
            sql: """
                DELETE FROM ledger.events WHERE position > 250;
                DELETE FROM ledger.tiles; DELETE FROM ledger.checkpoints WHERE size > 250;
                DELETE FROM ledger.idempotency WHERE position > 250;
                DELETE FROM ledger.reference_keys WHERE position > 250;
                DELETE FROM ledger.streams WHERE first_position > 250;
                UPDATE ledger.streams s SET version =
                    (SELECT max(version) FROM ledger.events e WHERE e.tenant = s.tenant AND e.stream = s.stream);
                UPDATE ledger.head SET position = 250,
                    recorded_at = (SELECT recorded_at FROM ledger.events WHERE position = 250)
                """
        ),
        Forgery(
            testDescription: "a changed leaf",
            kind: "leaf",
            sql: "UPDATE ledger.events SET leaf = sha256('x') WHERE position = 100"
        ),
        Forgery(
            testDescription: "a changed tile",
            kind: "tile",
            sql:
                "UPDATE ledger.tiles SET hashes = overlay(hashes placing '\\x00ff00ff' from 99 * 32 + 1) WHERE index = 0"
        ),
        Forgery(
            testDescription: "a changed checkpoint",
            kind: "signature",
            position: "(SELECT min(size) FROM ledger.checkpoints)",
            sql: """
                UPDATE ledger.checkpoints SET note = replace(note, E'\\n' || size || E'\\n', E'\\n' || size + 1 || E'\\n')
                WHERE size = (SELECT min(size) FROM ledger.checkpoints)
                """
        ),
        Forgery(
            testDescription: "a deleted checkpoint",
            kind: "checkpoint",
            position: "(SELECT max(size) FROM ledger.checkpoints)",
            sql: "DELETE FROM ledger.checkpoints WHERE size = (SELECT max(size) FROM ledger.checkpoints)"
        ),
        Forgery(
            testDescription: "a changed idempotency row",
            kind: "idempotency",
            position: "(SELECT max(position) FROM ledger.idempotency)",
            sql: """
                UPDATE ledger.idempotency SET request = sha256('x')
                WHERE position = (SELECT max(position) FROM ledger.idempotency)
                """
        ),
        Forgery(
            testDescription: "a changed row of a read model",
            kind: "read-model",
            position: "(SELECT last_position FROM read_transactions.transactions WHERE first_position = 1)",
            sql: "UPDATE read_transactions.transactions SET amount = amount + 1 WHERE first_position = 1"
        ),
    ]

    @Test(arguments: forgeries) func isReportedWithItsPosition(_ forgery: Forgery) async throws {
        try await withTestDatabase(template: SignedLog.template) { url in
            let daybook = try SignedLog.daybook(url)
            let position = Int64(try await TestDatabase.psql("SELECT \(forgery.position)", at: url))
            let before = try await TestDatabase.psql("SELECT position FROM ledger.head", at: url)
            try await TestDatabase.psql("SET session_replication_role = replica; \(forgery.sql)", at: url)
            let verified = try await daybook.run("verify", "--json")
            #expect(verified.exitCode == 2, "\(verified)")
            let faults = try JSONValue(parsing: verified.standardOutput)["faults"]?.array ?? []
            #expect(
                faults.contains { $0["kind"]?.string == forgery.kind && $0["position"]?.int64 == position },
                "\(position ?? 0) of \(before): \(faults.prefix(5))"
            )
        }
    }

    @Test func anUntouchedLogIsSound() async throws {
        try await withTestDatabase(template: SignedLog.template) { url in
            let verified = try await SignedLog.daybook(url).json("verify")
            #expect(verified["sound"]?.bool == true && verified["checkpoints"]?.int64 ?? 0 >= 4)
        }
    }
}

/// A log of 100 payments with read models, checkpoints and a witness file, made once by the commands and copied.
private enum SignedLog {
    private static let files = Result { try TemporaryDirectory.shared(prefix: "dbk-signed") }

    static func daybook(_ url: String) throws -> Daybook {
        let directory = try files.get().path
        return Daybook(
            directory: directory,
            environment: ["DATABASE_URL": url, "DAYBOOK_WITNESS_FILE": "\(directory)/witness"]
        )
    }

    static let template = TestDatabase.Template(
        "signed",
        onCopy: { "GRANT CREATE ON DATABASE \($0) TO daybook_service" }
    ) { url in
        let daybook = try daybook(url)
        guard try await daybook.run("keys", "log").succeeded else { throw TestKitError("keys log") }
        let key = try await daybook.key()
        let server = try await daybook.serve()
        var samples = SampleRecords(series: 7, random: SeededGenerator(seed: 7))
        for _ in 0..<4 {
            for record in samples.make(25) {
                let answer = try await server.client(key).post(record)
                guard answer.status == 201 else { throw TestKitError("\(answer.status)") }
            }
            while true {
                let log = try await server.client(key).get("/v1/log")
                if log["checkpoint"]?["size"] == log["position"] { break }
                try await ContinuousClock().sleep(for: .milliseconds(20))
            }
        }
        _ = try await server.client(key).get("/v1/transactions")
        guard try await server.stop() == 0 else { throw TestKitError("serve") }
    }
}
