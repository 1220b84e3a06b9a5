import Canonical
import DaybookTestKit
import Synchronization
import Testing

@Suite("UUIDs")
struct UUIDTests {
    @Test("The canonical form, both ways")
    func text() throws {
        let id = UUID128(high: 0x0123_4567_89AB_7DEF, low: 0x8123_4567_89AB_CDEF)
        #expect(id.text == "01234567-89ab-7def-8123-456789abcdef")
        #expect(id.description == id.text)
        #expect(UUID128(id.text) == id)
        #expect(UUID128("01234567-89AB-7DEF-8123-456789ABCDEF") == id)
        #expect(
            id.bytes == [1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0x7D, 0xEF, 0x81, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
        )
        #expect(UUID128(bytes: id.bytes) == id)
        #expect(UUID128(bytes: id.bytes.dropLast()) == nil)
        #expect(UUID128(bytes: id.bytes + [0]) == nil)
    }

    @Test(
        "Other spellings are refused",
        arguments: [
            "", "01234567-89ab-7def-8123-456789abcde", "01234567-89ab-7def-8123-456789abcdef0",
            "0123456789ab7def8123456789abcdef", "{01234567-89ab-7def-8123-456789abcdef}",
            "01234567-89ab-7def-8123-456789abcdeg", "01234567+89ab-7def-8123-456789abcdef",
            "0123456-789ab-7def-8123-456789abcdef", " 1234567-89ab-7def-8123-456789abcdef",
            "０1234567-89ab-7def-8123-456789abcd", "01234567-89ab-7def-8123-456789abcde`",
            "01234567-89ab-7def-8123-456789abcde@", "01234567-89ab-7def-8123-456789abcde:",
            "01234567-89ab-7def-8123-456789abcde/",
        ]
    )
    func malformed(_ text: String) {
        #expect(UUID128(text: text) == nil)
    }

    @Test("The example of RFC 9562, appendix A.6")
    func publishedVersion7() throws {
        let id = try #require(UUID128("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"))
        #expect(id.version == 7)
        #expect(id.time == Timestamp(rfc3339: "2022-02-22T19:22:22.000Z"))
    }

    @Test("Version 7 contains the millisecond, the version and the variant", arguments: [1, 2, 3] as [UInt64])
    func version7(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let time = Timestamp(
                microsecondsSince1970: .random(in: 0...Timestamp.latest.microsecondsSince1970, using: &random)
            )
            let id = UUID128.v7(at: time, random: &random)
            #expect(id.version == 7)
            #expect(id.low >> 62 == 0b10)
            #expect(id.time?.millisecondsSince1970 == time.millisecondsSince1970)
            #expect(UUID128(id.text) == id)
            #expect(UUID128(bytes: id.bytes) == id)
        }
    }

    @Test("Ordered by the bytes", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            // Few distinct halves, so that equal ones occur.
            let ids = (0..<2).map { _ in
                UUID128(high: .random(in: 0...2, using: &random) << 62, low: .random(in: 0...2, using: &random) << 62)
            }
            #expect((ids[0] < ids[1]) == ids[0].bytes.lexicographicallyPrecedes(ids[1].bytes))
            #expect((ids[0] < ids[1]) == (ids[0].text < ids[1].text))
        }
    }

    @Test("Times before 1970 count as 1970")
    func beforeEpoch() {
        var random = SeededGenerator(seed: 1)
        #expect(UUID128.v7(at: .earliest, random: &random).time == Timestamp(microsecondsSince1970: 0))
    }
}

@Suite("UUIDv7 generator")
struct UUIDv7GeneratorTests {
    /// A clock whose times the test chooses, in milliseconds.
    private final class ListedClock: WallClock {
        /// The last time is repeated.
        private let times: Mutex<ArraySlice<Int64>>

        init(_ times: [Int64]) { self.times = Mutex(times[...]) }

        func now() -> Timestamp {
            let milliseconds = times.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 0 }
            return Timestamp(microsecondsSince1970: milliseconds * 1000)
        }
    }

    @Test("Increases within a millisecond and when the clock is set back")
    func grows() {
        let clock = ListedClock([1000, 1000, 1000, 999, 0, 1000, 1001, 500])
        let generator = UUIDv7Generator(clock: clock, random: SeededGenerator(seed: 1))
        let ids = (0..<8).map { _ in generator.next() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        let times = ids.map { $0.time?.millisecondsSince1970 }
        #expect(times == [1000, 1000, 1000, 1000, 1000, 1000, 1001, 1001])
    }

    @Test("When the bits of a millisecond are exhausted, the next one is used in advance")
    func overflow() {
        let generator = UUIDv7Generator(clock: ListedClock([1000]), random: LargestGenerator())
        let ids = (0..<3).map { _ in generator.next() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ids.map { $0.time?.millisecondsSince1970 } == [1000, 1001, 1002])
        #expect(ids.allSatisfy { $0.version == 7 && $0.low >> 62 == 0b10 })
    }

    @Test("The same seed and clock give the same identifiers")
    func repeatable() {
        let runs = (0..<2).map { _ in
            let generator = UUIDv7Generator(clock: ListedClock([5, 5, 6]), random: SeededGenerator(seed: 7))
            return (0..<10).map { _ in generator.next() }
        }
        #expect(runs[0] == runs[1])
    }

    @Test("Tasks that share a generator never get the same identifier, and each sees them increase")
    func shared() async {
        let generator = UUIDv7Generator(clock: ListedClock([1]), random: SeededGenerator(seed: 3))
        let ids = await withTaskGroup(of: [UUID128].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<500).map { _ in generator.next() } }
            }
            return await group.reduce(into: [[UUID128]]()) { $0.append($1) }
        }
        #expect(Set(ids.joined()).count == 4000)
        #expect(ids.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
    }
}

/// A generator whose bits are all set.
private struct LargestGenerator: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { .max }
}
