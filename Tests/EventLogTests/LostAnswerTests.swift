import DaybookTestKit
import EventLog
import Postgres
import PostgresCluster
import Testing

struct LostAnswerTests {
    @Test(arguments: [CommitProxy.Fault.answerLost, .requestLost, .answerSwallowed, .requestSwallowed])
    func aBatchOfUnknownOutcomeIsInTheLogExactlyOnce(fault: CommitProxy.Fault) async throws {
        try await TestLog.with { log in
            try await Self.withProxy(log, limits: .init(answerTimeout: .milliseconds(500))) { proxy, sequencer in
                let first = try await sequencer.append(.sample("a", keys: [.sample("k")], references: ["x"], count: 2))
                #expect(first == .appended(AppendedRange(firstPosition: 1, count: 2)))
                proxy.arm(fault)
                let second = try await sequencer.append(.sample("a", expected: .version(2), keys: [.sample("k2")]))
                #expect(second == .appended(AppendedRange(firstPosition: 3, count: 1)))
                #expect(proxy.isSpent)
                // If the answer to a request that changes nothing is lost, the same result is determined once more.
                proxy.arm(fault)
                let conflict = try await sequencer.append(.sample("a", expected: .version(1)))
                #expect(conflict == .conflict(actual: 3))
                proxy.arm(fault)
                let repeated = try await sequencer.append(.sample("b", keys: [.sample("k")]))
                #expect(repeated == .duplicate(AppendedRange(firstPosition: 1, count: 2)))
                let events = try await log.events()
                #expect(events.count == 3)
                #expect(TestLog.faults(of: events).isEmpty)
            }
        }
    }

    /// The whole batch is in doubt at once: each item still gets its own answer.
    @Test(arguments: [CommitProxy.Fault.answerLost, .requestLost])
    func everyItemOfABatchInDoubtGetsItsOwnAnswer(fault: CommitProxy.Fault) async throws {
        try await TestLog.with { log in
            try await Self.withProxy(log) { proxy, sequencer in
                _ = try await sequencer.append(.sample("old", keys: [.sample("k")], references: ["x"]))
                let items: [AppendItem] = [
                    .sample("new-1", count: 2), .sample("old", expected: .version(0)),
                    .sample("new-2", keys: [.sample("k")]), .sample("new-3", references: ["x"]),
                    .sample("new-4", keys: [.sample("k2")]),
                ]
                let tasks = try await log.pool.withTransaction { transaction in
                    _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                    let gate = Task { await log.outcome(of: .sample("gate"), by: sequencer) }
                    try await log.waitForBlockedAppend()
                    var tasks = [gate]
                    for (index, item) in items.enumerated() {
                        tasks.append(Task { await log.outcome(of: item, by: sequencer) })
                        while await sequencer.depth <= index { await Task.yield() }
                    }
                    proxy.arm(fault)
                    return tasks
                }
                // The fault affects the gate or the batch, whichever commits first; then the other one.
                _ = try await tasks[0].value.get()
                let outcomes = [
                    await tasks[1].value, await tasks[2].value, await tasks[3].value, await tasks[4].value,
                    await tasks[5].value,
                ]
                #expect(outcomes[0] == .success(.appended(AppendedRange(firstPosition: 3, count: 2))))
                #expect(outcomes[1] == .success(.conflict(actual: 1)))
                #expect(outcomes[2] == .success(.duplicate(AppendedRange(firstPosition: 1, count: 1))))
                #expect(outcomes[3] == .success(.claimed))
                #expect(outcomes[4] == .success(.appended(AppendedRange(firstPosition: 5, count: 1))))
                #expect(TestLog.faults(of: try await log.events()).isEmpty)
                #expect(try await log.reader.head() == 5)
            }
        }
    }

    @Test func manyLostAnswersUnderLoadLoseAndDoubleNothing() async throws {
        try await TestLog.with { log in
            try await Self.withProxy(log, limits: .init(batchItems: 10)) { proxy, sequencer in
                let appended = try await withThrowingTaskGroup(of: [AppendedRange].self) { group in
                    for writer in 0..<10 {
                        group.addTask {
                            var ranges: [AppendedRange] = []
                            for number in 0..<20 {
                                if number % 5 == 0 { proxy.arm(number % 2 == 0 ? .answerLost : .requestLost) }
                                let item = AppendItem.sample("w\(writer)", keys: [.sample("\(writer)-\(number)")])
                                guard case .appended(let range) = try await sequencer.append(item) else {
                                    Issue.record("a first request was not answered as one")
                                    continue
                                }
                                ranges.append(range)
                            }
                            return ranges
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                let events = try await log.events()
                #expect(TestLog.faults(of: events).isEmpty)
                #expect(events.count == 200)
                #expect(Set(appended.map(\.firstPosition)) == Set(1...200))
            }
        }
    }

    @Test func aTerminatedBackendCostsNothing() async throws {
        try await TestLog.with { log in
            let waiting = try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let waiting = Task { await log.outcome(of: .sample("a", keys: [.sample("k")])) }
                let backend = try await log.blockedAppend()
                _ = try await log.superuser.query("SELECT pg_terminate_backend($1)", [.int32(backend)])
                return waiting
            }
            let range = AppendedRange(firstPosition: 1, count: 1)
            #expect(try await waiting.value.get() == .appended(range))
            #expect(try await log.reader.head() == 1)
        }
    }

    @Test func aCancelledStatementLeavesNothingBehind() async throws {
        try await TestLog.with { log in
            let waiting = try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let waiting = Task { await log.outcome(of: .sample("a")) }
                let backend = try await log.blockedAppend()
                _ = try await log.superuser.query("SELECT pg_cancel_backend($1)", [.int32(backend)])
                return waiting
            }
            #expect(await waiting.value == .failure(AppendError(.refused, sqlState: "57014")))
            #expect(try await log.reader.head() == 0)
            let next = try await log.sequencer.append(.sample("a", expected: .version(0)))
            #expect(next == .appended(AppendedRange(firstPosition: 1, count: 1)))
        }
    }

    private static func withProxy(
        _ log: TestLog,
        limits: Sequencer.Limits = .init(),
        _ body: @escaping @Sendable (CommitProxy, Sequencer) async throws -> Void
    ) async throws {
        let server = try await TestDatabase.server().socketDirectory
        try await CommitProxy.with(upstreamDirectory: server) { proxy in
            let url = log.url.replacing(server, with: proxy.directory)
            try #require(url != log.url)
            let sequencer = Sequencer(
                configuration: PostgresConfiguration(connectionString: url),
                clock: log.clock,
                signal: .init(),
                limits: limits,
                logger: TestLog.logger
            )
            try await TestLog.running(sequencer) { try await body(proxy, sequencer) }
        }
    }
}
