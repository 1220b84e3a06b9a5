import Audit
import DaybookTestKit
import EventLog
import Postgres
import Testing

/// Changes that a superuser can make to a log with all triggers off, and the position that verification reports.
struct TamperTests {
    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String
        var kind: LogFault.Kind
        /// The position that must be reported; in SQL, on the log before it was changed.
        var position = "100"
        var needsWitness = false
        var isReadModel = false
    }

    private static func column(_ name: String, _ value: String, kind: LogFault.Kind = .record) -> Forgery {
        Forgery(
            testDescription: "a changed \(name)",
            sql: "UPDATE ledger.events SET \(name) = \(value) WHERE position = 100",
            kind: kind
        )
    }

    static let events: [Forgery] = [
        column("data", "regexp_replace(data::text, '[a-p]', 'q')::json"),
        column("id", "'00000000-0000-7000-8000-000000000000'"),
        column("tenant", "'else'"),
        column("stream", "stream || '1'"),
        column("version", "version + 1"),
        column("type", "type || 'd'"),
        column("schema", "schema + 1"),
        column("occurred_at", "occurred_at + interval '1 microsecond'"),
        column("recorded_at", "recorded_at + interval '1 microsecond'"),
        column("recorded_at", "'infinity'", kind: .line),
        column("actor", "'nobody'"),
        column("correlation", "correlation || 'x'"),
        column("causation", "'00000000-0000-7000-8000-000000000000'"),
        column("claims", #"'{"events":1,"idempotency":{},"references":["a"]}'"#),
        column("leaf", "sha256('x')", kind: .leaf),
        Forgery(
            testDescription: "a changed event whose leaf was made to fit",
            sql: "UPDATE ledger.events SET leaf = sha256('x') WHERE position = 300",
            kind: .record,
            position: "300"
        ),
        Forgery(
            testDescription: "a deleted row",
            sql: "DELETE FROM ledger.events WHERE position = 100",
            kind: .missing
        ),
        Forgery(
            testDescription: "two swapped rows",
            sql: """
                UPDATE ledger.events SET position = 1000000 WHERE position = 100;
                UPDATE ledger.events SET position = 100 WHERE position = 101;
                UPDATE ledger.events SET position = 101 WHERE position = 1000000;
                """,
            kind: .record
        ),
        Forgery(
            testDescription: "a row inserted again after the end",
            sql: """
                INSERT INTO ledger.events SELECT (SELECT position + 1 FROM ledger.head), id, tenant, stream || '2', version,
                    type, schema, occurred_at, recorded_at, actor, correlation, causation, claims, data, leaf
                FROM ledger.events WHERE position = 100
                """,
            kind: .extra,
            position: "(SELECT position + 1 FROM ledger.head)"
        ),
        Forgery(
            testDescription: "a row inserted again, and the head moved",
            sql: """
                UPDATE ledger.head SET position = position + 1;
                INSERT INTO ledger.events SELECT (SELECT position FROM ledger.head), id, tenant, stream, version + 90,
                    type, schema, occurred_at, recorded_at, actor, correlation, causation, claims, data, leaf
                FROM ledger.events WHERE position = 100
                """,
            kind: .record,
            position: "(SELECT position + 1 FROM ledger.head)"
        ),
    ]

    private static let thirdCheckpoint = "SELECT size FROM ledger.checkpoints ORDER BY size OFFSET 2 LIMIT 1"

    static let beside: [Forgery] = [
        Forgery(
            testDescription: "a changed hash in a tile",
            sql:
                "UPDATE ledger.tiles SET hashes = overlay(hashes placing '\\x00ff00ff' from 99 * 32 + 1) WHERE index = 0",
            kind: .tile
        ),
        Forgery(
            testDescription: "a changed tile root",
            sql: "UPDATE ledger.tiles SET root = sha256('x') WHERE index = 0",
            kind: .tile,
            position: "1"
        ),
        Forgery(testDescription: "a deleted tile", sql: "DELETE FROM ledger.tiles", kind: .tile, position: "1"),
        Forgery(
            testDescription: "a tile too many",
            sql: "INSERT INTO ledger.tiles SELECT 0, 7, root, hashes FROM ledger.tiles LIMIT 1",
            kind: .tile,
            position: "1793"
        ),
        Forgery(
            testDescription: "a changed checkpoint root",
            sql:
                "UPDATE ledger.checkpoints SET root = sha256('x') WHERE size = (SELECT min(size) FROM ledger.checkpoints)",
            kind: .root,
            position: "(SELECT min(size) FROM ledger.checkpoints)"
        ),
        Forgery(
            testDescription: "a changed checkpoint note",
            sql: "UPDATE ledger.checkpoints SET note = replace(note, 'log.test', 'lag.test')",
            kind: .signature,
            position: "(SELECT max(size) FROM ledger.checkpoints)"
        ),
        Forgery(
            testDescription: "a deleted checkpoint, which the next one names",
            sql: "DELETE FROM ledger.checkpoints WHERE size = (\(thirdCheckpoint))",
            kind: .checkpoint,
            position: "(\(thirdCheckpoint))"
        ),
        Forgery(
            testDescription: "the first checkpoints deleted",
            sql: "DELETE FROM ledger.checkpoints WHERE size <= (\(thirdCheckpoint))",
            kind: .checkpoint,
            position: "(\(thirdCheckpoint))"
        ),
        Forgery(
            testDescription: "the newest checkpoint deleted",
            sql: "DELETE FROM ledger.checkpoints WHERE size = (SELECT max(size) FROM ledger.checkpoints)",
            kind: .checkpoint,
            position: "(SELECT max(size) FROM ledger.checkpoints)",
            needsWitness: true
        ),
        Forgery(
            testDescription: "all checkpoints deleted",
            sql: "DELETE FROM ledger.checkpoints",
            kind: .checkpoint,
            position: "(SELECT min(size) FROM ledger.checkpoints)",
            needsWitness: true
        ),
        Forgery(
            testDescription: "a changed head",
            sql: "UPDATE ledger.head SET frontier = overlay(frontier placing '\\x00ff00ff' from 1)",
            kind: .head,
            position: "1"
        ),
        Forgery(
            testDescription: "another time in the head",
            sql: "UPDATE ledger.head SET recorded_at = recorded_at - interval '1 second'",
            kind: .head,
            position: "(SELECT position FROM ledger.head)"
        ),
        Forgery(
            testDescription: "a deleted idempotency row",
            sql: "DELETE FROM ledger.idempotency WHERE position = (SELECT max(position) FROM ledger.idempotency)",
            kind: .idempotency,
            position: "(SELECT max(position) FROM ledger.idempotency)"
        ),
        Forgery(
            testDescription: "an idempotency row for another request",
            sql: "UPDATE ledger.idempotency SET request = sha256('x') WHERE position = 1",
            kind: .idempotency,
            position: "1"
        ),
        Forgery(
            testDescription: "an idempotency row that leads elsewhere",
            sql: "UPDATE ledger.idempotency SET position = 2 WHERE position = 1",
            kind: .idempotency,
            position: "2"
        ),
        Forgery(
            testDescription: "an idempotency row for another number of events",
            sql: "UPDATE ledger.idempotency SET events = events + 1 WHERE position = 1",
            kind: .idempotency,
            position: "1"
        ),
        Forgery(
            testDescription: "an idempotency row without an event",
            sql: "INSERT INTO ledger.idempotency VALUES (gen_random_uuid(), sha256('x'), 90000, 1)",
            kind: .idempotency,
            position: "90000"
        ),
        Forgery(
            testDescription: "a deleted reference key",
            sql: "DELETE FROM ledger.reference_keys WHERE position = (SELECT max(position) FROM ledger.reference_keys)",
            kind: .reference,
            position: "(SELECT max(position) FROM ledger.reference_keys)"
        ),
        Forgery(
            testDescription: "a reference key that leads elsewhere",
            sql: "UPDATE ledger.reference_keys SET stream = 'transaction/else' WHERE position = 1",
            kind: .reference,
            position: "1"
        ),
        Forgery(
            testDescription: "a reference key without an event",
            sql: "INSERT INTO ledger.reference_keys VALUES ('acme', 'x', 'transaction/x', 100)",
            kind: .reference
        ),
        Forgery(
            testDescription: "another version of a stream",
            sql: "UPDATE ledger.streams SET version = version + 1 WHERE first_position = 1",
            kind: .stream,
            position: "1"
        ),
        Forgery(
            testDescription: "another beginning of a stream",
            sql: "UPDATE ledger.streams SET first_position = 2 WHERE first_position = 1",
            kind: .stream,
            position: "2"
        ),
        Forgery(
            testDescription: "a deleted stream",
            sql: "DELETE FROM ledger.streams WHERE first_position = 1",
            kind: .stream,
            position: "1"
        ),
        Forgery(
            testDescription: "a stream without events",
            sql: "INSERT INTO ledger.streams VALUES ('acme', 'x', 1, 100)",
            kind: .stream
        ),
    ]

    private static let cutOff = "DELETE FROM ledger.events WHERE position > 250"
    /// Everything beside the events is restored to the earlier state as well, so only signatures stored elsewhere show
    /// the change.
    private static let cutOffCleanly = """
        \(cutOff);
        DELETE FROM ledger.tiles; DELETE FROM ledger.checkpoints WHERE size > 200;
        DELETE FROM ledger.idempotency WHERE position > 250; DELETE FROM ledger.reference_keys WHERE position > 250;
        DELETE FROM ledger.streams WHERE first_position > 250;
        UPDATE ledger.streams s SET version =
            (SELECT max(version) FROM ledger.events e WHERE e.tenant = s.tenant AND e.stream = s.stream);
        UPDATE ledger.head SET position = 250,
            recorded_at = (SELECT recorded_at FROM ledger.events WHERE position = 250);
        """

    static let tails: [Forgery] = [
        Forgery(testDescription: "a truncated tail", sql: cutOff, kind: .missing, position: "251"),
        Forgery(
            testDescription: "a truncated tail with the head moved back",
            sql: "\(cutOff); UPDATE ledger.head SET position = 250",
            kind: .truncated,
            position: "251"
        ),
        Forgery(
            testDescription: "a truncated tail with consistent tables",
            sql: cutOffCleanly,
            kind: .truncated,
            position: "251",
            needsWitness: true
        ),
    ]

    static let models: [Forgery] = [
        Forgery(
            testDescription: "a changed row of transactions",
            sql: "UPDATE read_transactions.transactions SET amount = amount + 1 WHERE first_position = 1",
            kind: .readModel,
            position: "(SELECT last_position FROM read_transactions.transactions WHERE first_position = 1)",
            isReadModel: true
        ),
        Forgery(
            testDescription: "a deleted row of transactions",
            sql: "DELETE FROM read_transactions.transactions WHERE first_position = 1",
            kind: .readModel,
            position: "(SELECT last_position FROM read_transactions.transactions WHERE first_position = 1)",
            isReadModel: true
        ),
        Forgery(
            testDescription: "a changed receipt",
            sql: """
                UPDATE read_receipts.receipts SET receipt = '{}' WHERE id =
                    (SELECT id FROM read_transactions.transactions WHERE first_position = 1)
                """,
            kind: .readModel,
            position: "1",
            isReadModel: true
        ),
        Forgery(
            testDescription: "a batch without events",
            sql: """
                INSERT INTO read_batches.batches VALUES
                    ('acme', gen_random_uuid(), 'dejavoo', NULL, '9', 'open', NULL, 100, 100, now(), NULL)
                """,
            kind: .readModel,
            isReadModel: true
        ),
        Forgery(
            testDescription: "a changed member of a batch",
            sql: """
                UPDATE read_batches.members SET amount = amount + 1 WHERE transaction =
                    (SELECT id FROM read_transactions.transactions WHERE first_position = 1)
                """,
            kind: .readModel,
            position: "1",
            isReadModel: true
        ),
    ]

    @Test(arguments: events + beside + tails + models) func isFoundAndNamed(_ forgery: Forgery) async throws {
        try await AuditedLog.with { url in
            let position = Int64(try await TestDatabase.psql("SELECT \(forgery.position)", at: url))
            try await TestDatabase.psql("SET session_replication_role = replica; \(forgery.sql)", at: url)
            let faults = try await AuditedLog.faults(
                at: url,
                withWitness: forgery.needsWitness,
                withModels: forgery.isReadModel
            )
            #expect(faults.contains { $0.kind == forgery.kind && $0.position == position }, "\(faults.prefix(5))")
            // One change must not cause many faults.
            if forgery.sql.contains("position = 100"), forgery.kind == .record, !forgery.sql.contains(";") {
                #expect(faults.count <= 4, "\(faults)")
            }
        }
    }

    /// With or without the witness file, a missing checkpoint is reported once.
    @Test func aDeletedCheckpointIsOneFault() async throws {
        let third = Self.thirdCheckpoint
        try await AuditedLog.with("DELETE FROM ledger.checkpoints WHERE size = (\(third))") { url in
            let faults = try await AuditedLog.faults(at: url, withWitness: true)
            #expect(faults.count == 1, "\(faults)")
        }
    }

    @Test func anUntouchedLogHasNoFault() async throws {
        try await AuditedLog.with { url in
            let head = try await AuditedLog.head(at: url)
            #expect(head > 300)
            let faults = try await AuditedLog.faults(at: url, withWitness: true, withModels: true)
            #expect(faults.isEmpty, "\(faults)")
            // The comparison of the read models has left nothing behind.
            let left = try await TestDatabase.psql(
                "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '%rebuild'",
                at: url
            )
            #expect(left == "0")
        }
    }

    @Test func anEmptyLogHasNoFault() async throws {
        try await withTestDatabase(template: .ledger) { url in
            let faults = try await AuditedLog.faults(at: url, withModels: true)
            #expect(faults.isEmpty, "\(faults)")
        }
    }

    @Test func appendsDuringAnAuditAreNoFault() async throws {
        try await TestLog.with { log in
            let appending = Task {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    let item = AppendItem.sample(
                        "s/\(number % 50)",
                        keys: [
                            IdempotencyKey(
                                key: Array("\(number)".utf8),
                                request: [UInt8](repeating: UInt8(number % 256), count: 32)
                            )
                        ],
                        references: ["r/\(number)"],
                        count: 3
                    )
                    _ = try await log.sequencer.append(item)
                }
                return number
            }
            while try await log.reader.head() < 900 {
                let faults = try await AuditedLog.faults(at: log.url)
                #expect(faults.isEmpty, "\(faults)")
            }
            appending.cancel()
            _ = try? await appending.value
            let faults = try await AuditedLog.faults(at: log.url)
            #expect(faults.isEmpty, "\(faults)")
        }
    }
}
