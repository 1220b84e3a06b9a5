#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// SplitMix64: the same seed gives the same numbers on every machine (Steele, Lea, Flood, OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The initial seed; include it in a failing expectation.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator whose seed differs from run to run and is printed, so that a failure can be repeated with
    /// `DAYBOOK_TEST_SEED=<seed>`, which then applies to every test of the run.
    package static func forTest(_ name: String = #function) -> SeededGenerator {
        if let text = getenv("DAYBOOK_TEST_SEED").map({ String(cString: $0) }), !text.isEmpty {
            guard let seed = UInt64(text) else {
                preconditionFailure("DAYBOOK_TEST_SEED must be a decimal number below 2^64")
            }
            return SeededGenerator(seed: seed)
        }
        let seed = UInt64.random(in: 0...UInt64.max)
        print("\(name): repeat with DAYBOOK_TEST_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
