/// Damages inputs at random, without guidance by coverage: the same for the same seed.
package struct Mutator<Random: RandomNumberGenerator> {
    private var random: Random

    package init(_ random: Random) {
        self.random = random
    }

    /// Replacement values that are difficult for readers.
    private static var tokens: [String] {
        [
            "null", "true", "[]", "{}", "\"\"", "0", "-1", "9223372036854775808", "1e999", "0.0001", "\"(null)\"",
            "\"$8.F00\"", "\"\\u0000\"", "\"-\"", "\".\"", "\"00\"", "\"99999999999999999999\"", "[[[[[[]]]]]]",
            "{\"\":{}}",
        ]
    }

    package mutating func mutated(_ input: [UInt8], beside others: [[UInt8]]) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, others) }
        return Array(bytes.prefix(32_768))
    }

    private mutating func range(_ bytes: [UInt8], atMost: Int) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &random)
        return start..<min(bytes.count, start + Int.random(in: 0...atMost, using: &random))
    }

    private mutating func mutate(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where !bytes.isEmpty:
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where !bytes.isEmpty:
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(range(bytes, atMost: 32))
        case 3:
            let piece = bytes[range(bytes, atMost: 64)]
            bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &random))
        case 4:
            guard let other = others.randomElement(using: &random) else { return }
            let piece = other[range(other, atMost: 128)]
            bytes.replaceSubrange(range(bytes, atMost: 64), with: piece)
        case 5: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random) / 2)
        default: replaceValue(&bytes)
        }
    }

    /// Replaces a JSON string or number after a colon with a token.
    private mutating func replaceValue(_ bytes: inout [UInt8]) {
        let colons = bytes.indices.filter { bytes[$0] == 0x3A }
        guard let colon = colons.randomElement(using: &random), let token = Self.tokens.randomElement(using: &random)
        else { return }
        var end = colon + 1
        let isString = end < bytes.count && bytes[end] == 0x22
        if isString { end += 1 }
        while end < bytes.count, isString ? bytes[end] != 0x22 : ![0x2C, 0x7D, 0x5D].contains(bytes[end]) { end += 1 }
        if isString, end < bytes.count { end += 1 }
        bytes.replaceSubrange((colon + 1)..<end, with: token.utf8)
    }
}
