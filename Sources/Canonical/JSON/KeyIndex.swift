/// Finds keys in a list of members: by comparing where there are few, by hashing where there are many, so that
/// neither small objects pay for a table nor large ones take quadratic time.
struct KeyIndex: Sendable {
    /// The longest list that is searched by comparing.
    private static let comparedCount = 16

    private struct Key: Sendable, Hashable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.hasSameUTF8(as: right.text) }
        func hash(into hasher: inout Hasher) { text.hashUTF8(into: &hasher) }
    }

    private var positions: [Key: Int]?

    /// Where `key` is in `keys`, which has to be the list that was last given to `extend`.
    func position(of key: String, in keys: some RandomAccessCollection<String>) -> Int? {
        if let positions { return positions[Key(text: key)] }
        var position = 0
        for other in keys {
            if other.hasSameUTF8(as: key) { return position }
            position += 1
        }
        return nil
    }

    /// Takes note of what was added at the end of `keys`.
    mutating func extend(over keys: some RandomAccessCollection<String>) {
        guard keys.count > Self.comparedCount else { return }
        let known = positions?.count ?? 0
        if positions == nil { positions = [:] }
        for (position, key) in zip(known..., keys.dropFirst(known)) {
            positions?[Key(text: key)] = position
        }
    }
}

extension String {
    /// True when both have the same UTF-8 bytes. `==` takes canonically equivalent texts for equal.
    func hasSameUTF8(as other: String) -> Bool {
        let same = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count && left.elementsEqual(right)
            }
        }
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Feeds the UTF-8 bytes, so that texts that differ in `hasSameUTF8` are told apart.
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
