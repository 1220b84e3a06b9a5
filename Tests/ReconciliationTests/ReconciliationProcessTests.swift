import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Postgres
import Projections
import Reconciliation
import Redaction
import Statements
import Testing

/// A ledger that reconciles automatically.
struct ReconciliationProcessTests {
    /// Checks the runs again after every append.
    private func runs(
        _ ledger: Ledger,
        until isEnough: ([RunView]) -> Bool
    ) async throws -> [RunView] {
        while true {
            let head = try await ledger.reader.head()
            _ = try await ledger.readModels.wait(for: "reconciliation", toReach: head, timeout: .seconds(60))
            let runs = try await ledger.reconciliation.query.runs(of: "acme", limit: 10)
            if isEnough(runs) { return runs }
            try await ledger.log.waitForAppend(beyond: head)
        }
    }

    @Test func aStatementIsReconciledAtOnce() async throws {
        try await withTestDatabase(template: .ledger) { url in
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 12,
                acquireTimeout: .seconds(60),
                logger: TestLog.logger
            )
            // An interval too long to elapse, so every run here is immediate.
            try await ledger.run(reconcilingEvery: .seconds(86_400)) {
                let planted = PlantedLedger(ledger: ledger, url: url)
                try await planted.import([
                    PlantedWorld.Line(name: "unknown", gross: 1000, day: 1, keys: ["processor_id": "g-1"])
                ])
                let runs = try await runs(ledger) { $0.contains { $0.completion != nil } }
                #expect(runs.allSatisfy { $0.beganBy == ReconciliationProcess.actor })
                #expect(
                    try await ledger.reconciliation.query.open(of: "acme").map(\.exceptionClass) == [
                        "missing-in-ledger"
                    ]
                )
                // Operators' decisions are handled too.
                let found = try #require(
                    try await ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 1).first
                )
                let resolve = ExceptionAction.resolve(ExceptionResolution(.writtenOff))
                _ = try await ledger.reconciliation.exceptionCommands.act(
                    resolve,
                    on: found.id,
                    reason: "x",
                    sender: PlantedLedger.sender
                )
                _ = try await planted.approve(found.id, by: PlantedLedger.approver)
                let decided = try await self.runs(ledger) { later in
                    later.count > runs.count && later.allSatisfy { $0.completion != nil }
                }
                #expect(decided.first?.since != 0)
                // A change of the rules starts a complete run.
                try await planted.setRules(MatchingRules(graceDays: 3))
                let digest = try Reconciler.digest(of: MatchingRules(graceDays: 3))
                let changed = try await self.runs(ledger) { later in
                    later.contains { $0.rules == digest && $0.completion != nil }
                }
                #expect(changed.last { $0.rules == digest }?.since == 0)
                // A withdrawn statement starts a run over the rest.
                let file = try #require(
                    try await ledger.reconciliation.statements.statements(of: "acme", limit: 1).first
                )
                _ = try await planted.withdraw(file.id)
                _ = try await self.runs(ledger) { later in
                    later.count > changed.count && later.allSatisfy { $0.completion != nil }
                }
                let left = try await ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 10)
                #expect(left.allSatisfy { !$0.state.status.isOpen })
            }
        }
    }

    /// A tenant without any statement, whose calendar expects one.
    @Test func rulesAreReconciledBeforeTheFirstStatement() async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-04T05:00:00Z")))
        try await withTestDatabase(template: .ledger) { url in
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 12,
                acquireTimeout: .seconds(60),
                clock: clock,
                logger: TestLog.logger
            )
            try await ledger.run(reconcilingEvery: .seconds(86_400)) {
                let calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2026-03-02")
                try await PlantedLedger(ledger: ledger, url: url).setRules(MatchingRules(calendars: [calendar]))
                _ = try await runs(ledger) { $0.contains { $0.completion != nil } }
                let open = try await ledger.reconciliation.query.open(of: "acme")
                #expect(open.map(\.exceptionClass) == ["missing-statement"] && open.first?.count == 1)
            }
        }
    }
}
