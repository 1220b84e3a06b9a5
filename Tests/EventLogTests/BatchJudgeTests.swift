import DaybookTestKit
import Testing

@testable import EventLog

@Suite struct BatchJudgeTests {
    private func judge(_ items: [AppendItem], _ facts: LogFacts = LogFacts(areComplete: true)) -> [AppendResult]? {
        var judge = BatchJudge(facts: facts, position: 10)
        for item in items where !judge.judge(item) { return nil }
        return judge.results.compactMap { try? $0.get() }
    }

    private func at(_ position: Int64, _ count: Int = 1) -> AppendedRange {
        AppendedRange(firstPosition: position, count: count)
    }

    @Test func itemsOfABatchSeeThoseBeforeThem() {
        let key = IdempotencyKey.sample("k", request: "r")
        let results = judge([
            .sample("a", expected: .version(0), keys: [key], references: ["x"], count: 2),
            .sample("a", expected: .version(2)),
            .sample("a", expected: .version(2)),
            .sample("b", keys: [key]),
            .sample("b", keys: [.sample("k", request: "other")]),
            .sample("b", references: ["y", "x"]),
            .sample("a", references: ["x", "y", "y"]),
            .sample("a", tenant: "other", expected: .version(0), keys: [key], references: ["x"]),
        ])
        #expect(
            results == [
                .appended(at(11, 2)), .appended(at(13)), .conflict(actual: 3), .duplicate(at(11, 2)), .mismatch,
                .claimed, .appended(at(14)), .appended(at(15)),
            ]
        )
    }

    /// Items decided from the memory of another log are decided again; repeats, and items decided from the log itself,
    /// are not.
    @Test func stateOfAnotherLogIsNotUsed() {
        var facts = LogFacts(areComplete: true)
        facts.isAnotherLog = true
        let key = IdempotencyKey.sample("k", request: "r")
        facts.held[Claims.scoped(key.key, to: "acme")] = HeldKey(request: key.request, range: at(3))
        var remembered = AppendItem.sample("a", expected: .version(0))
        remembered.isFromMemory = true
        var repeated = AppendItem.sample("a", expected: .version(0), keys: [key])
        repeated.isFromMemory = true
        let results = judge([remembered, repeated, .sample("a", expected: .version(0))], facts)
        #expect(results == [.claimed, .duplicate(at(3)), .appended(at(11))])
        facts.isAnotherLog = false
        #expect(judge([remembered], facts) == [.appended(at(11))])
    }

    @Test func onlyNewKeysAreClaimed() throws {
        var facts = LogFacts(areComplete: true)
        facts.owners[TenantName(tenant: "acme", name: "x")] = "a"
        facts.versions[TenantName(tenant: "acme", name: "a")] = 7
        var judge = BatchJudge(facts: facts, position: 0)
        let item = AppendItem.sample("a", keys: [.sample("k"), .sample("k")], references: ["x", "y"])
        let isJudged = judge.judge(item)
        #expect(isJudged)
        let placed = try #require(judge.placed.first)
        #expect(placed.version == 7)
        #expect(placed.claims.references == ["y"])
        #expect(placed.claims.idempotency.map(\.key) == [Claims.scoped(Array("k".utf8), to: "acme")])
    }

    /// A guess never refuses an item for a reason that only the database can know.
    @Test func anInsufficientGuessIsNotUsed() {
        #expect(judge([.sample("a")], LogFacts()) == nil)
        #expect(judge([.sample("a", expected: .version(-1))], LogFacts()) == nil)
        #expect(judge([.sample("a", expected: .version(4))], LogFacts()) == [.appended(at(11))])
        var facts = LogFacts()
        facts.remembered[TenantName(tenant: "acme", name: "a")] = 4
        #expect(judge([.sample("a")], facts) == [.appended(at(11))])
        // A remembered version may be stale: an item that names a version takes precedence.
        #expect(judge([.sample("a", expected: .version(9))], facts) == [.appended(at(11))])
        #expect(
            judge([.sample("a"), .sample("a", expected: .version(4))], facts)
                == [.appended(at(11)), .conflict(actual: 5)]
        )
    }

    @Test func aFullStreamRefusesNewItemsOnly() {
        var facts = LogFacts(areComplete: true)
        facts.versions[TenantName(tenant: "acme", name: "a")] = 7
        let key = IdempotencyKey.sample("k", request: "r")
        facts.held[Claims.scoped(key.key, to: "acme")] = HeldKey(request: key.request, range: at(3))
        func limited(_ item: AppendItem, _ limit: Int64 = 10) -> AppendItem {
            var item = item
            item.versionLimit = limit
            return item
        }
        var batch = BatchJudge(facts: facts, position: 10)
        let items: [AppendItem] = [
            limited(.sample("a", count: 4)), limited(.sample("a", expected: .version(7), count: 4)),
            limited(.sample("a", count: 2)), limited(.sample("a", count: 2)),
            limited(.sample("a", keys: [key], count: 9)),
            limited(.sample("a", expected: .version(4), count: 9)), limited(.sample("a")), limited(.sample("a")),
            .sample("a", count: 5), limited(.sample("b", count: 11)), limited(.sample("b", count: 10)),
            limited(.sample("c"), 0), limited(.sample("c"), .min), limited(.sample("c"), .max),
        ]
        for item in items {
            let isJudged = batch.judge(item)
            #expect(isJudged)
        }
        let full = Result<AppendResult, AppendError>.failure(AppendError(.streamFull))
        #expect(
            batch.results == [
                full, full, .success(.appended(at(11, 2))), full, .success(.duplicate(at(3))),
                .success(.conflict(actual: 9)), .success(.appended(at(13))), full, .success(.appended(at(14, 5))),
                full, .success(.appended(at(19, 10))), full, full, .success(.appended(at(29))),
            ]
        )
        // A guess does not contain every key: the item may be a duplicate.
        #expect(judge([limited(.sample("a", expected: .version(10)))], LogFacts()) == nil)
    }

    /// However a queue is divided into batches, every item gets the answer it would get alone.
    @Test(arguments: 0..<40)
    func batchesGiveTheAnswersOfSingleItems(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let items = (0..<60).map { _ in
            AppendItem.sample(
                "s\(Int.random(in: 0..<6, using: &random))",
                expected: Bool.random(using: &random) ? .any : .version(Int64.random(in: 0..<5, using: &random)),
                keys: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    let key = Int.random(in: 0..<12, using: &random)
                    return .sample(
                        "k\(key)",
                        request: "r\(key / 2 % 3 == 0 ? Int.random(in: 0..<2, using: &random) : 0)"
                    )
                },
                references: (0..<Int.random(in: 0..<2, using: &random)).map { _ in
                    "n\(Int.random(in: 0..<9, using: &random))"
                },
                count: Int.random(in: 1..<4, using: &random)
            )
        }
        let whole = judge(items)
        var facts = LogFacts(areComplete: true)
        var position: Int64 = 10
        var single: [AppendResult] = []
        for item in items {
            var judge = BatchJudge(facts: facts, position: position)
            let isJudged = judge.judge(item)
            #expect(isJudged)
            single += judge.results.compactMap { try? $0.get() }
            for placed in judge.placed {
                let range = AppendedRange(firstPosition: placed.firstPosition, count: item.events.count)
                position = range.lastPosition
                for key in placed.claims.idempotency {
                    facts.held[key.key] = HeldKey(request: key.request, range: range)
                }
                for reference in placed.claims.references {
                    facts.owners[TenantName(tenant: "acme", name: reference)] = item.stream
                }
                facts.versions[TenantName(tenant: "acme", name: item.stream)] =
                    placed.version + Int64(item.events.count)
            }
        }
        #expect(whole == single)
    }
}
