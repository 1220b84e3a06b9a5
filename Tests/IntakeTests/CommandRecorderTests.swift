import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Postgres
import Synchronization
import Testing

/// The behaviour that all user commands share.
struct CommandRecorderTests {
    private static let stream = StreamName.tenant("acme")
    private struct Taken: Error {}

    private static let sender = Sender(tenant: "acme", actor: "cli:ann", correlation: "c-1")

    private static func recorder(_ log: TestLog) -> CommandRecorder {
        CommandRecorder(
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

    private static func say(_ reason: String, key: String?, at recorder: CommandRecorder) async throws
        -> CommandRecorder.Entry
    {
        try await recorder.record(on: stream, request: [reason], key: key, sender: sender) { _ in said(reason) }
    }

    @Test func aDuplicateRequestGetsTheFirstAnswer() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            let first = try await Self.say("one", key: "k", at: recorder)
            _ = try await Self.say("two", key: nil, at: recorder)
            let again = try await recorder.record(on: Self.stream, request: ["one"], key: "k", sender: Self.sender) {
                _ in
                Issue.record("what was recorded is decided again")
                return Self.said("one")
            }
            #expect(!first.isDuplicate && again.isDuplicate && again.range == first.range)
            #expect(try await recorder.event(of: again).data.contains("\"one\""))
            // Without a key, the same command is recorded twice.
            _ = try await Self.say("two", key: nil, at: recorder)
            #expect(try await log.reader.head() == 3)
        }
    }

    @Test func aKeyBelongsToOneRequest() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            _ = try await Self.say("one", key: "k", at: recorder)
            await #expect(throws: IntakeProblem.idempotencyMismatch) {
                _ = try await Self.say("two", key: "k", at: recorder)
            }
            await #expect(throws: IntakeProblem.idempotencyMismatch) {
                _ = try await recorder.record(
                    Self.said("two"),
                    on: Self.stream,
                    request: ["two"],
                    key: "k",
                    sender: Self.sender
                )
            }
            #expect(try await log.reader.head() == 1)
            // The same text is another key for other commands.
            let other = CommandRecorder(
                "other",
                sequencer: log.sequencer,
                reader: log.reader,
                ids: UUIDv7Generator(clock: log.clock),
                clock: log.clock
            )
            let there = try await Self.say("two", key: "k", at: other)
            #expect(!there.isDuplicate && there.position == 2)
        }
    }

    @Test func aConcurrentEventIsPartOfTheDecision() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            let seen = Mutex<[Int64]>([])
            let entry = try await recorder.record(on: Self.stream, request: ["mine"], key: "k", sender: Self.sender) {
                newest in
                let rounds = seen.withLock { seen in
                    seen.append(newest?.version ?? 0)
                    return seen.count
                }
                // Two other writers append in between, one after the other.
                if rounds <= 2 { _ = try await Self.say("theirs \(rounds)", key: nil, at: recorder) }
                return Self.said("mine after \(newest?.version ?? 0)")
            }
            #expect(seen.withLock(\.self) == [0, 1, 2])
            #expect(!entry.isDuplicate && entry.position == 3)
            #expect(try await recorder.event(of: entry).data.contains("mine after 2"))
        }
    }

    @Test func aRefusalAfterAConflictIsTheAnswer() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            await #expect(throws: Taken.self) {
                _ = try await recorder.record(on: Self.stream, request: ["mine"], key: "k", sender: Self.sender) {
                    newest in
                    guard newest == nil else { throw Taken() }
                    _ = try await Self.say("theirs", key: nil, at: recorder)
                    return Self.said("mine")
                }
            }
            let end = try await log.reader.head()
            #expect(end == 1)
        }
    }

    /// If the outcome of a recording is unknown, a repeat of the request determines it.
    @Test func aRepeatAfterAnUnknownOutcomeIsRecordedOnce() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let asking = Task { try await Self.say("one", key: "k", at: recorder) }
                try await log.waitForBlockedAppend()
                asking.cancel()
                let problem = await #expect(throws: IntakeProblem.self) { _ = try await asking.value }
                #expect(problem?.code == .outcomeUnknown)
            }
            let again = try await Self.say("one", key: "k", at: recorder)
            #expect(again.isDuplicate && again.position == 1)
            #expect(try await log.reader.head() == 1)
        }
    }

    @Test func anEqualCommandIsADuplicate() async throws {
        try await TestLog.with { log in
            let recorder = Self.recorder(log)
            func say(_ reason: String, key: String?) async throws -> CommandRecorder.Entry {
                try await recorder.record(
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
            #expect(again.isDuplicate && again.range == first.range)
            await #expect(throws: CommandRecorder.ConflictingRecord.self) { _ = try await say("two", key: "l") }
            await #expect(throws: IntakeProblem.idempotencyMismatch) { _ = try await say("two", key: "k") }
            #expect(try await log.reader.head() == 1)
        }
    }
}
