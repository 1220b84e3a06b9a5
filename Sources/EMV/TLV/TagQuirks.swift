/// Vendor tags that violate the rules: their second byte announces another byte that does not follow.
///
/// EMV book 3, annex B gives private tags the range up to `9F7F`. Vendors that continued with `9F80` overlooked that
/// bit 8 of the second byte means continuation (binaryfoo/emv-bertlv knows terminals that do).
package struct TagQuirks: Sendable, Hashable {
    /// The two-byte tags that have no third byte.
    package var twoByteTags: Set<UInt16>

    package init(twoByteTags: Set<UInt16> = []) {
        self.twoByteTags = twoByteTags
    }

    /// Only tags that follow the rules.
    package static let none = TagQuirks()

    /// `9F80` to `9F8F`, as one vendor numbers its private tags.
    package static let numberedBeyond9F7F = TagQuirks(twoByteTags: Set(0x9F80...0x9F8F))
}
