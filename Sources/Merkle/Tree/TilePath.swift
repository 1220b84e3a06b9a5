/// The path at which a tile is served, as in C2SP `tlog-tiles`: `<level>/<index>` with `.p/<width>` for a partial tile.
package struct TilePath: Sendable, Hashable {
    package var id: TileID
    /// 1...256; below 256 the tile is partial.
    package var width: Int

    /// - Parameter width: 1...256.
    package init(id: TileID, width: Int = TileID.width) {
        self.id = id
        self.width = width
    }

    package var isPartial: Bool { width < TileID.width }

    /// Reads `0/x001/x234/067` or `0/x001/x234/067.p/12`; nil for any other spelling of the same, and for tiles that no
    /// tree has.
    package init?(_ text: String) {
        var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard parts.count >= 2, let level = Self.number(parts.removeFirst(), below: TileID.levels) else { return nil }
        var width = TileID.width
        if parts.count >= 2, parts[parts.count - 2].hasSuffix(".p") {
            guard let partial = Self.number(parts.removeLast(), below: TileID.width), partial > 0 else { return nil }
            width = partial
            parts[parts.count - 1].removeLast(2)
        }
        guard let index = Self.index(parts) else { return nil }
        self.init(id: TileID(level: level, index: index), width: width)
    }

    /// The path below `tile/`.
    package var text: String {
        var groups: [String] = []
        var rest = id.index
        repeat {
            let digits = String(rest % 1000)
            let padded = String(repeating: "0", count: 3 - digits.count) + digits
            groups.append(groups.isEmpty ? padded : "x" + padded)
            rest /= 1000
        } while rest > 0
        return "\(id.level)/" + groups.reversed().joined(separator: "/") + (isPartial ? ".p/\(width)" : "")
    }

    private static func number(_ text: String, below limit: Int) -> Int? {
        guard let number = Int(text), number >= 0, number < limit, String(number) == text else { return nil }
        return number
    }

    private static func index(_ groups: [String]) -> Int64? {
        var index: Int64 = 0
        for (place, group) in groups.enumerated() {
            let isLast = place == groups.count - 1
            let digits = isLast ? group.utf8[...] : group.utf8.dropFirst()
            guard isLast || group.utf8.first == UInt8(ascii: "x"), digits.count == 3,
                digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
            else { return nil }
            // Six groups cover every tile of a tree of 2^63 leaves.
            guard place < 6 else { return nil }
            index = digits.reduce(index) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        // A first group of zeroes would be another spelling of a shorter path.
        guard groups.count == 1 || groups[0] != "x000" else { return nil }
        return index
    }
}
