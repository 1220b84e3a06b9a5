import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Postgres
import Synchronization
import Testing

/// What every desk has in common.
@Suite(.timeLimit(.minutes(20))) struct DeskTests {
    private static let stream = StreamName.tenant("acme")
    private struct Taken: Error {}

    private static let sender = Sender(tenant: "acme", actor: "cli:ann", correlation: "c-1")

    private static func desk(_ log: TestLog) -> Desk {
        Desk(
            "test",
            sequencer: log.sequencer,
            reader: log.reader,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    private static func said(_ reason: String) -> TenantEvent {
        .anomalyAcknowledged(
            AnomalyAcknowledgement(anomaly: "00000000-0000-8000-8000-000000000001", reason: reason)
        )
    }

    private static func say(_ reason: String, key: String?, at desk: Desk) async throws -> Desk.Entry {
        try await desk.record(on: stream, request: [reason], key: key, sender: sender) { _ in said(reason) }
    }

    @Test func aRepeatIsAnsweredWithWhatWasRecordedFirst() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            let first = try await Self.say("one", key: "k", at: desk)
            _ = try await Self.say("two", key: nil, at: desk)
            let again = try await desk.record(on: Self.stream, request: ["one"], key: "k", sender: Self.sender) { _ in
                Issue.record("what was recorded is decided again")
                return Self.said("one")
            }
            #expect(!first.isReplay && again.isReplay && again.range == first.range)
            #expect(try await desk.event(of: again).data.contains("\"one\""))
            // Without a key, the same is said twice.
            _ = try await Self.say("two", key: nil, at: desk)
            #expect(try await log.reader.head() == 3)
        }
    }

    @Test func aKeyStandsForOneRequest() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            _ = try await Self.say("one", key: "k", at: desk)
            await #expect(throws: IntakeProblem.idempotencyMismatch) {
                _ = try await Self.say("two", key: "k", at: desk)
            }
            await #expect(throws: IntakeProblem.idempotencyMismatch) {
                _ = try await desk.record(
                    Self.said("two"),
                    on: Self.stream,
                    request: ["two"],
                    key: "k",
                    sender: Self.sender
                )
            }
            #expect(try await log.reader.head() == 1)
            // Of another desk it is another key.
            let other = Desk(
                "other",
                sequencer: log.sequencer,
                reader: log.reader,
                ids: UUIDv7Generator(clock: log.clock),
                clock: log.clock
            )
            let there = try await Self.say("two", key: "k", at: other)
            #expect(!there.isReplay && there.position == 2)
        }
    }

    @Test func whatSomebodyElseSaidMeanwhileIsDecidedOn() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            let seen = Mutex<[Int64]>([])
            let entry = try await desk.record(on: Self.stream, request: ["mine"], key: "k", sender: Self.sender) {
                newest in
                let rounds = seen.withLock { seen in
                    seen.append(newest?.version ?? 0)
                    return seen.count
                }
                // Two others get in between, one after the other.
                if rounds <= 2 { _ = try await Self.say("theirs \(rounds)", key: nil, at: desk) }
                return Self.said("mine after \(newest?.version ?? 0)")
            }
            #expect(seen.withLock(\.self) == [0, 1, 2])
            #expect(!entry.isReplay && entry.position == 3)
            #expect(try await desk.event(of: entry).data.contains("mine after 2"))
        }
    }

    @Test func aRefusalAfterAConflictIsTheAnswer() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            await #expect(throws: Taken.self) {
                _ = try await desk.record(on: Self.stream, request: ["mine"], key: "k", sender: Self.sender) { newest in
                    guard newest == nil else { throw Taken() }
                    _ = try await Self.say("theirs", key: nil, at: desk)
                    return Self.said("mine")
                }
            }
            let end = try await log.reader.head()
            #expect(end == 1)
        }
    }

    /// Whoever is not told whether it is recorded finds out by asking again.
    @Test func aRepeatOfWhatIsUnknownIsRecordedOnce() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let asking = Task { try await Self.say("one", key: "k", at: desk) }
                try await log.waitForBlockedAppend()
                asking.cancel()
                let problem = await #expect(throws: IntakeProblem.self) { _ = try await asking.value }
                #expect(problem?.code == .outcomeUnknown)
            }
            let again = try await Self.say("one", key: "k", at: desk)
            #expect(again.isReplay && again.position == 1)
            #expect(try await log.reader.head() == 1)
        }
    }

    @Test func whatIsSaidOnceStaysSaid() async throws {
        try await TestLog.with { log in
            let desk = Self.desk(log)
            func say(_ reason: String, key: String?) async throws -> Desk.Entry {
                try await desk.record(
                    Self.said(reason),
                    on: Self.stream,
                    request: [reason],
                    once: ["the anomaly"],
                    key: key,
                    sender: Self.sender
                )
            }
            let first = try await say("one", key: "k")
            let again = try await say("one", key: nil)
            #expect(again.isReplay && again.range == first.range)
            await #expect(throws: Desk.SaidOtherwise.self) { _ = try await say("two", key: "l") }
            await #expect(throws: IntakeProblem.idempotencyMismatch) { _ = try await say("two", key: "k") }
            #expect(try await log.reader.head() == 1)
        }
    }
}
