/// An `Accept` field (RFC 9110 section 12.5.1). Media type parameters other than the weight are ignored.
package struct AcceptField: Sendable, Hashable {
    private struct Range: Sendable, Hashable {
        let type: String
        let subtype: String
        /// In thousandths, 0...1000.
        let weight: Int

        /// How exactly it names a media type; nil if it does not cover it.
        func precision(for type: Substring, _ subtype: Substring) -> Int? {
            if self.type == "*" { return 0 }
            guard self.type == type else { return nil }
            if self.subtype == "*" { return 1 }
            return self.subtype == subtype ? 2 : nil
        }
    }

    private let ranges: [Range]

    /// The weight of a member that has none.
    static let fullWeight = 1000

    /// Reads the field; malformed members are ignored.
    package init(_ field: String) {
        ranges = field.split(separator: ",").prefix(32).compactMap { member in
            var pieces = member.split(separator: ";").map { $0.trimmed.lowercased() }
            guard !pieces.isEmpty else { return nil }
            let names = pieces.removeFirst().split(separator: "/", omittingEmptySubsequences: false)
            guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
            guard names[0] != "*" || names[1] == "*" else { return nil }
            let weight = pieces.first { $0.hasPrefix("q=") }.map { Self.weight($0.dropFirst(2)) } ?? Self.fullWeight
            guard let weight else { return nil }
            return Range(type: String(names[0]), subtype: String(names[1]), weight: weight)
        }
    }

    /// The offered media type of the greatest weight, the first of equals; nil if none is acceptable. A type covered by
    /// several members has the weight of the most precise one.
    package func best(of offered: [String]) -> String? {
        var best: (type: String, weight: Int)?
        for candidate in offered {
            let names = candidate.prefix { $0 != ";" }.split(separator: "/")
            guard names.count == 2 else { continue }
            let match = ranges.compactMap { range in
                range.precision(for: names[0], names[1]).map { (precision: $0, weight: range.weight) }
            }.max { $0.precision < $1.precision }
            guard let match, match.weight > 0, match.weight > best?.weight ?? 0 else { continue }
            best = (candidate, match.weight)
        }
        return best?.type
    }

    /// `0` to `1` with up to three decimals, in thousandths. Integers, because this project uses no floating point for
    /// such values.
    static func weight(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let decimals = parts.count > 1 ? parts[1] : ""
        guard decimals.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.count)) ?? 0
        let weight = (whole == "1" ? 1000 : 0) + thousandths
        return weight <= 1000 ? weight : nil
    }
}
