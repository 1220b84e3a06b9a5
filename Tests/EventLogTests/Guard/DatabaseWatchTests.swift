import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

@Suite struct DatabaseWatchTests {
    private static let sound = DurabilitySettings(
        synchronousCommit: "on",
        fsync: "on",
        fullPageWrites: "on",
        standbyNames: ""
    )

    @Test(
        arguments: [
            (0, nil), (2_000_000, nil), (-2_000_000, nil), (2_000_001, "clock-differs"), (-2_000_001, "clock-differs"),
            (3_600_000_000, "clock-differs"), (Int64.min + 1, "clock-differs"),
        ] as [(Int64, String?)]
    )
    func clocksThatDifferHoldCalls(_ ahead: Int64, _ code: String?) {
        #expect(DatabaseWatch.hold(.init(settings: Self.sound, ahead: ahead), .unspecified)?.code == code)
    }

    @Test func theDifferenceIsMeasured() async throws {
        try await TestLog.with { log in
            for seconds in [-3_600, 0, 3_600] as [Int64] {
                log.clock.set(SystemClock().now().adding(microseconds: seconds * 1_000_000))
                let reading = try await DatabaseWatch.read(log.pool, clock: log.clock)
                // The clock of the test stands still while the database answers.
                let difference = reading.ahead - seconds * 1_000_000
                #expect(abs(difference) < 60_000_000, "\(seconds): \(reading.ahead)")
                #expect(reading.settings.fault(standbys: .unspecified) == nil)
            }
        }
    }

    /// A pooler or a role may change a setting after the session began.
    @Test(arguments: ["off", "local", "remote_write"])
    func anAppendThatIsNotDurableIsRefused(_ value: String) async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a"))
            try await log.superuser.withConnection { connection in
                let name = try await connection.query("SELECT current_database()").single().text(0)
                try await connection.script(
                    """
                    ALTER DATABASE "\(name)" SET synchronous_commit = \(value);
                    CREATE FUNCTION ledger.weaken() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN SET synchronous_commit = \(value); RETURN NULL; END $$;
                    CREATE TRIGGER weaken AFTER UPDATE ON ledger.head FOR EACH STATEMENT EXECUTE FUNCTION ledger.weaken();
                    """
                )
            }
            // This append weakens its session, and the next one notices.
            _ = try await log.sequencer.append(.sample("a"))
            let result: Result<AppendResult, AppendError>
            do throws(AppendError) {
                result = .success(try await log.sequencer.append(.sample("a")))
            } catch {
                result = .failure(error)
            }
            #expect(result == .failure(AppendError(.notDurable, sqlState: "DB003")))
        }
    }

    @Test func localOfTheServerIsNotRaised() async throws {
        try await TestLog.with { log in
            for (given, found) in [
                ("off", "on"), ("remote_write", "on"), ("local", "local"), ("remote_apply", "remote_apply"),
            ] {
                try await log.superuser.withConnection { connection in
                    let name = try await connection.query("SELECT current_database()").single().text(0)
                    try await connection.script("ALTER DATABASE \"\(name)\" SET synchronous_commit = \(given)")
                }
                try await PostgresPool.withPool(log.configuration, options: .patient) { pool in
                    let reading = try await DatabaseWatch.read(pool, clock: log.clock)
                    #expect(reading.settings.synchronousCommit == found, "\(given)")
                }
            }
        }
    }
}
