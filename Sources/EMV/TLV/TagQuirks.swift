/// Tags that some vendor made up against the rules: their second byte says that another one follows, and none does.
///
/// EMV book 3, annex B gives private tags the range up to `9F7F`; vendors who went on with `9F80` did not see that bit 8
/// of the second byte means continuation (binaryfoo/emv-bertlv knows terminals that do).
package struct TagQuirks: Sendable, Hashable {
    /// The tags of two bytes that end there.
    package var twoByteTags: Set<UInt16>

    package init(twoByteTags: Set<UInt16> = []) {
        self.twoByteTags = twoByteTags
    }

    /// Tags by the rules only.
    package static let none = TagQuirks()

    /// `9F80` to `9F8F`, as one vendor numbers its own.
    package static let numberedBeyond9F7F = TagQuirks(twoByteTags: Set(0x9F80...0x9F8F))
}
