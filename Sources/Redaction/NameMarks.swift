/// Some bits for each of a set of names: a name whose bits are not all set is not in it.
struct NameMarks: Sendable, Hashable {
    private var bits: [UInt64] = [0, 0, 0, 0]

    mutating func insert(_ names: some Sequence<String>) {
        for name in names {
            let mark = Self.mark(name)
            bits[mark >> 6] |= 1 << UInt64(mark & 63)
        }
    }

    /// False is certain.
    func mayContain(_ name: String) -> Bool {
        let mark = Self.mark(name)
        return bits[mark >> 6] & 1 << UInt64(mark & 63) != 0
    }

    /// 0 to 255, by the length, the first and the last byte.
    private static func mark(_ name: String) -> Int {
        let bytes = name.utf8
        guard let first = bytes.first, let last = bytes.last else { return 0 }
        return (bytes.count &* 29 &+ Int(first) &* 7 &+ Int(last) &* 3) & 0xFF
    }
}
