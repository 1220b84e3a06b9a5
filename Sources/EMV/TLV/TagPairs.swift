/// Tags in the text form of receipts: `4F:A0000000031010;95:8080008000;91:;8A:`. Values may be empty; the pairs are not
/// BER-TLV.
package enum TagPairs {
    package struct Pair: Sendable, Hashable {
        package var tag: EMVTag
        package var value: [UInt8]
    }

    /// The longest text that is parsed, in bytes.
    package static let longestText = 4_096

    /// The pairs in their order; nil when the text has any other form. A semicolon may end the text.
    package static func read(_ text: some StringProtocol) -> [Pair]? {
        guard !text.isEmpty, text.utf8.count <= longestText else { return nil }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        var pairs: [Pair] = []
        for part in parts {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let tag = EMVTag(hex: halves[0]), let value = Hexadecimal.bytes(halves[1]) else {
                return nil
            }
            pairs.append(Pair(tag: tag, value: value))
        }
        return pairs.isEmpty ? nil : pairs
    }
}
