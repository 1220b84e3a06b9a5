import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

struct ConcurrencyTests {
    /// Twenty writers compete for a few streams, keys and references through two sequencers, like two processes.
    @Test func twoSequencersLeaveNoGapAndNoSecondFact() async throws {
        try await TestLog.with(limits: .init(queue: 4096, batchItems: 40)) { log in
            let other = log.anotherSequencer(limits: .init(queue: 4096, batchItems: 7))
            try await TestLog.running(other) {
                try await Self.race(log, other)
            }
        }
    }

    private static func race(_ log: TestLog, _ other: Sequencer) async throws {
        let seed = SeededGenerator.forTest().seed
        let outcomes = try await withThrowingTaskGroup(of: [(AppendItem, AppendResult)].self) { group in
            for writer in 0..<20 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ UInt64(writer))
                    var outcomes: [(AppendItem, AppendResult)] = []
                    for _ in 0..<150 {
                        let item = Self.item(&random)
                        let result = try await (Bool.random(using: &random) ? log.sequencer : other).append(item)
                        outcomes.append((item, result))
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try await check(outcomes, log)
    }

    private static func check(_ outcomes: [(AppendItem, AppendResult)], _ log: TestLog) async throws {
        let events = try await log.events()
        #expect(TestLog.faults(of: events).isEmpty)
        let positions = Dictionary(uniqueKeysWithValues: events.map { ($0.id, $0.position) })
        var kinds: Set<String> = []
        var appendedUnder: [[UInt8]: AppendedRange] = [:]
        for case (let item, .appended(let range)) in outcomes {
            #expect(item.events.map { positions[$0.id] } == range.positions)
            for key in item.idempotency {
                #expect(appendedUnder.updateValue(range, forKey: key.key) == nil, "a fact is there twice")
            }
        }
        for (item, result) in outcomes {
            switch result {
            case .appended: kinds.insert("appended")
            case .duplicate(let range):
                kinds.insert("duplicate")
                #expect(item.idempotency.contains { appendedUnder[$0.key] == range })
            case .mismatch: kinds.insert("mismatch")
            case .claimed: kinds.insert("claimed")
            case .conflict: kinds.insert("conflict")
            }
            if case .appended = result { continue }
            #expect(item.events.allSatisfy { positions[$0.id] == nil })
        }
        #expect(kinds.count == 5, "the load must contain every case")
        let count = outcomes.reduce(0) { sum, outcome in
            if case .appended(let range) = outcome.1 { return sum + range.count }
            return sum
        }
        #expect(count == events.count)
        #expect(try await log.reader.head() == Int64(events.count))
    }

    private static func item(_ random: inout SeededGenerator) -> AppendItem {
        let stream = "s\(Int.random(in: 0..<60, using: &random))"
        let key = Int.random(in: 0..<1500, using: &random)
        // One request in twenty uses a key that stands for another request.
        let request = Int.random(in: 0..<20, using: &random) == 0 ? "other" : "same"
        let isExpecting = Int.random(in: 0..<4, using: &random) == 0
        return .sample(
            stream,
            expected: isExpecting ? .version(Int64.random(in: 0..<20, using: &random)) : .any,
            keys: Bool.random(using: &random) ? [.sample("k\(key)", request: request)] : [],
            references: Int.random(in: 0..<5, using: &random) == 0 ? ["n\(key % 200)"] : [],
            count: Int.random(in: 1...3, using: &random)
        )
    }

    @Test func concurrentRetriesOfOneRequestAppendOnce() async throws {
        try await TestLog.with { log in
            let outcomes = await withTaskGroup(of: Result<AppendResult, AppendError>.self) { group in
                for sender in 0..<200 {
                    group.addTask {
                        await log.outcome(
                            of: .sample("s\(sender)", expected: .version(0), keys: [.sample("k")], count: 2)
                        )
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let appended = outcomes.compactMap { outcome in
                if case .success(.appended(let range)) = outcome { return range }
                return nil as AppendedRange?
            }
            let range = try #require(appended.first)
            #expect(appended.count == 1)
            #expect(outcomes.filter { $0 == .success(.duplicate(range)) }.count == 199)
            #expect(try await log.reader.head() == 2)
        }
    }

    /// A repeat shares the result of the request it repeats; a conflict only concerns the stream of the first request.
    @Test func aDuplicateRequestDoesNotFailWithAnothersConflict() async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a"))
            let waiting = try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let gate = Task { await log.outcome(of: .sample("gate")) }
                try await log.waitForBlockedAppend()
                let leader = Task {
                    await log.outcome(of: .sample("a", expected: .version(0), keys: [.sample("k")]))
                }
                while await log.sequencer.depth < 1 { await Task.yield() }
                let rider = Task { await log.outcome(of: .sample("b", expected: .version(0), keys: [.sample("k")])) }
                while await log.sequencer.depth < 2 { await Task.yield() }
                return [gate, leader, rider]
            }
            #expect(await waiting[1].value == .success(.conflict(actual: 1)))
            let range = AppendedRange(firstPosition: 3, count: 1)
            #expect(await waiting[2].value == .success(.appended(range)))
        }
    }

    @Test func aFullQueueRefusesAtOnceAndLosesNothing() async throws {
        try await TestLog.with(limits: .init(queue: 3, batchBytes: 4096)) { log in
            let accepted = try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let gate = Task { await log.outcome(of: .sample("gate")) }
                try await log.waitForBlockedAppend()
                let waiting = (0..<3).map { number in Task { await log.outcome(of: .sample("s\(number)")) } }
                while await log.sequencer.depth < 3 { await Task.yield() }
                #expect(await log.outcome(of: .sample("late")) == .failure(AppendError(.queueFull)))
                return [gate] + waiting
            }
            for task in accepted { _ = try await task.value.get() }
            #expect(try await log.reader.head() == 4)
            #expect(try await log.reader.stream("late", of: "acme").isEmpty)
            let large = AppendItem.sample("large", count: 20)
            #expect(await log.outcome(of: large) == .failure(AppendError(.itemTooLarge)))
        }
    }

    @Test func closingFinishesWhatWasAccepted() async throws {
        try await TestLog.with { log in
            let other = log.anotherSequencer(limits: .init(batchItems: 5))
            let running = Task { await other.run() }
            let accepted = try await log.pool.withTransaction { transaction in
                _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
                let gate = Task { await log.outcome(of: .sample("gate"), by: other) }
                try await log.waitForBlockedAppend()
                let behind = (0..<29).map { number in
                    Task { await log.outcome(of: .sample("s\(number)"), by: other) }
                }
                while await other.depth < behind.count { await Task.yield() }
                await other.close()
                #expect(await log.outcome(of: .sample("late"), by: other) == .failure(AppendError(.shuttingDown)))
                return [gate] + behind
            }
            await running.value
            for task in accepted {
                guard case .appended = try await task.value.get() else {
                    Issue.record("an accepted item was not appended")
                    continue
                }
            }
            #expect(try await log.reader.head() == 30)
        }
    }

    @Test func aSequencerThatNeverRanHasNothingToClose() async {
        let nowhere = PostgresConfiguration(connectionString: "host=/nonexistent")
        let sequencer = Sequencer(configuration: nowhere, clock: ManualClock(), signal: .init(), logger: TestLog.logger)
        await sequencer.close()
        await sequencer.run()
        #expect(await sequencer.depth == 0)
    }
}
