import Canonical
import Crypto
import ReplayRules

/// The references of an item's calls to gateways, and of its events: the same on every server.
enum ReplayReference {
    enum Purpose: String {
        /// A query for the payment.
        case find
        /// A query for an earlier call of Daybook, whose record may be lost.
        case recall
        /// The correlation of the item's events.
        case work
    }

    /// A UUID of version 8 (RFC 9562).
    static func text(_ plan: UUID128, _ item: Int64, _ purpose: Purpose, _ count: Int = 0) -> String {
        uuid("replay:\(plan.text):\(item):\(purpose.rawValue):\(count)")
    }

    /// The reference of a call that moves money. It does not depend on the plan: on a log that has lost its end, every
    /// plan derives the reference of the lost call again, and finds the call by it.
    ///
    /// - Parameter number: The number of the attempt among those that may have reached the gateway, from 1.
    static func attempt(_ tenant: String, _ item: ReplayItem, _ number: Int) -> String {
        uuid("attempt:\(tenant):\(item.transaction.text):\(item.operation.rawValue):\(number)")
    }

    private static func uuid(_ name: String) -> String {
        let digest = SHA256.hash(data: Array(name.utf8))
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
