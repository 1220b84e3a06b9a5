/// Finds keys in a list of members: by comparison in a short list, by marks in one as long as a payment has fields, and
/// by hashing in a longer one, so that small objects need no table and large ones no quadratic time.
struct KeyIndex: Sendable {
    /// The longest list that is searched by comparison.
    private static let comparedCount = 8
    /// The longest list that is searched by marks.
    private static let markedCount = 128

    private struct Key: Sendable, Hashable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.hasSameUTF8(as: right.text) }
        func hash(into hasher: inout Hasher) { text.hashUTF8(into: &hasher) }
    }

    /// A number for each key, equal for equal keys and rarely for others; empty in a list that is compared.
    private var marks: [UInt32] = []
    private var positions: [Key: Int]?

    private static func mark(_ key: String) -> UInt32 {
        func mixed(_ bytes: some Sequence<UInt8>) -> UInt32 {
            // FNV-1a. Keys made to collide only cost comparisons in a list of limited length.
            bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
        }
        return key.utf8.withContiguousStorageIfAvailable(mixed) ?? mixed(key.utf8)
    }

    /// The position of `key` in the list last given to `extend`.
    ///
    /// - Parameter keyAt: The key at a position. A closure instead of a collection: this is the innermost loop of all
    ///   reading, and an unspecialised one costs many times as much.
    func position(of key: String, count: Int, keyAt: (Int) -> String) -> Int? {
        if let positions { return positions[Key(text: key)] }
        var position = 0
        if !marks.isEmpty {
            let mark = Self.mark(key)
            while position < marks.count {
                if marks[position] == mark, keyAt(position).hasSameUTF8(as: key) { return position }
                position += 1
            }
            return nil
        }
        while position < count {
            if keyAt(position).hasSameUTF8(as: key) { return position }
            position += 1
        }
        return nil
    }

    /// Indexes what was added at the end of the list.
    mutating func extend(count: Int, keyAt: (Int) -> String) {
        guard count > Self.comparedCount else { return }
        if count <= Self.markedCount {
            if marks.isEmpty { marks.reserveCapacity(4 * Self.comparedCount) }
            for position in marks.count..<count { marks.append(Self.mark(keyAt(position))) }
            return
        }
        var position = positions?.count ?? 0
        if positions == nil { positions = [:] }
        while position < count {
            positions?[Key(text: keyAt(position))] = position
            position += 1
        }
    }
}

extension String {
    /// True when both have the same UTF-8 bytes. `==` also treats canonically equivalent texts as equal.
    package func hasSameUTF8(as other: String) -> Bool {
        // Different texts are detected quickly by length and by `==`; only equivalent ones are compared by bytes.
        guard utf8.count == other.utf8.count, self == other else { return false }
        let same = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                var index = 0
                while index < left.count, left[index] == right[index] { index += 1 }
                return index == left.count
            }
        }
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether this text's UTF-8 bytes sort before those of the other.
    func precedesByUTF8(_ other: String) -> Bool {
        let precedes = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                let common = min(left.count, right.count)
                var index = 0
                while index < common, left[index] == right[index] { index += 1 }
                return index < common ? left[index] < right[index] : left.count < right.count
            }
        }
        return (precedes ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Hashes the UTF-8 bytes, so that texts that differ by `hasSameUTF8` have different hashes.
    func hashUTF8(into hasher: inout Hasher) {
        let isHashed: Void? = utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil {
            Array(utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        hasher.combine(0xFF as UInt8)
    }
}

extension String? {
    /// True when both are nil, or both are texts with the same UTF-8 bytes.
    package func hasSameUTF8(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameUTF8(as: other)
    }
}
