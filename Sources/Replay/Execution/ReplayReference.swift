import Canonical
import Crypto

/// The references of an item's calls to gateways: the same for the same plan, item, purpose and count, on every
/// server.
enum ReplayReference {
    enum Purpose: String {
        case attempt, find, work
    }

    /// A UUID of version 8 (RFC 9562).
    static func text(_ plan: UUID128, _ item: Int64, _ purpose: Purpose, _ count: Int = 0) -> String {
        let digest = SHA256.hash(data: Array("replay:\(plan.text):\(item):\(purpose.rawValue):\(count)".utf8))
        let words = digest.prefix(16).enumerated().reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            if byte.offset < 8 {
                words.high = words.high << 8 | UInt64(byte.element)
            } else {
                words.low = words.low << 8 | UInt64(byte.element)
            }
        }
        return UUID128(
            high: words.high & ~0xF000 | 0x8000,
            low: words.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        ).text
    }
}
