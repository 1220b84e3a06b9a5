/// Random numbers that are the same for the same seed on every machine.
///
/// The generator is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). `fork` creates a separate source for one payment or
/// terminal, so that draws for one never change the draws for another.
package struct SeededRandom: Sendable, Hashable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A source that depends on this one's state and the label, and does not change this one.
    package func fork(_ label: String, _ number: Int = 0) -> SeededRandom {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in label.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return SeededRandom(seed: Self.mixed(state ^ hash ^ Self.mixed(UInt64(bitPattern: Int64(number)) &+ 1)))
    }

    /// A number in `0..<bound`. The bias of the remainder is below 2^-40 for every bound used here.
    ///
    /// - Precondition: `bound` is at least 1.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// A number in the range, both ends included.
    package mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True with this probability, in parts per million.
    package mutating func chance(partsPerMillion: Int) -> Bool { below(1_000_000) < partsPerMillion }

    /// True with this probability, in percent.
    package mutating func chance(percent: Int) -> Bool { below(100) < percent }

    /// One of the elements.
    ///
    /// - Precondition: There is at least one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// One of the elements, with a probability proportional to its weight.
    ///
    /// - Precondition: The weights are not negative, and one of them is above 0.
    package mutating func pick<Element>(_ elements: [(Element, weight: Int)]) -> Element {
        var rest = below(elements.reduce(0) { $0 + $1.weight })
        for (element, weight) in elements {
            if rest < weight { return element }
            rest -= weight
        }
        return elements[elements.count - 1].0
    }

    package mutating func shuffle<Element>(_ elements: inout [Element]) {
        guard elements.count > 1 else { return }
        for index in stride(from: elements.count - 1, to: 0, by: -1) { elements.swapAt(index, below(index + 1)) }
    }

    /// This number of decimal digits, the first not 0.
    package mutating func digits(_ count: Int) -> String {
        String((0..<count).map { Character("\($0 == 0 ? within(1...9) : below(10))") })
    }

    /// This number of hexadecimal digits.
    package mutating func hexadecimal(_ count: Int) -> String {
        let alphabet = Array("0123456789ABCDEF")
        return String((0..<count).map { _ in alphabet[below(16)] })
    }

    /// A random UUID (RFC 9562, version 4) in lower case.
    mutating func uuid() -> String {
        var digits = Array(hexadecimal(32).lowercased())
        digits[12] = "4"
        digits[16] = Array("89ab")[(digits[16].hexDigitValue ?? 0) % 4]
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
