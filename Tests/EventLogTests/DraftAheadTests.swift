import DaybookTestKit
import EventLog
import Postgres
import Testing

/// Batches drafted while the previous one is still in flight, and dependent on it.
struct DraftAheadTests {
    @Test func aBatchBuildsOnTheVersionsAndKeysOfTheOneInFlight() async throws {
        try await TestLog.with(limits: .init(batchEvents: 8)) { log in
            let first = try await log.sequencer.append(.sample("tenant", keys: [.sample("old")]))
            #expect(first == .appended(AppendedRange(firstPosition: 1, count: 1)))
            // The first batch of a writer always reads the database: the writer does not know where the log ends.
            #expect(await log.sequencer.decisions == 1)
            let next: [AppendItem] = [
                .sample("tenant", count: 2), .sample("other", keys: [.sample("k")]),
                .sample("other", references: ["x"]),
                .sample("new", expected: .version(1)), .sample("new", expected: .version(2)), .sample("tenant"),
            ]
            let (flight, behind) = try await log.superuser.withTransaction { transaction in
                _ = try await transaction.query("SELECT FROM ledger.head FOR UPDATE")
                let flight = Task {
                    await log.sequencer.append([
                        .sample("tenant", keys: [.sample("k")]),
                        .sample("new", expected: .version(0), references: ["x"], count: 2),
                    ])
                }
                try await log.waitForBlockedAppend()
                let behind = Task { await log.sequencer.append(next) }
                while await log.sequencer.preparedCount < next.count { await Task.yield() }
                return (flight, behind)
            }
            let landed = try await flight.value.map { try $0.get() }
            #expect(
                landed == [
                    .appended(AppendedRange(firstPosition: 2, count: 1)),
                    .appended(AppendedRange(firstPosition: 3, count: 2)),
                ]
            )
            let answers = try await behind.value.map { try $0.get() }
            #expect(
                answers == [
                    .appended(AppendedRange(firstPosition: 5, count: 2)),
                    .duplicate(AppendedRange(firstPosition: 2, count: 1)),
                    .claimed,
                    .conflict(actual: 2),
                    .appended(AppendedRange(firstPosition: 7, count: 1)),
                    .appended(AppendedRange(firstPosition: 8, count: 1)),
                ]
            )
            #expect(await log.sequencer.decisions == 1)
            let events = try await log.events()
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    /// Like the events of a tenant's stream, which many senders append to.
    @Test func aStreamInEveryBatchIsNeverGuessedWrong() async throws {
        try await TestLog.with(limits: .init(batchEvents: 6)) { log in
            let appended = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let item = AppendItem.sample("tenant", keys: [.sample("\(number)")])
                        guard case .success(.appended) = await log.outcome(of: item) else { return false }
                        return true
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(appended == 200)
            #expect(await log.sequencer.decisions == 1)
            let events = try await log.events()
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }

    /// The batch in flight has another result: the batch built on it is drafted again.
    @Test func aBatchBuiltOnAWrongGuessIsJudgedAgain() async throws {
        try await TestLog.with(limits: .init(batchEvents: 4)) { log in
            let other = log.anotherSequencer()
            _ = try await log.sequencer.append(.sample("tenant"))
            try await TestLog.running(other) {
                // Another sequencer appends without the knowledge of the log's own sequencer, which remembers version
                // 1.
                _ = try await other.append(.sample("tenant"))
            }
            let (flight, behind) = try await log.superuser.withTransaction { transaction in
                _ = try await transaction.query("SELECT FROM ledger.head FOR UPDATE")
                let flight = Task { await log.outcome(of: .sample("tenant", keys: [.sample("k")])) }
                try await log.waitForBlockedAppend()
                let behind = Task {
                    await log.sequencer.append([.sample("tenant"), .sample("x", keys: [.sample("k")])])
                }
                while await log.sequencer.preparedCount < 2 { await Task.yield() }
                return (flight, behind)
            }
            #expect(await flight.value == .success(.appended(AppendedRange(firstPosition: 3, count: 1))))
            let answers = try await behind.value.map { try $0.get() }
            #expect(
                answers == [
                    .appended(AppendedRange(firstPosition: 4, count: 1)),
                    .duplicate(AppendedRange(firstPosition: 3, count: 1)),
                ]
            )
            let events = try await log.events()
            #expect(TestLog.faults(of: events).isEmpty)
        }
    }
}
