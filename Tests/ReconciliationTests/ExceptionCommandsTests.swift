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
import Testing

/// Operators handle exceptions, with runs in between.
struct ExceptionCommandsTests {
    private static func sender(_ name: String) -> Sender {
        Sender(tenant: PlantedLedger.sender.tenant, actor: "cli:\(name)", correlation: "c-2", holder: name)
    }

    private func open(_ planted: PlantedLedger, _ exceptionClass: ExceptionClass) async throws -> [ExceptionView] {
        var filter = ExceptionFilter()
        filter.exceptionClass = exceptionClass
        filter.isOpen = true
        return try await planted.ledger.reconciliation.exceptions.exceptions(of: "acme", matching: filter, limit: 100)
    }

    /// A mistyped reference: one payment that no line names, and one line that names no payment.
    private func planted(_ body: @escaping @Sendable (PlantedLedger) async throws -> Void) async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([
                PlantedWorld.Movement(transaction: 1, amount: 1000, day: 1, keys: ["gateway_id": "g-1"]),
                PlantedWorld.Movement(transaction: 2, amount: 2500, day: 1, keys: ["gateway_id": "g-2"]),
            ])
            try await planted.import([
                PlantedWorld.Line(name: "right", gross: 1000, day: 1, keys: ["processor_id": "g-1"]),
                PlantedWorld.Line(name: "mistyped", gross: 2500, day: 1, keys: ["processor_id": "g-22"]),
                PlantedWorld.Line(name: "later", gross: 100, day: 9, keys: ["processor_id": "g-99"]),
            ])
            try await planted.reconcile()
            try await body(planted)
        }
    }

    @Test func aMatchByHandIsRecorded() async throws {
        try await planted { planted in
            let missing = try #require(try await open(planted, .missingAtProcessor).first)
            let unknown = try await open(planted, .missingInLedger)
            let mistyped = try #require(unknown.first { $0.state.amount == 2500 }?.line)
            let wrong = try #require(unknown.first { $0.state.amount == 100 }?.line)
            let movement = MovementName(
                transaction: try #require(missing.transaction),
                movement: try #require(missing.movement)
            )
            let commands = planted.ledger.reconciliation.exceptionCommands
            func match(_ line: UUID128) -> ExceptionAction {
                .resolve(ExceptionResolution(.matched, lines: [line], movements: [movement]))
            }
            await #expect(throws: ExceptionCommands.Refusal.refused(.unbalanced)) {
                _ = try await commands.act(match(wrong), on: missing.id, reason: "typo", sender: Self.sender("ann"))
            }
            // A match must include the exception whose limit applies to it.
            let other = try #require(unknown.first { $0.line == wrong })
            await #expect(throws: ExceptionCommands.Refusal.refused(.unbalanced)) {
                _ = try await commands.act(match(mistyped), on: other.id, reason: "x", sender: Self.sender("ann"))
            }
            let proposed = try await commands.act(
                match(mistyped),
                on: missing.id,
                reason: "typo; card 4111111111111111",
                sender: Self.sender("ann")
            )
            #expect(proposed.exception.state.status == .proposed)
            await #expect(throws: ExceptionCommands.Refusal.refused(.ownProposal)) {
                _ = try await planted.approve(missing.id, by: Self.sender("ann"))
            }
            // Nothing is matched before the approval.
            #expect(try await planted.reconcile().completion.matched == 0)
            let before = try await planted.ledger.reader.head()
            let approved = try await planted.approve(missing.id, by: Self.sender("bob"))
            #expect(approved.exception.state.status == .resolved)
            // Suspense is the open exceptions before and after the run, and when the exception is open again.
            try await StatementJournalTests.expectBalanced(planted)
            let outcome = try await planted.reconcile()
            try await StatementJournalTests.expectBalanced(planted)
            #expect(!outcome.isWhole && outcome.completion.matched == 1 && outcome.completion.cleared == 2)
            var filter = MatchFilter()
            filter.rule = MatchingRule.byHand
            let matches = try await planted.ledger.reconciliation.query.matches(of: "acme", matching: filter, limit: 9)
            #expect(matches.map(\.line) == [mistyped] && matches.map(\.transaction) == [movement.transaction])
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
            // Every step is stored, without the card number, and so is the earlier state.
            let steps = try await planted.ledger.reconciliation.exceptions.steps(of: missing.id, tenant: "acme")
            #expect(
                steps.map(\.kind) == [
                    "ExceptionsRaised", "ResolutionProposed", "ExceptionResolved", "ExceptionsCleared",
                ]
            )
            #expect(steps[1].actor == "cli:ann" && steps[2].actor == "cli:bob")
            #expect(!steps.contains { $0.reported?.contains("4111111111111111") == true })
            let then = try #require(
                try await planted.ledger.reconciliation.exceptions.exception(missing.id, of: "acme", at: before)
            )
            #expect(then.state.status == .proposed && then.state.proposedBy == "cli:ann" && then.version == 1)
            #expect(try await planted.ledger.reconciliation.query.matches(of: "acme", at: before, limit: 9).count == 1)
            // After the reopening, everything is as before. The reopened exception is not raised again.
            _ = try await commands.act(.reopen, on: missing.id, reason: "it was not", sender: Self.sender("bob"))
            try await StatementJournalTests.expectBalanced(planted)
            let again = try await planted.reconcile().completion
            #expect(again.unmatched == 1 && again.raised == 1)
            #expect(try await open(planted, .missingAtProcessor).map(\.id) == [missing.id])
            try await StatementJournalTests.expectBalanced(planted)
        }
    }

    /// A run has cleared it because of the match by hand. It is open again, and then a line explains the payment.
    @Test func aReopenedExceptionIsClearedAgain() async throws {
        try await planted { planted in
            let missing = try #require(try await open(planted, .missingAtProcessor).first)
            let unknown = try await open(planted, .missingInLedger).first { $0.state.amount == 2500 }
            let mistyped = try #require(unknown?.line)
            let movement = MovementName(
                transaction: try #require(missing.transaction),
                movement: try #require(missing.movement)
            )
            let (commands, sender) = (planted.ledger.reconciliation.exceptionCommands, Self.sender("bob"))
            _ = try await commands.act(
                .resolve(ExceptionResolution(.matched, lines: [mistyped], movements: [movement])),
                on: missing.id,
                reason: "typo",
                sender: Self.sender("ann")
            )
            _ = try await planted.approve(missing.id, by: sender)
            #expect(try await planted.reconcile().completion.cleared == 2)
            let reopened = try await commands.act(.reopen, on: missing.id, reason: "it was not", sender: sender)
            try await planted.import([
                PlantedWorld.Line(name: "true", gross: 2500, day: 2, keys: ["processor_id": "g-2"])
            ])
            try await planted.reconcile()
            let query = planted.ledger.reconciliation.exceptions
            #expect(try await open(planted, .missingAtProcessor).isEmpty)
            #expect(try await query.exception(missing.id, of: "acme")?.state.status == .cleared)
            #expect(try await query.exception(missing.id, of: "acme", at: reopened.position)?.state.status == .open)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// A key is for one request: any other request under it is refused.
    @Test func aKeyIsForOneRequest() async throws {
        try await planted { planted in
            let found = try #require(try await open(planted, .missingAtProcessor).first)
            let commands = planted.ledger.reconciliation.exceptionCommands
            func note(_ reason: Reason, _ version: Int64?, as name: String) async throws -> ExceptionCommands.Outcome {
                try await commands.act(
                    .note,
                    on: found.id,
                    reason: reason,
                    version: version,
                    idempotencyKey: "k",
                    sender: Self.sender(name)
                )
            }
            let first = try await note("asked", 0, as: "ann")
            let again = try await note("asked", 0, as: "ann")
            #expect(!first.isDuplicate && again.isDuplicate && again.position == first.position)
            for (reason, version, name) in [("details", 0, "ann"), ("asked", nil, "ann"), ("asked", 0, "bob")]
                as [(
                    Reason, Int64?, String
                )]
            {
                let problem = await #expect(throws: IntakeProblem.self) {
                    _ = try await note(reason, version, as: name)
                }
                #expect(problem?.code == .idempotencyMismatch, "\(reason) \(version ?? -1) \(name)")
            }
        }
    }

    /// A later status of the payment is no new evidence against an operator's decision.
    @Test func ordinaryEventsDoNotReopenAnException() async throws {
        try await planted { planted in
            let missing = try #require(try await open(planted, .missingAtProcessor).first)
            let commands = planted.ledger.reconciliation.exceptionCommands
            let off = ExceptionAction.resolve(ExceptionResolution(.writtenOff))
            _ = try await commands.act(off, on: missing.id, reason: "given up", sender: Self.sender("ann"))
            func pass(_ status: String) async throws -> ExceptionView? {
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: planted.url)
                )
                try await connection.script("UPDATE read_movements.movements SET status = '\(status)'")
                await connection.close()
                #expect(try await planted.reconcile(whole: true).completion.raised == 0)
                return try await planted.ledger.reconciliation.exceptions.exception(missing.id, of: "acme")
            }
            let proposed = try #require(try await pass("funded"))
            #expect(proposed.state.status == .proposed && proposed.state.proposedBy == "cli:ann")
            _ = try await planted.approve(missing.id, by: Self.sender("bob"))
            #expect(try await pass("settled")?.state.status == .resolved)
        }
    }

    /// A match by hand whose payment no longer exists does not block another match of its line.
    @Test(arguments: [2, 3]) func aMatchThatDoesNotHoldBlocksNoOther(first: Int) async throws {
        try await planted { planted in
            try await planted.put([
                PlantedWorld.Movement(transaction: 3, amount: 2500, day: 1, keys: ["gateway_id": "g-3"])
            ])
            try await planted.reconcile(whole: true)
            let line = try #require(
                try await open(planted, .missingInLedger).first { $0.state.amount == 2500 }?.line
            )
            func match(_ number: Int) async throws {
                let missing = try #require(
                    try await open(planted, .missingAtProcessor).first {
                        $0.transaction?.text.hasSuffix("\(number)") == true
                    }
                )
                let movement = MovementName(
                    transaction: try #require(missing.transaction),
                    movement: try #require(missing.movement)
                )
                let commands = planted.ledger.reconciliation.exceptionCommands
                let resolution = ExceptionResolution(.matched, lines: [line], movements: [movement])
                let sender = Self.sender("ann")
                _ = try await commands.act(.resolve(resolution), on: missing.id, reason: "typo", sender: sender)
                _ = try await planted.approve(missing.id, by: Self.sender("bob"))
                try await planted.reconcile()
                let links = try await planted.links()
                #expect(links.contains(.init(what: MatchingRule.byHand, line: "mistyped", transaction: number)))
            }
            try await match(first)
            try await planted.ledger.pool.execute(
                "UPDATE read_movements.movements SET type = 'none', status = 'voided', amount = 0 WHERE transaction = $1",
                [.uuid(try #require(UUID128(text: "00000000-0000-8000-8000-00000000000\(first)")))]
            )
            try await planted.reconcile(whole: true)
            #expect(try await !planted.links().contains { $0.what == MatchingRule.byHand })
            try await match(5 - first)
        }
    }

    @Test func newEvidenceReopensAnException() async throws {
        try await planted { planted in
            let missing = try #require(try await open(planted, .missingAtProcessor).first)
            let commands = planted.ledger.reconciliation.exceptionCommands
            let key = "k-1"
            func writeOff() async throws -> ExceptionCommands.Outcome {
                try await commands.act(
                    .resolve(ExceptionResolution(.writtenOff)),
                    on: missing.id,
                    reason: "given up",
                    version: 0,
                    idempotencyKey: key,
                    sender: Self.sender("ann")
                )
            }
            let first = try await writeOff()
            let second = try await writeOff()
            #expect(!first.isDuplicate && second.isDuplicate && second.position == first.position)
            await #expect(throws: IntakeProblem.versionConflict(actual: 1)) {
                _ = try await commands.act(.note, on: missing.id, reason: "x", version: 0, sender: Self.sender("ann"))
            }
            await #expect(throws: IntakeProblem.idempotencyMismatch) {
                _ = try await commands.act(
                    .note,
                    on: missing.id,
                    reason: "x",
                    idempotencyKey: key,
                    sender: Self.sender("ann")
                )
            }
            _ = try await planted.approve(missing.id, by: Self.sender("bob"))
            #expect(try await planted.reconcile().completion.raised == 0)
            // A line that names it with another amount is new evidence: another class is raised, and this one is
            // cleared.
            try await planted.import([
                PlantedWorld.Line(name: "other", gross: 2400, day: 2, keys: ["processor_id": "g-2"])
            ])
            try await planted.reconcile()
            #expect(try await open(planted, .amountDiffers).count == 1)
            let cleared = try #require(
                try await planted.ledger.reconciliation.exceptions.exception(missing.id, of: "acme")
            )
            #expect(cleared.state.status == .resolved)
        }
    }

    @Test func concurrentDecisionsAreRecordedOnce() async throws {
        try await planted { planted in
            let missing = try #require(try await open(planted, .missingAtProcessor).first)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        let step = try? await planted.ledger.reconciliation.exceptionCommands.act(
                            .resolve(ExceptionResolution(.writtenOff)),
                            on: missing.id,
                            reason: "given up",
                            version: 0,
                            sender: Self.sender("p\(index)")
                        )
                        return step != nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 } == 1)
        }
    }
}
