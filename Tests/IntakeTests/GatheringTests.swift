import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Postgres
import Testing
import Vendors

/// Records of separate requests that are recorded together.
@Suite struct GatheringTests {
    /// Every sender gets the answer it would have got alone, and is named only in its own events.
    @Test func everySenderGetsItsOwnAnswer() async throws {
        try await withIntake { intake, log in
            let old = Spin(rrn: "90", txn: "Old", total: "9.00")
            let first = try await intake.submit(old)
            let senders = (0..<6).map { number in
                intake.sent(
                    by: Sender(tenant: "tenant-\(number % 2)", actor: "key:\(number)", correlation: "r\(number)")
                )
            }
            // The same numbers at two tenants are different payments.
            let outcomes = try await log.whileLocked(intake) {
                var tasks = senders.enumerated().map { index, sender in
                    Task { try await sender.submit(Spin(rrn: "\(index / 2)", txn: "A\(index / 2)", total: "5.00")) }
                }
                tasks.append(Task { try await intake.submit(old) })
                tasks.append(Task { try await intake.submit("dejavoo", "Spin_Response", ["A": "1"]) })
                tasks.append(
                    Task { try await intake.submit(Spin(rrn: "91", txn: "Old", total: "9.00", label: "Void")) }
                )
                return tasks
            }
            let answers = try outcomes[..<6].map { try $0.get() }
            #expect(Set(answers.map(\.stream)).count == 6)
            let events = try await log.events()
            for (answer, sender) in zip(answers, senders) {
                let own = events.filter { $0.correlation == sender.sender.correlation }
                #expect(own.map(\.position) == answer.positions)
                #expect(own.allSatisfy { $0.actor == sender.sender.actor && $0.tenant == sender.sender.tenant })
            }
            #expect(try outcomes[6].get().isDuplicate)
            #expect(try outcomes[6].get().positions == first.positions)
            let refusal = #expect(throws: IntakeProblem.self) { try outcomes[7].get() }
            let trace = try #require(refusal?.tracePosition)
            #expect(events[Int(trace) - 1].type == "IntakeRefused")
            #expect(try outcomes[8].get().stream == first.stream)
            #expect(try await log.payment(first.stream).status == .voided)
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    @Test func duplicatesInOneWindowAreOneFact() async throws {
        try await withIntake { intake, log in
            let outcomes = try await log.whileLocked(intake) {
                (0..<8).map { _ in Task { try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00")) } }
            }
            let answers = try outcomes.map { try $0.get() }
            #expect(Set(answers.map(\.positions)).count == 1)
            #expect(answers.count { !$0.isDuplicate } == 1)
            #expect(try await log.payment(answers[0].stream).captured == 500)
        }
    }

    /// A sender that stops waiting gets an answer at once; neither the other documents nor its own are lost or divided.
    @Test func aSenderThatStopsWaitingDoesNotAffectOthers() async throws {
        try await withIntake { intake, log in
            let outcomes = try await log.whileLocked(intake) {
                let tasks = (0..<3).map { number in
                    Task { try await intake.submit(Spin(rrn: "\(number)", txn: "A\(number)", total: "5.00")) }
                }
                while await intake.intake.waiting < 3 { await Task.yield() }
                tasks[1].cancel()
                // The head is still locked, so this answer does not come from the log.
                let problem = await #expect(throws: IntakeProblem.self) { try await tasks[1].value }
                #expect(problem?.code == .outcomeUnknown)
                return tasks
            }
            #expect(try outcomes[0].get().stream != outcomes[2].get().stream)
            let again = try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00"))
            #expect(again.isDuplicate)
            #expect(again.types.contains("Captured"))
        }
    }

    @Test func requestsBeyondTheQueueAreRefusedAndOthersRecorded() async throws {
        var limits = IntakeLimits()
        limits.documents = 2
        try await withIntake(limits: limits) { intake, log in
            let outcomes = try await log.whileLocked(intake) {
                let tasks = (0..<2).map { number in
                    Task { try await intake.submit(Spin(rrn: "\(number)", txn: "A\(number)", total: "5.00")) }
                }
                while await intake.intake.waiting < 2 { await Task.yield() }
                let problem = await #expect(throws: IntakeProblem.self) {
                    try await intake.submit(Spin(rrn: "8", txn: "A8", total: "5.00"))
                }
                #expect(problem?.code == .overloaded)
                return tasks
            }
            for outcome in outcomes { #expect(try !outcome.get().isDuplicate) }
            let later = try await intake.submit(Spin(rrn: "8", txn: "A8", total: "5.00"))
            #expect(!later.isDuplicate)
        }
    }

    @Test(arguments: [1, 3])
    func aWindowIsBounded(documents: Int) async throws {
        var limits = IntakeLimits()
        limits.windowDocuments = documents
        limits.windowBytes = documents == 1 ? .max : 1
        try await withIntake(limits: limits) { intake, log in
            let outcomes = try await log.whileLocked(intake) {
                (0..<7).map { number in
                    Task { try await intake.submit(Spin(rrn: "\(number)", txn: "A\(number)", total: "5.00")) }
                }
            }
            #expect(Set(try outcomes.map { try $0.get().stream }).count == 7)
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
        }
    }

    @Test func aShutdownCompletesAcceptedRequestsOnly() async throws {
        try await withIntake { intake, log in
            let outcomes = try await log.whileLocked(intake) {
                let tasks = (0..<4).map { number in
                    Task { try await intake.submit(Spin(rrn: "\(number)", txn: "A\(number)", total: "5.00")) }
                }
                while await intake.intake.waiting < 4 { await Task.yield() }
                await intake.intake.close()
                let problem = await #expect(throws: IntakeProblem.self) {
                    try await intake.submit(Spin(rrn: "8", txn: "A8", total: "5.00"))
                }
                #expect(problem?.code == .unavailable)
                return tasks
            }
            for outcome in outcomes { #expect(try !outcome.get().isDuplicate) }
        }
    }
}

extension TestIntake {
    fileprivate func sent(by sender: Sender) -> TestIntake {
        var other = self
        other.sender = sender
        return other
    }
}

extension TestLog {
    typealias Submission = Task<IntakeAnswer, any Error>

    /// Starts requests while the head of the log is locked and a first document waits for it, so that all of them wait
    /// together, and returns their results.
    fileprivate func whileLocked(
        _ intake: TestIntake,
        _ start: @Sendable () async throws -> [Submission]
    ) async throws -> [Result<IntakeAnswer, any Error>] {
        let (gate, tasks) = try await pool.withTransaction { transaction in
            _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
            let gate = Task { try await intake.submit(Spin(rrn: "gate", txn: "gate", total: "1.00")) }
            let sql = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            while try await superuser.query(sql).single().int64(0) == 0 { await Task.yield() }
            let tasks = try await start()
            // None can have been answered: any request that is not waiting yet must still be read.
            while await intake.intake.waiting < tasks.count, !tasks.contains(where: \.isCancelled) {
                await Task.yield()
            }
            return (gate, tasks)
        }
        _ = try await gate.value
        var outcomes: [Result<IntakeAnswer, any Error>] = []
        for task in tasks { outcomes.append(await task.result) }
        return outcomes
    }
}
