import Canonical
import DaybookTestKit
import Postgres
import Testing

/// Runs of programs that are killed.
struct CutOffRunTests {
    /// Keeps the end of a run out of the log: an append of one waits for the lock, and is refused once it is free.
    private static let trap = """
        CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_advisory_xact_lock(4711);
            RAISE EXCEPTION 'trapped';
        END $$;
        CREATE TRIGGER trap BEFORE INSERT ON ledger.events FOR EACH ROW WHEN (NEW.type = 'ReconciliationCompleted')
            EXECUTE FUNCTION public.trap();
        SELECT pg_advisory_lock(4711);
        """

    private func runs(_ daybook: Daybook, _ options: String...) async throws -> [JSONValue] {
        let result = try await daybook.run(["reconcile", "runs", "--json"] + options)
        guard result.succeeded else { throw TestKitError("reconcile runs: \(result)") }
        return try JSONValue(parsing: Array(result.standardOutput.utf8))["items"]?.array ?? []
    }

    private func statuses(_ daybook: Daybook) async throws -> [String] {
        try await runs(daybook).compactMap { $0["status"]?.string }
    }

    @Test func aKilledRunIsRecordedAsInterrupted() async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            try daybook.write(
                "type,currency,gross,processor_id,day\nsale,USD,1.00,g-1,2026-03-01\n",
                to: "s.csv"
            )
            #expect(try await daybook.run("statement", "import", "s.csv").succeeded)
            let before = try await statuses(daybook)
            let keeper = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            try await keeper.script(Self.trap)
            let run = try await daybook.start(["reconcile", "run", "--whole"])
            while try await statuses(daybook).count == before.count { try Task.checkCancellation() }
            #expect(try await statuses(daybook) == ["running"] + before)
            try await run.kill()
            try await keeper.script("SELECT pg_advisory_unlock(4711)")
            // The killed command may have left read models behind.
            #expect(try await daybook.run("catch-up").succeeded)
            // The server notices after a while that the process is gone.
            while try await statuses(daybook).first == "running" { try Task.checkCancellation() }
            #expect(try await statuses(daybook) == ["cut-off"] + before)
            let began = try #require(try await runs(daybook).first?["position"]?.int64)

            try await keeper.script("DROP TRIGGER trap ON ledger.events")
            await keeper.close()
            // The sale is unknown to the ledger.
            #expect(try await daybook.run("reconcile", "run").exitCode == 2)
            #expect(try await statuses(daybook) == ["completed", "failed"] + before)
            #expect(try await runs(daybook)[1]["failure"] == "cut-off")
            // The status as it was then.
            let then = try await runs(daybook, "--as-of-position", String(began))
            #expect(then.compactMap { $0["status"]?.string } == ["cut-off"] + before)
            let list = try await daybook.json("list", "reconciliations", "as_of_position=\(began)")
            #expect(list["items"]?.array == then)
        }
    }
}
