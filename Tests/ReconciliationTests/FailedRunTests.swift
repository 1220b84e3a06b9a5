import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Testing

/// A run that began and was not completed is recorded as failed.
struct FailedRunTests {
    private static func line(_ name: String) -> PlantedWorld.Line {
        PlantedWorld.Line(name: name, gross: 500, day: 5, keys: ["processor_id": "g-\(name)"])
    }

    private static func movement(_ number: Int) -> PlantedWorld.Movement {
        PlantedWorld.Movement(transaction: number, amount: 500, day: 5, keys: ["gateway_id": "g-\(number)"])
    }

    /// The current runs, newest first.
    private func runs(in planted: PlantedLedger) async throws -> [RunView] {
        let head = try await planted.ledger.reader.head()
        let isThere = try await planted.ledger.readModels.wait(
            for: "reconciliation",
            toReach: head,
            timeout: .seconds(60)
        )
        try #require(isThere)
        return try await planted.ledger.reconciliation.reconciler.runs(of: "acme", limit: 9)
    }

    /// The database refuses a statement after the links are recorded.
    @Test func aRunThatFailsAfterMatchingIsRecordedAsFailed() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.movement(1)])
            try await planted.import([Self.line("unknown")])
            try await planted.reconcile()
            let reported = "SELECT details::text FROM read_reconciliation.exceptions"
            let text = try #require(try await planted.ledger.pool.query(reported, []).first).text(0)
            // jsonb cannot hold this value, and the run compares its findings with it.
            let spoiling = "UPDATE read_reconciliation.exceptions SET details = $1"
            _ = try await planted.ledger.pool.query(spoiling, [.json(#"{"a":"\u0000"}"#)])
            try await planted.import([Self.line("1")])
            await #expect(throws: PostgresError.self) { try await planted.reconcile(whole: true) }
            let failed = try #require(try await runs(in: planted).first)
            #expect(failed.status == .failed && failed.completion == nil)
            #expect(
                failed.failure?.reason == "database" && failed.failure.map { $0.position > failed.position } == true
            )
            // Its recorded links hold and are attributed to it.
            #expect(try await planted.links().map(\.line) == ["1"])
            var filter = MatchFilter()
            filter.madeBy = failed.id
            let made = try await ReconciliationQuery(pool: planted.ledger.pool)
                .matches(of: "acme", matching: filter, limit: 9)
            #expect(made.count == 1)

            _ = try await planted.ledger.pool.query(spoiling, [.json(text)])
            #expect(try await planted.reconcile().completion.matched == 0)
            #expect(try await runs(in: planted).map(\.status) == [.completed, .failed, .completed])
        }
    }

    /// The database refuses a statement about deposits, which comes after the links are recorded.
    @Test func aRunThatFailsAfterItsLinksIsContinuedByTheNext() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.movement(1)])
            try await planted.import([Self.line("1"), Self.line("paid")])
            try await planted.ledger.catchUp()
            // Not a day.
            let spoiling = """
                UPDATE read_statements.lines SET type = 'payout', view = $1 WHERE processor_id = 'g-paid'
                """
            _ = try await planted.ledger.pool.query(spoiling, [.json(#"{"valueDay":"never"}"#)])
            await #expect(throws: PostgresError.self) { try await planted.reconcile() }
            let failed = try #require(try await runs(in: planted).first)
            #expect(failed.status == .failed && failed.failure?.reason == "database")
            #expect(try await planted.links().map(\.line) == ["1"])

            _ = try await planted.ledger.pool.query(spoiling, [.json("{}")])
            #expect(try await planted.reconcile().completion.matched == 0)
            #expect(try await runs(in: planted).map(\.status) == [.completed, .failed])
        }
    }

    /// Any process can determine whether a run is in progress.
    @Test func aRunHoldsALock() async throws {
        try await PlantedLedger.with { planted in
            let reconciler = planted.ledger.reconciliation.reconciler
            try await planted.import([Self.line("1")])
            let asked = RunRequest(named: "once", whole: false, sender: PlantedLedger.sender)
            #expect(try await !reconciler.isHeld(asked.run))
            // The first table that a run reads after taking its locks.
            try await planted.ledger.catchUp()
            let other = try await PostgresConnection.connect(PostgresConfiguration(connectionString: planted.url))
            try await other.script("BEGIN; LOCK TABLE read_statements.reach IN ACCESS EXCLUSIVE MODE")
            async let run = reconciler.run(asked: asked, sender: PlantedLedger.sender)
            while try await !reconciler.isHeld(asked.run) { await Task.yield() }
            try await other.script("COMMIT")
            await other.close()
            #expect(try await run.run == asked.run)
            #expect(try await !reconciler.isHeld(asked.run))
            #expect(try await runs(in: planted).map(\.status) == [.completed])
        }
    }

    /// A process that was killed records nothing more: the next run records the failure.
    @Test func theNextRunRecordsAnInterruptedRun() async throws {
        try await PlantedLedger.with { planted in
            let ledger = planted.ledger
            let cutOff = RunBeginning(run: ledger.ids.next(), covers: 0, since: 0, rules: "ab", horizon: nil)
            let event = ReconciliationEvent.began(cutOff)
            let item = AppendItem(
                tenant: "acme",
                stream: StreamName.reconciliation(of: "acme"),
                expected: .version(0),
                events: [
                    ProposedEvent(
                        event,
                        data: try event.data().text,
                        id: ledger.ids.next(),
                        at: ledger.clock.now(),
                        by: PlantedLedger.sender
                    )
                ]
            )
            guard case .appended = try await ledger.sequencer.append(item) else {
                Issue.record("the beginning was not taken")
                return
            }
            // The run counts as cut off unless a process holds its lock.
            #expect(try await runs(in: planted).map(\.status) == [.cutOff])
            try await ledger.pool.withTransaction { transaction in
                _ = try await transaction.query(
                    "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                    [.text(RunView.lock(of: cutOff.run))]
                )
                #expect(try await runs(in: planted).map(\.status) == [.running])
            }
            #expect(try await ledger.reconciliation.reconciler.run(cutOff.run, of: "acme")?.status == .cutOff)
            try await planted.put([Self.movement(1)])
            try await planted.import([Self.line("1")])
            try await planted.reconcile()
            let reported = try await runs(in: planted)
            #expect(reported.map(\.status) == [.completed, .failed])
            #expect(reported.last?.id == cutOff.run && reported.last?.failure?.reason == "cut-off")
            // The state before the failure was recorded, and before the run began.
            let (first, last) = (try #require(reported.last), try #require(reported.first))
            func past(_ position: Int64) async throws -> [RunView.Status] {
                try await ledger.reconciliation.reconciler.runs(of: "acme", at: position, limit: 9).map(\.status)
            }
            #expect(try await past(first.position - 1) == [])
            #expect(try await past(first.position) == [.cutOff])
            let end = try #require(last.completion).position
            #expect(try await past(end - 1) == [.running, .failed])
            #expect(try await past(end) == [.completed, .failed])
            // The failure is recorded once: the following run does not record it again.
            try await planted.reconcile()
            let newest = EventFilter(type: ReconciliationEvent.Name.failed.rawValue)
            #expect(try await ledger.reader.newest(of: "acme", matching: newest, limit: 9).count == 1)
        }
    }
}

extension EventFilter {
    fileprivate init(type: String) {
        self.init()
        self.type = type
    }
}
