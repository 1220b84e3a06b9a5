import DaybookTestKit
import EventLog
import Foundation
import Postgres
import Testing

/// A server that neither answers nor hangs up: it is stopped in the middle of an append, and continues later.
struct SilentServerTests {
    private static let impatient = Sequencer.Limits(answerTimeout: .milliseconds(500))

    /// The append has waited for the head and is stopped before it gets it: the batch is not in the log, so another
    /// session writes it. The stopped one then finds that the log no longer ends at its base.
    @Test func anAppendThatHangsBeforeItsWriteIsRepeated() async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a", expected: .version(0)))
            let sequencer = log.anotherSequencer(limits: Self.impatient)
            try await TestLog.running(sequencer) {
                let (waiting, backend) = try await log.superuser.withTransaction { transaction in
                    _ = try await transaction.query("SELECT FROM ledger.head FOR UPDATE")
                    let item = AppendItem.sample("a", expected: .version(1), keys: [.sample("k")])
                    let waiting = Task { await log.outcome(of: item, by: sequencer) }
                    return (waiting, try await Self.stopBlocked(log))
                }
                defer { kill(backend, SIGCONT) }
                #expect(try await waiting.value.get() == .appended(AppendedRange(firstPosition: 2, count: 1)))
                kill(backend, SIGCONT)
                try await Self.waitForEnd(of: backend, log)
            }
            let events = try await log.events()
            #expect(events.count == 2)
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    /// The append is stopped while it holds the head, so its outcome cannot be looked up.
    @Test func anAppendThatHangsDuringItsWriteIsLookedUp() async throws {
        try await TestLog.with { log in
            let warnings = WarningCounter()
            let sequencer = log.anotherSequencer(limits: Self.impatient, logger: warnings.logger)
            try await TestLog.running(sequencer) {
                _ = try await sequencer.append(.sample("a", expected: .version(0)))
                try await Self.closeGate(log)
                let waiting = Task {
                    await log.outcome(of: .sample("a", expected: .version(1), keys: [.sample("k")]), by: sequencer)
                }
                // The writer has dropped the call, and a lookup.
                while warnings.count < 2 { await Task.yield() }
                try await Self.openGate(log)
                #expect(try await waiting.value.get() == .appended(AppendedRange(firstPosition: 2, count: 1)))
            }
            let events = try await log.events()
            #expect(events.count == 2)
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    @Test func aClosingLogReportsThatItDoesNotWaitForASilentServer() async throws {
        try await TestLog.with { log in
            let sequencer = log.anotherSequencer(limits: Self.impatient)
            let running = Task { await sequencer.run() }
            // From now on the writer knows where the log ends, and an append is one statement that is its own
            // transaction.
            _ = try await sequencer.append(.sample("a", expected: .version(0)))
            try await Self.closeGate(log)
            let waiting = Task {
                await log.outcome(of: .sample("a", expected: .version(1), keys: [.sample("k")]), by: sequencer)
            }
            let status = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
            while try await log.superuser.query(status).first == nil { await Task.yield() }
            let behind = Task { await log.outcome(of: .sample("b"), by: sequencer) }
            while await sequencer.depth == 0 { await Task.yield() }
            await sequencer.close()
            await running.value
            #expect(await behind.value == .failure(AppendError(.shuttingDown)))
            guard case .failure(let error) = await waiting.value else {
                Issue.record("an answer was given although the outcome is unknown")
                return
            }
            #expect(error.code == .outcomeUnknown)
            #expect(try await log.reader.head() == 1)
            // So it was right not to report that nothing was written.
            try await Self.openGate(log)
            while try await log.reader.head() == 1 { await Task.yield() }
            #expect(try await log.events().map(\.stream) == ["a", "a"])
        }
    }

    /// A sender that waits for an unreachable database when the ledger closes gets a true answer: nothing was written,
    /// and the item may be sent again.
    @Test func waitersForAMissingDatabaseLearnThatTheLogCloses() async throws {
        let nowhere = PostgresConfiguration(connectionString: "host=/nonexistent")
        let warnings = WarningCounter()
        let sequencer = Sequencer(
            configuration: nowhere,
            clock: ManualClock(),
            signal: .init(),
            limits: .init(batchItems: 10),
            logger: warnings.logger
        )
        let running = Task { await sequencer.run() }
        let first = Task { await sequencer.append([.sample("a")]) }
        while warnings.count == 0 { await Task.yield() }
        // More than one batch waits behind the current one.
        let waiting = Task { await sequencer.append((0..<25).map { .sample("s\($0)") }) }
        while await sequencer.depth < 25 { await Task.yield() }
        await sequencer.close()
        await running.value
        let outcomes = await first.value + waiting.value
        #expect(outcomes == Array(repeating: .failure(AppendError(.shuttingDown)), count: 26))
    }

    /// Makes an append that claims a key stop, holding the head, until the gate is opened.
    private static func closeGate(_ log: TestLog) async throws {
        try await log.superuser.withConnection { connection in
            try await connection.script(
                """
                CREATE TABLE public.gate ();
                GRANT SELECT ON public.gate TO public;
                CREATE FUNCTION public.stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    WHILE NOT EXISTS (SELECT FROM public.gate) LOOP
                        PERFORM pg_sleep(0.01);
                    END LOOP;
                    RETURN new;
                END $$;
                CREATE TRIGGER stand_still BEFORE INSERT ON ledger.idempotency
                    FOR EACH ROW EXECUTE FUNCTION public.stand_still()
                """
            )
        }
    }

    private static func openGate(_ log: TestLog) async throws {
        try await log.superuser.execute("INSERT INTO public.gate DEFAULT VALUES")
    }

    private static func stopBlocked(_ log: TestLog) async throws -> pid_t {
        let backend = pid_t(try await log.blockedAppend())
        guard kill(backend, SIGSTOP) == 0 else { throw TestKitError("kill: \(errno)") }
        return backend
    }

    private static func waitForEnd(of backend: pid_t, _ log: TestLog) async throws {
        let sql = "SELECT FROM pg_stat_activity WHERE pid = $1"
        while try await log.superuser.query(sql, [.int32(backend)]).first != nil { await Task.yield() }
    }
}
