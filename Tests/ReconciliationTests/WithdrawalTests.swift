import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Payments
import Projections
import Reconciliation
import Redaction
import Statements
import Testing

/// Withdrawn statements, and the payments that their lines explained.
struct WithdrawalTests {
    private typealias Finding = PlantedWorld.Finding

    private static func movement(_ number: Int, day: Int = 1) -> PlantedWorld.Movement {
        PlantedWorld.Movement(
            transaction: number,
            amount: 1000,
            day: day,
            keys: ["gateway_id": "g-\(number)", "merchant": "A"]
        )
    }

    private static func line(_ number: Int, day: Int = 1, currency: String = "USD") -> PlantedWorld.Line {
        PlantedWorld.Line(
            name: "n-\(number)",
            currency: currency,
            gross: 1000,
            day: day,
            keys: ["processor_id": "g-\(number)", "merchant": "A"]
        )
    }

    private static func link(_ number: Int) -> Finding {
        Finding(what: "gateway-id", line: "n-\(number)", transaction: number)
    }

    /// Expects that a complete run finds nothing new.
    private func settles(_ planted: PlantedLedger) async throws {
        let whole = try await planted.reconcile(whole: true).completion
        #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
    }

    private func report(_ planted: PlantedLedger, at position: Int64) async throws -> ReconciliationReport {
        try await planted.ledger.catchUp()
        return try await planted.ledger.reconciliation.query.report(
            of: "acme",
            ReportScope(),
            at: position,
            now: Timestamp(microsecondsSince1970: 0)
        )
    }

    /// The ledger has no money that the lines could explain: nothing is left to compare.
    @Test func exceptionsOfAWithdrawnStatementAreCleared() async throws {
        try await PlantedLedger.with { planted in
            let first = try await planted.import([Self.line(3)])
            try await planted.reconcile()
            #expect(try await planted.exceptions().count == 1)
            _ = try await planted.withdraw(first.id)
            let after = try await planted.reconcile()
            #expect(!after.isWhole && after.completion.cleared == 1)
            #expect(try await planted.exceptions().isEmpty)
            try await settles(planted)
        }
    }

