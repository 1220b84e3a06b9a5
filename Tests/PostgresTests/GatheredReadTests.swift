import Postgres
import Synchronization
import Testing

struct GatheredReadTests {
    private struct Refused: Error {}

    /// A source whose reads can be held back.
    private final class Source: Sendable {
        let values = Mutex(["a": 1, "b": 2])
        let reads = Mutex<[Set<String>]>([])
        let refuses = Mutex(false)
        private let held = Mutex<[CheckedContinuation<Void, Never>]?>(nil)

        func hold() { held.withLock { $0 = [] } }

        func release() {
            let waiting = held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            for continuation in waiting { continuation.resume() }
        }

        func read(_ keys: [String]) async throws -> [String: Int] {
            reads.withLock { $0.append(Set(keys)) }
            if refuses.withLock({ $0 }) { throw Refused() }
            let found = values.withLock { values in values.filter { keys.contains($0.key) } }
            await withCheckedContinuation { continuation in
                let isHeld = held.withLock { held in
                    held?.append(continuation)
                    return held != nil
                }
                if !isHeld { continuation.resume() }
            }
            return found
        }

        /// Waits until so many reads have begun.
        func begun(_ count: Int) async {
            while reads.withLock(\.count) < count { await Task.yield() }
        }
    }

    private static func gathered(_ source: Source) -> GatheredRead<String, Int> {
        GatheredRead { try await source.read($0) }
    }

    @Test func aKeyIsReadAtOnceAndAgainEachTime() async throws {
        let source = Source()
        let gathered = Self.gathered(source)
        #expect(try await gathered.value(of: "a") == 1)
        source.values.withLock { $0["a"] = 3 }
        #expect(try await gathered.value(of: "a") == 3)
        #expect(try await gathered.value(of: "x") == nil)
        #expect(source.reads.withLock { $0 } == [["a"], ["a"], ["x"]])
        #expect(gathered.waiting == 0)
    }

    @Test func keysAskedForDuringAReadAreReadTogetherAndAfterwards() async throws {
        let source = Source()
        let gathered = Self.gathered(source)
        source.hold()
        async let first = gathered.value(of: "a")
        await source.begun(1)
        // The read under way has found the old value, which is too old for those who ask now.
        source.values.withLock { $0["a"] = 3 }
        async let again = gathered.value(of: "a")
        async let second = gathered.value(of: "b")
        async let third = gathered.value(of: "b")
        async let missing = gathered.value(of: "x")
        while gathered.waiting < 3 { await Task.yield() }
        source.release()
        #expect(try await first == 1)
        #expect(try await again == 3)
        #expect(try await second == 2)
        #expect(try await third == 2)
        #expect(try await missing == nil)
        #expect(source.reads.withLock { $0.prefix(2) } == [["a"], ["a", "b", "x"]])
    }

    @Test func anErrorReachesThoseWhoAskedAndNobodyAfterThem() async throws {
        let source = Source()
        let gathered = Self.gathered(source)
        source.refuses.withLock { $0 = true }
        await #expect(throws: Refused.self) { try await gathered.value(of: "a") }
        source.refuses.withLock { $0 = false }
        #expect(try await gathered.value(of: "a") == 1)
    }

    @Test func aReadIsCancelledWhenAllWhoAskedAre() async throws {
        let begun = Mutex(0)
        let gathered = GatheredRead<Int, Int> { keys in
            begun.withLock { $0 += 1 }
            if keys.contains(0) { while !Task.isCancelled { await Task.yield() } }
            try Task.checkCancellation()
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 * 2) })
        }
        let first = Task { try await gathered.value(of: 0) }
        while begun.withLock({ $0 }) == 0 { await Task.yield() }
        let gone = Task { try await gathered.value(of: 1) }
        while gathered.waiting < 1 { await Task.yield() }
        gone.cancel()
        while gathered.waiting > 0 { await Task.yield() }
        // It does not join the read that is cancelled.
        async let second = gathered.value(of: 2)
        while gathered.waiting < 1 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await #expect(throws: CancellationError.self) { try await gone.value }
        #expect(try await second == 4)
    }

    @Test func manyTasksGetTheirOwnValues() async throws {
        let gathered = GatheredRead<Int, Int> { keys in
            await Task.yield()
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 * 2) })
        }
        try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
            for key in 0..<2000 { group.addTask { (key % 700, try await gathered.value(of: key % 700)) } }
            for try await (key, value) in group { #expect(value == key * 2) }
        }
    }
}
