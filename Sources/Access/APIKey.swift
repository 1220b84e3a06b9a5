import Crypto

/// An API key: `dbk_live_` or `dbk_test_`, 30 random base62 characters, and 6 more with their CRC-32. The CRC
/// distinguishes a mistyped key from an unknown one, and lets secret scanners recognise a leaked one.
package struct APIKey: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case live, test
    }

    static let randomLength = 30
    static let checkLength = 6
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The key. Shown once, never stored, never logged.
    package let secret: String

    /// Makes a new key. 30 base62 characters have 178 bits.
    package init(mode: Mode, random: inout some RandomNumberGenerator) {
        let body = (0..<Self.randomLength).map { _ in Self.alphabet[Int.random(in: 0..<62, using: &random)] }
        let head = "dbk_\(mode.rawValue)_" + String(decoding: body, as: UTF8.self)
        secret = head + Self.check(of: head)
    }

    /// Reads a key as a client presents it; nil when the text cannot be a key.
    package init?(_ text: String) {
        guard let mode = Mode.allCases.first(where: { text.hasPrefix("dbk_\($0.rawValue)_") }) else { return nil }
        let prefix = "dbk_\(mode.rawValue)_".utf8.count
        let bytes = Array(text.utf8)
        guard bytes.count == prefix + Self.randomLength + Self.checkLength,
            bytes[prefix...].allSatisfy(Self.alphabet.contains)
        else { return nil }
        let head = String(decoding: bytes[..<(prefix + Self.randomLength)], as: UTF8.self)
        guard text == head + Self.check(of: head) else { return nil }
        secret = text
    }

    /// SHA-256 of the key: the only part that is stored.
    package var hash: [UInt8] { Self.hash(secret) }

    static func hash(_ text: String) -> [UInt8] {
        var text = text
        var hash = SHA256()
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize().withUnsafeBytes { Array($0) }
    }

    /// The bytes of the longest key.
    static let greatestLength = "dbk_live_".utf8.count + randomLength + checkLength

    private static func check(of text: String) -> String {
        var rest = UInt64(crc32(text.utf8))
        var digits: [UInt8] = []
        for _ in 0..<checkLength {
            digits.append(alphabet[Int(rest % 62)])
            rest /= 62
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// CRC-32 as in ISO 3309 (polynomial EDB88320, reflected).
    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { remainder, byte in
            var remainder = remainder ^ UInt32(byte)
            for _ in 0..<8 { remainder = (remainder >> 1) ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
            return remainder
        }
    }
}

/// Compares in constant time, so that the duration does not reveal where the difference is.
func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