    @Test func movementsOfAWithdrawnStatementAreMatchedAgainAndThePastIsKept() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.movement(1), Self.movement(2, day: 10)])
            // The newest line makes the payment of day 10 due.
            let first = try await planted.import([Self.line(1), Self.line(3), Self.line(9, day: 20)])
            let run = try await planted.reconcile()
            let before = try await report(planted, at: run.position)
            let exceptions = try await planted.exceptions()
            #expect(try await planted.links() == [Self.link(1)])
            #expect(exceptions.contains(Finding(what: "missing-at-processor", line: nil, transaction: 2)))
            #expect(exceptions.contains(Finding(what: "missing-in-ledger", line: "n-3", transaction: nil)))

            let withdrawn = try await planted.withdraw(first.id)
            let after = try await planted.reconcile()
            #expect(!after.isWhole && after.completion.unmatched == 1)
            #expect(try await planted.links().isEmpty)
            // Nothing is due, because no account has reached that day any more.
            #expect(try await planted.exceptions().isEmpty)
            let counts = try await planted.ledger.reconciliation.query.counts(of: "acme")
            #expect(counts.lines == 0 && counts.matchedLines == 0)
            #expect(try await report(planted, at: after.position).processor.isEmpty)
            #expect(try await report(planted, at: run.position) == before)
            #expect(try await report(planted, at: withdrawn - 1).account == before.account)
            try await settles(planted)

            // The same bytes again: another statement with the same lines.
            let second = try await planted.import([Self.line(1), Self.line(3), Self.line(9, day: 20)])
            #expect(second.id != first.id && !second.isRepeat && second.statement.replaces == first.id)
            try await planted.reconcile()
            #expect(try await planted.links() == [Self.link(1)])
            #expect(try await planted.exceptions() == exceptions)
            try await settles(planted)
            let view = try await planted.ledger.reconciliation.statements.statement(second.id, of: "acme")
            #expect(view?.status == .imported && view?.repeated == 0)
            let lines = try await planted.ledger.reconciliation.statements.lines(
                of: second.id,
                tenant: "acme",
                limit: 10
            )
            #expect(lines.count == 3 && lines.allSatisfy { !$0.isRepeat })
            let reported = try await planted.ledger.reconciliation.statements.line(
                try #require(lines.first).id,
                of: "acme"
            )
            #expect(reported?.statement == second.id)
            // From now on it is recognised as a repeat.
            #expect(try await planted.import([Self.line(1), Self.line(3), Self.line(9, day: 20)]).isRepeat)
        }
    }

    @Test func aLineInAnotherFileStays() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.movement(1), Self.movement(2)])
            let first = try await planted.import([Self.line(1), Self.line(2)])
            let second = try await planted.import([Self.line(2), Self.line(4)])
            try await planted.reconcile()
            #expect(try await planted.links() == [Self.link(1), Self.link(2)])
            _ = try await planted.withdraw(first.id)
            try await planted.reconcile()
            #expect(try await planted.links() == [Self.link(2)])
            try await settles(planted)
            let line = try #require(
                try await planted.ledger.reconciliation.statements.lines(of: second.id, tenant: "acme", limit: 1).first
            )
            let reported = try await planted.ledger.reconciliation.statements.line(line.id, of: "acme")
            #expect(reported?.statement == second.id && reported?.line.number == 1)
        }
    }

    /// A deposit and its payout are no longer explained when either side is withdrawn.
    @Test func depositsAreReopened() async throws {
        try await PlantedLedger.with { planted in
            let payout = PlantedDeposits.Line(name: "p", type: "payout", amount: -900, day: 3, keys: ["payout": "po-1"])
            let deposit = PlantedDeposits.Line(
                name: "d",
                type: "deposit",
                amount: 900,
                day: 4,
                keys: ["end_to_end": "po-1", "account": "DE77"]
            )
            try await planted.import([payout], side: .processor)
            let bank = try await planted.import([deposit], side: .bank)
            let run = try await planted.reconcile()
            #expect(try await planted.depositLinks().count == 1)
            _ = try await planted.withdraw(bank.id)
            try await planted.reconcile()
            #expect(try await planted.depositLinks().isEmpty)
            let query = DepositQuery(pool: planted.ledger.pool)
            let line = try await planted.line("d")
            #expect(try await query.proof(of: line, tenant: "acme") == nil)
            #expect(try await query.proof(of: line, tenant: "acme", asOf: run.position)?.deposited == 900)
            #expect(try await query.transfers(of: "acme", limit: 10).map(\.state) == [.awaited])
            let past = try await query.transfers(of: "acme", at: run.position, limit: 10)
            #expect(past.map(\.state) == [.matched, .matched])
            #expect(try await query.coverage(of: "acme").map(\.state) == [.awaited])
            #expect(try await query.coverage(of: "acme", at: run.position).map(\.state) == [.matched, .matched])
            try await settles(planted)
        }
    }

    @Test func itIsRecordedOnce() async throws {
        try await PlantedLedger.with { planted in
            let file = try await planted.import([Self.line(1)])
            let commands = planted.ledger.reconciliation.statementCommands
            func take(_ reason: Reason) async throws -> Proposals.Outcome {
                let sent = try await commands.withdraw(
                    file.id,
                    reason: reason,
                    idempotencyKey: "k",
                    sender: PlantedLedger.sender
                )
                guard case .proposed(let outcome) = sent else { throw PlantedLedger.Unproposed() }
                return outcome
            }
            let proposed = try await take("card 4111111111111111")
            #expect(!proposed.isDuplicate)
            func approve() async throws -> StatementCommands.Outcome {
                try await commands.approve(
                    proposed.proposal.id,
                    reason: "seen",
                    idempotencyKey: "a",
                    sender: PlantedLedger.approver
                )
            }
            let first = try await approve()
            #expect(!first.isDuplicate)
            #expect(try await take("card 4111111111111111").isDuplicate)
            let again = try await approve()
            #expect(again.isDuplicate && again.position == first.position)
            let mismatch = await #expect(throws: IntakeProblem.self) { _ = try await take("another") }
            #expect(mismatch?.code == .idempotencyMismatch)
            await #expect(throws: StatementCommands.Refusal.alreadyWithdrawn) {
                _ = try await planted.withdraw(file.id)
            }
            await #expect(throws: StatementCommands.Refusal.noSuchStatement) {
                _ = try await planted.withdraw(UUID128(high: 1, low: 2))
            }
            try await planted.ledger.catchUp()
            let view = try #require(try await planted.ledger.reconciliation.statements.statement(file.id, of: "acme"))
            #expect(view.status == .withdrawn && view.withdrawal?.by == PlantedLedger.approver.actor)
            #expect(view.withdrawal?.reason.contains("4111111111111111") == false)
            let before = try await planted.ledger.reconciliation.statements.statement(
                file.id,
                of: "acme",
                at: first.position - 1
            )
            #expect(before?.status == .imported && before?.withdrawal == nil)
            #expect(before?.lastPosition == proposed.proposal.position - 1)
        }
    }
}
