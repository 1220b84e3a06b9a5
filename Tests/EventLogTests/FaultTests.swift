import Canonical
import DaybookTestKit
import EventLog
import Foundation
import Postgres
import Testing

/// Faults of the database during an append: every answer to the sender is true, and everything is in the log exactly
/// once.
struct FaultTests {
    @Test func noStatementTimeoutOfTheServersCutsAnAppendShort() async throws {
        try await TestLog.with { log in
            try await Self.alterDatabase("SET statement_timeout = '300ms'", log)
            let waiting = try await log.superuser.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let waiting = Task { await log.outcome(of: .sample("a", keys: [.sample("k")])) }
                let age = """
                    SELECT coalesce(max(clock_timestamp() - query_start) > '600ms', false) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                // On another connection: a transaction sees the activity of one moment only.
                while try await !patiently({ try await log.superuser.query(age).single().bool(0) }) {
                    await Task.yield()
                }
                return waiting
            }
            #expect(try await waiting.value.get() == .appended(AppendedRange(firstPosition: 1, count: 1)))
            #expect(try await patiently { try await log.events().count } == 1)
        }
    }

    /// Locks in opposite order: the server aborts one of the two transactions, and here that is the append.
    @Test func aDeadlockIsRetried() async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a", expected: .version(0)))
            let waiting = try await log.superuser.withTransaction { transaction in
                try await transaction.script("SET LOCAL deadlock_timeout = '60s'")
                _ = try await transaction.query("SELECT FROM ledger.streams WHERE stream = 'a' FOR UPDATE")
                let waiting = Task { await log.outcome(of: .sample("a", expected: .version(1), keys: [.sample("k")])) }
                try await log.waitForBlockedAppend()
                _ = try await transaction.query("SELECT FROM ledger.head FOR UPDATE")
                return waiting
            }
            #expect(try await waiting.value.get() == .appended(AppendedRange(firstPosition: 2, count: 1)))
            // The server updates its counter with a delay.
            let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            while try await log.superuser.query(deadlocks).single().int64(0) == 0 { await Task.yield() }
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
        }
    }

    /// Temporary errors. A sequence counts them, because it survives the transactions that fail.
    @Test(arguments: ["40001", "40P01", "53200", "57P01"])
    func aTemporaryErrorIsRetried(sqlState: String) async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a", expected: .version(0)))
            try await log.superuser.withConnection { connection in
                try await connection.script(
                    """
                    CREATE SEQUENCE public.moments;
                    CREATE FUNCTION public.bad_moment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        IF nextval('public.moments') < 3 THEN
                            RAISE EXCEPTION 'a bad moment' USING ERRCODE = '\(sqlState)';
                        END IF;
                        RETURN new;
                    END $$;
                    GRANT ALL ON SEQUENCE public.moments TO public;
                    CREATE TRIGGER bad_moment BEFORE INSERT ON ledger.idempotency
                        FOR EACH ROW EXECUTE FUNCTION public.bad_moment()
                    """
                )
            }
            let result = try await log.sequencer.append(.sample("a", expected: .version(1), keys: [.sample("k")]))
            #expect(result == .appended(AppendedRange(firstPosition: 2, count: 1)))
            #expect(try await log.superuser.query("SELECT last_value FROM public.moments").single().int64(0) == 3)
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
        }
    }

    /// Like a failover: the address leads to a standby for a while, which is then promoted.
    @Test func aReadOnlyServerIsWaitedFor() async throws {
        try await OwnServer.with { log, server in
            let warnings = WarningCounter()
            let patient = log.anotherSequencer(logger: warnings.logger)
            _ = try await log.sequencer.append(.sample("a", expected: .version(0)))
            let directory = try await log.superuser.query("SHOW data_directory").single().text(0)
            try await server.restart {
                let file = directory + "/standby.signal"
                #expect(FileManager.default.createFile(atPath: file, contents: nil))
                try Self.giveToOwner(of: file)
            }
            #expect(
                try await patiently { try await log.superuser.query("SELECT pg_is_in_recovery()").single().bool(0) }
            )
            let appending = Task { await patient.run() }
            let impatient = Task { await log.outcome(of: .sample("b", keys: [.sample("b")]), by: patient) }
            while warnings.count == 0 { await Task.yield() }
            let item = AppendItem.sample("a", expected: .version(1), keys: [.sample("k")])
            let waiting = Task { await log.outcome(of: item, by: patient) }
            // It tries, is refused, and tries again.
            while warnings.count < 3 { await Task.yield() }
            impatient.cancel()
            #expect(await impatient.value == .failure(AppendError(.outcomeUnknown)))
            #expect(try await log.reader.head() == 1)
            _ = try await log.superuser.query("SELECT pg_promote()")
            let range = AppendedRange(firstPosition: 3, count: 1)
            #expect(try await waiting.value.get() == .appended(range))
            // The answer to the impatient sender was true: its item was still being appended.
            let events = try await log.events()
            #expect(events.map(\.stream) == ["a", "b", "a"])
            #expect(TestLog.faults(of: events).isEmpty)
            await patient.close()
            await appending.value
        }
    }

    /// `/dev/full` in place of a table's file: the kernel reports no space for it, to any process.
    @Test func aFullDiskIsWaitedFor() async throws {
        try await OwnServer.with { log, server in
            _ = try await log.sequencer.append(.sample("a", expected: .version(0)))
            let path = try await log.superuser.query("SELECT pg_relation_filepath('ledger.idempotency')").single().text(
                0
            )
            let file = try await log.superuser.query("SHOW data_directory").single().text(0) + "/" + path
            try await server.restart()
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
            let waiting = Task { await log.outcome(of: .sample("a", expected: .version(1), keys: [.sample("k")])) }
            let other = Task { await log.outcome(of: .sample("b", expected: .version(0), keys: [.sample("other")])) }
            // Shows from outside how an insert fails on the full disk.
            var refusal: String?
            while refusal != "53100" {
                do {
                    let insert = "INSERT INTO ledger.idempotency VALUES (gen_random_uuid(), '', 1, 1)"
                    try await log.superuser.execute(insert)
                    Issue.record("there was space")
                    break
                } catch let error as PostgresError {
                    refusal = error.sqlState
                }
            }
            #expect(try await patiently { try await log.reader.head() } == 1)
            // Space again: an empty file, as the table was.
            try FileManager.default.removeItem(atPath: file)
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
            try Self.giveToOwner(of: file)
            try await server.restart()
            let outcomes = [try await waiting.value.get(), try await other.value.get()]
            let events = try await patiently { try await log.events() }
            // Either of the two may come first.
            #expect(events.map(\.stream).sorted() == ["a", "a", "b"] && events.first?.stream == "a")
            let places = events.dropFirst().map { event in (event.stream, event.position) }
            for (outcome, stream) in zip(outcomes, ["a", "b"]) {
                let place = places.first { $0.0 == stream }
                #expect(outcome == .appended(AppendedRange(firstPosition: place?.1 ?? 0, count: 1)))
            }
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    @Test func aRestartOfTheServerLosesNothing() async throws {
        try await OwnServer.with { log, server in
            let appended = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<60 {
                            let item = AppendItem.sample(
                                "w\(writer)",
                                expected: .version(Int64(number)),
                                keys: [.sample("\(writer)-\(number)")]
                            )
                            guard case .appended = try await log.sequencer.append(item) else { return number }
                        }
                        return 60
                    }
                }
                group.addTask {
                    while try await patiently({ try await log.reader.head() }) < 40 { await Task.yield() }
                    try await server.restart()
                    return 0
                }
                return try await group.reduce(0, +)
            }
            let events = try await patiently { try await log.events() }
            #expect(appended == 240)
            #expect(events.count == 240)
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    /// A failover that lost the newest events, or an old backup: this writer remembers the end of another log.
    @Test func aLogThatWasSetBackIsNotContinued() async throws {
        try await TestLog.with { log in
            for number in 0..<5 { _ = try await log.sequencer.append(.sample("a", expected: .version(Int64(number)))) }
            let frontier = """
                ALTER TABLE ledger.events DISABLE TRIGGER ALL;
                DELETE FROM ledger.events WHERE position > 3;
                UPDATE ledger.streams SET version = 3;
                """
            try await log.superuser.withConnection { try await $0.script(frontier) }
            // Another process had continued from there, to the same position.
            let other = log.anotherSequencer()
            try await log.setHead(to: 3)
            try await TestLog.running(other) {
                for number in 3..<5 {
                    let item = AppendItem.sample("b", expected: .version(Int64(number - 3)))
                    let result = await log.outcome(of: item, by: other)
                    #expect(result == .success(.appended(AppendedRange(firstPosition: Int64(number + 1), count: 1))))
                }
                let result = await log.outcome(of: .sample("c", expected: .version(0)))
                #expect(result == .failure(AppendError(.logContradicted)))
                #expect(log.logGuard.status == .contradicted(.changed(signed: 5, .process)))
                // It stays so, also when the log has grown beyond what was known.
                _ = try await other.append(.sample("b", expected: .version(2)))
                #expect(await log.outcome(of: .sample("c")) == .failure(AppendError(.logContradicted)))
            }
            #expect(try await log.events().map(\.stream) == ["a", "a", "a", "b", "b", "b"])

            _ = try await log.adopt()
            let result = await log.outcome(of: .sample("c", expected: .version(0)))
            #expect(result == .success(.appended(AppendedRange(firstPosition: 8, count: 1))))
            #expect(log.logGuard.epoch?.number == 1)
            // A process that knows nothing goes on, too.
            let third = log.anotherSequencer()
            try await TestLog.running(third) {
                let result = await log.outcome(of: .sample("c", expected: .version(1)), by: third)
                #expect(result == .success(.appended(AppendedRange(firstPosition: 9, count: 1))))
            }
        }
    }

    /// Other processes have appended more than what is read to catch up: the log continues all the same.
    @Test func aLogThatGrewALotContinues() async throws {
        try await TestLog.with { log in
            for number in 0..<5 { _ = try await log.sequencer.append(.sample("a", expected: .version(Int64(number)))) }
            let other = log.anotherSequencer()
            try await TestLog.running(other) { for _ in 0..<3 { try await log.append(800, by: other) } }
            let result = await log.outcome(of: .sample("a", expected: .version(5)))
            #expect(result == .success(.appended(AppendedRange(firstPosition: 2_406, count: 1))))
        }
    }

    /// The clock of a server that is ahead would give its time to every later event.
    @Test func anAppendOfTheFutureIsRefused() async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a"))
            let other = log.anotherSequencer()
            log.clock.set(SystemClock().now().adding(microseconds: 3_600_000_000))
            try await TestLog.running(other) {
                let result = await log.outcome(of: .sample("b"), by: other)
                #expect(result == .failure(AppendError(.clockAhead, sqlState: "DB002")))
            }
            log.clock.set(SystemClock().now().adding(microseconds: 3_000_000))
            guard case .success(.appended) = await log.outcome(of: .sample("b")) else {
                Issue.record("An append 3 seconds ahead was refused.")
                return
            }
            // The time of the log itself is never refused.
            try await log.superuser.withConnection {
                try await $0.script("UPDATE ledger.head SET recorded_at = now() + interval '1 day'")
            }
            guard case .success(.appended) = await log.outcome(of: .sample("b")) else {
                Issue.record("A log with a later time was not appended to.")
                return
            }
        }
    }

    /// A tree that does not match the log is not extended.
    @Test func aChangedLeafStopsTheAppends() async throws {
        try await TestLog.with { log in
            for _ in 0..<3 { _ = try await log.sequencer.append(.sample("a")) }
            try await log.superuser.withConnection { connection in
                try await connection.script(
                    """
                    ALTER TABLE ledger.events DISABLE TRIGGER ALL;
                    UPDATE ledger.events SET leaf = sha256('x') WHERE position = 2
                    """
                )
            }
            let other = log.anotherSequencer()
            try await TestLog.running(other) {
                let result = await log.outcome(of: .sample("b"), by: other)
                #expect(result == .failure(AppendError(.refused)))
                let head = try await log.reader.head()
                #expect(head == 3)
            }
        }
    }

    private static func alterDatabase(_ change: String, _ log: TestLog) async throws {
        try await log.superuser.withConnection { connection in
            let name = try await connection.query("SELECT current_database()").single().text(0)
            try await connection.script("ALTER DATABASE \"\(name)\" \(change)")
        }
        // In force for new sessions only.
        _ = try await log.superuser.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )
    }

    private static func giveToOwner(of file: String) throws {
        let directory = URL(filePath: file).deletingLastPathComponent().path
        let owner = try FileManager.default.attributesOfItem(atPath: directory)
        try FileManager.default.setAttributes(
            [
                .ownerAccountID: owner[.ownerAccountID] as Any,
                .groupOwnerAccountID: owner[.groupOwnerAccountID] as Any,
                .posixPermissions: 0o600,
            ],
            ofItemAtPath: file
        )
    }
}
