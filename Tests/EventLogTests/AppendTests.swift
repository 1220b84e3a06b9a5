import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

struct AppendTests {
    @Test func anItemIsAppendedWholeAtTheEndOfTheLog() async throws {
        try await TestLog.with { log in
            let first = try await log.sequencer.append(.sample("a", expected: .version(0), count: 3))
            #expect(first == .appended(AppendedRange(firstPosition: 1, count: 3)))
            let second = try await log.sequencer.append(.sample("b", count: 1))
            #expect(second == .appended(AppendedRange(firstPosition: 4, count: 1)))
            let third = try await log.sequencer.append(.sample("a", expected: .version(3), count: 2))
            #expect(third == .appended(AppendedRange(firstPosition: 5, count: 2)))
            #expect(try await log.reader.head() == 6)
            let stream = try await log.reader.stream("a", of: "acme")
            #expect(stream.map(\.version) == [1, 2, 3, 4, 5])
            #expect(stream.map(\.position) == [1, 2, 3, 5, 6])
            #expect(try await log.reader.stream("a", of: "other").isEmpty)
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
        }
    }

    @Test func anUnexpectedVersionIsAConflict() async throws {
        try await TestLog.with { log in
            #expect(try await log.sequencer.append(.sample("a", expected: .version(1))) == .conflict(actual: 0))
            _ = try await log.sequencer.append(.sample("a", expected: .version(0), count: 2))
            for wrong: Int64 in [0, 1, 3, -1, .max, .min] {
                let result = try await log.sequencer.append(.sample("a", expected: .version(wrong)))
                #expect(result == .conflict(actual: 2))
            }
            // The same stream name of another tenant is another stream.
            let other = try await log.sequencer.append(.sample("a", tenant: "other", expected: .version(0)))
            #expect(other == .appended(AppendedRange(firstPosition: 3, count: 1)))
            #expect(try await log.reader.head() == 3)
        }
    }

    /// The first items of a process, those drafted from guesses, and those of another process get the same answers.
    @Test func aFullStreamIsRefusedAfterDuplicates() async throws {
        try await TestLog.with { log in
            let other = log.anotherSequencer()
            try await TestLog.running(other) { try await Self.fill(log, other) }
        }
    }

