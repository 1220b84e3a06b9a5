#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The system's random numbers, fetched 256 bytes at a time: `SystemRandomNumberGenerator` calls the kernel for every
/// number, which costs more than the rest of making an identifier.
package struct SystemEntropy: RandomNumberGenerator, Sendable {
    private var words: [UInt64] = []
    private var used = 0

    package init() {}

    package mutating func next() -> UInt64 {
        if used == words.count { refill() }
        defer { used += 1 }
        return words[used]
    }

    private mutating func refill() {
        words = [UInt64](unsafeUninitializedCapacity: 32) { buffer, count in
            let isFilled = getentropy(buffer.baseAddress, 256) == 0
            if !isFilled {
                // Does not happen on any supported system; slow is better than predictable.
                var system = SystemRandomNumberGenerator()
                for index in 0..<32 { buffer.initializeElement(at: index, to: system.next()) }
            }
            count = 32
        }
        used = 0
    }
}