    private static func fill(_ log: TestLog, _ other: Sequencer) async throws {
        func item(_ version: AppendItem.Expectation, _ key: String, _ count: Int = 1) -> AppendItem {
            var item = AppendItem.sample("a", expected: version, keys: [.sample(key)], count: count)
            item.versionLimit = 10
            return item
        }
        let full = Result<AppendResult, AppendError>.failure(AppendError(.streamFull))
        let first = AppendedRange(firstPosition: 1, count: 9)
        #expect(await log.outcome(of: item(.version(0), "first", 9)) == .success(.appended(first)))
        for sequencer in [log.sequencer, other] {
            #expect(await log.outcome(of: item(.any, "two", 2), by: sequencer) == full)
            #expect(await log.outcome(of: item(.version(9), "two", 2), by: sequencer) == full)
            #expect(await log.outcome(of: item(.version(0), "first", 9), by: sequencer) == .success(.duplicate(first)))
        }
        let last = AppendedRange(firstPosition: 10, count: 1)
        #expect(await log.outcome(of: item(.version(9), "last")) == .success(.appended(last)))
        for sequencer in [log.sequencer, other] {
            #expect(await log.outcome(of: item(.any, "more"), by: sequencer) == full)
            #expect(await log.outcome(of: item(.any, "last"), by: sequencer) == .success(.duplicate(last)))
            #expect(await log.outcome(of: item(.version(3), "old"), by: sequencer) == .success(.conflict(actual: 10)))
        }
        // Items of one batch, some of which are refused.
        let mixed = await log.sequencer.append([
            item(.any, "x"), .sample("b"), item(.any, "first", 9), .sample("a", count: 2), item(.any, "y"),
        ])
        let others = [AppendedRange(firstPosition: 11, count: 1), AppendedRange(firstPosition: 12, count: 2)]
        #expect(
            mixed == [
                full, .success(.appended(others[0])), .success(.duplicate(first)), .success(.appended(others[1])), full,
            ]
        )
        #expect(try await log.reader.stream("a", of: "acme").count == 12)
        #expect(TestLog.faults(of: try await log.events()).isEmpty)
    }

    @Test func aDuplicateRequestGetsTheFirstPositions() async throws {
        try await TestLog.with { log in
            let key = IdempotencyKey.sample("k", request: "r")
            _ = try await log.sequencer.append(.sample("other"))
            _ = try await log.sequencer.append(.sample("a", keys: [key], count: 2))
            // The stream may differ: the sender of a repeat may not know the first one.
            let repeated = try await log.sequencer.append(.sample("b", expected: .version(9), keys: [key]))
            #expect(repeated == .duplicate(AppendedRange(firstPosition: 2, count: 2)))
            let otherRequest = IdempotencyKey.sample("k", request: "s")
            #expect(try await log.sequencer.append(.sample("b", keys: [otherRequest])) == .mismatch)
            // Another tenant's key is another key.
            let stranger = try await log.sequencer.append(.sample("a", tenant: "other", keys: [key]))
            #expect(stranger == .appended(AppendedRange(firstPosition: 4, count: 1)))
            #expect(try await log.reader.head() == 4)
        }
    }

    /// The log holds every key, so a request that appends nothing stores none.
    @Test func aDuplicateRequestClaimsNoFurtherKey() async throws {
        try await TestLog.with { log in
            let natural = IdempotencyKey.sample("natural")
            let first = AppendedRange(firstPosition: 1, count: 2)
            _ = try await log.sequencer.append(.sample("a", keys: [natural], count: 2))
            let sent = IdempotencyKey.sample("sent", request: "r")
            #expect(try await log.sequencer.append(.sample("b", keys: [sent, natural])) == .duplicate(first))
            #expect(try await log.reader.appended(under: sent.key, of: "acme") == nil)
            let stored = try #require(try await log.reader.appended(under: natural.key, of: "acme"))
            #expect(stored.range == first)
            #expect(stored.request == natural.request)
            #expect(try await log.reader.appended(under: natural.key, of: "other") == nil)
            // One key repeats, the other stands for another request: refused.
            let wrong = IdempotencyKey.sample("natural", request: "another")
            let fresh = IdempotencyKey.sample("fresh")
            #expect(try await log.sequencer.append(.sample("d", keys: [fresh, wrong])) == .mismatch)
            #expect(try await log.reader.appended(under: fresh.key, of: "acme") == nil)
        }
    }

    @Test func aReferenceBelongsToOneStreamForEver() async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a", references: ["x", "x", "y"]))
            #expect(try await log.sequencer.append(.sample("b", references: ["z", "y"])) == .claimed)
            let again = try await log.sequencer.append(.sample("a", references: ["y", "w"]))
            #expect(again == .appended(AppendedRange(firstPosition: 2, count: 1)))
            let found = try await log.reader.streams(named: ["w", "x", "y", "z"], of: "acme")
            #expect(
                found == [
                    TenantName(tenant: "acme", name: "w"): "a", TenantName(tenant: "acme", name: "x"): "a",
                    TenantName(tenant: "acme", name: "y"): "a",
                ]
            )
            #expect(try await log.reader.streams(named: ["x"], of: "other").isEmpty)
            #expect(try await log.reader.streams(named: [], of: "acme").isEmpty)
        }
    }

    /// PostgreSQL compares bytes, and so does all code before it: `é` as one scalar or two gives two names.
    @Test func namesThatLookTheSameAreDistinct() async throws {
        try await TestLog.with { log in
            let names = ["caf\u{E9}", "cafe\u{301}"]
            let outcomes = await log.sequencer.append([
                .sample("a", references: [names[0]]), .sample("b", references: [names[1]]),
                .sample("c", references: [names[1], names[0]]),
            ])
            #expect(outcomes[1] == .success(.appended(AppendedRange(firstPosition: 2, count: 1))))
            #expect(outcomes[2] == .success(.claimed))
            let found = try await log.reader.streams(named: names, of: "acme")
            #expect(found.count == 2)
            #expect(found[TenantName(tenant: "acme", name: names[0])] == "a")
            #expect(found[TenantName(tenant: "acme", name: names[1])] == "b")
            // One item with both names keeps both.
            let both = [names[0] + "2", names[1] + "2"]
            _ = try await log.sequencer.append(.sample("d", references: both))
            let kept = try await log.reader.streams(named: both, of: "acme")
            #expect(kept.count == 2)
        }
    }

    @Test func refusedItemsDoNotAbortTheirBatch() async throws {
        // The first append waits with the head locked, so that the rest forms one batch.
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("old", keys: [.sample("k")], references: ["x"]))
            var unstorable = AppendItem.sample("nul")
            unstorable.events[0].actor = "a\u{0}b"
            // Too long for the index, even if compressed.
            let unindexable = AppendItem.sample(
                (0..<800).map { _ in String(UInt64.random(in: .min ... .max)) }.joined()
            )
            let items: [AppendItem] = [
                .sample("new-1"), .sample("old", expected: .version(0)), .sample("new-2", keys: [.sample("k")]),
                unstorable, .sample("new-3", keys: [.sample("k2", request: "r")]),
                .sample("new-4", references: ["x"]), unindexable, .sample("new-5"),
            ]
            let outcomes = try await Self.inOneBatch(items, of: log)
            let names = outcomes.map { outcome in
                switch outcome {
                case .success(.appended): "appended"
                case .success(.duplicate): "duplicate"
                case .success(.mismatch): "mismatch"
                case .success(.claimed): "claimed"
                case .success(.conflict): "conflict"
                case .failure(let error): error.code.rawValue
                }
            }
            let expected = [
                "appended", "conflict", "duplicate", "refused", "appended", "claimed", "refused", "appended",
            ]
            #expect(names == expected)
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
            #expect(try await log.reader.head() == 5)
        }
    }

    @Test func anItemWithoutEventsIsRefused() async throws {
        try await TestLog.with { log in
            #expect(await log.outcome(of: .sample("a", count: 0)) == .failure(AppendError(.refused)))
            let head = try await log.reader.head()
            #expect(head == 0)
        }
    }

    /// Sends the items while another session has the head locked, so that they wait and are then appended together.
    private static func inOneBatch(
        _ items: [AppendItem],
        of log: TestLog
    ) async throws -> [Result<AppendResult, AppendError>] {
        let gate = try await log.pool.withTransaction { transaction in
            _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE")
            let first = Task { await log.outcome(of: .sample("gate")) }
            try await log.waitForBlockedAppend()
            var tasks: [Task<Result<AppendResult, AppendError>, Never>] = []
            for item in items {
                tasks.append(Task { await log.outcome(of: item) })
                // One after the other, so that they are in the batch in this order.
                while await log.sequencer.depth < tasks.count { await Task.yield() }
            }
            return (first: first, tasks: tasks)
        }
        _ = try await gate.first.value.get()
        var outcomes: [Result<AppendResult, AppendError>] = []
        for task in gate.tasks { outcomes.append(await task.value) }
        return outcomes
    }
}
