import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names of an object's members, in order, each once.
struct NameList: Sendable {
    private(set) var keys: [String] = []
    private var index = KeyIndex()
    /// What objects with these names share; nil for an own list.
    private(set) var shared: SharedNames?

    init() {}

    /// - Precondition: The keys differ.
    init(distinct keys: [String], _ index: KeyIndex) {
        self.keys = keys
        self.index = index
    }

    /// The position of a name; nil if there is none.
    func position(of key: String) -> Int? {
        index.position(of: key, count: keys.count) { keys[$0] }
    }

    mutating func append(_ key: String) {
        shared = nil
        keys.append(key)
        index.extend(count: keys.count) { keys[$0] }
    }

    mutating func remove(at position: Int) {
        shared = nil
        keys.remove(at: position)
        index = KeyIndex()
        index.extend(count: keys.count) { keys[$0] }
    }

    func isSame(as other: NameList) -> Bool {
        if let shared, shared === other.shared { return true }
        guard keys.count == other.keys.count else { return false }
        return keys.indices.allSatisfy { keys[$0].hasSameUTF8(as: other.keys[$0]) }
    }

    // MARK: Shared lists

    /// The lists that objects share. Documents have a few hundred.
    private static let known = Mutex<[UInt64: [NameList]]>([:])
    private static let knownLimit = 1_024
    private static let longestList = 128

    /// The shared list of these names, in a list of one; nil if it is not known.
    ///
    /// - Parameter isEqual: Whether the names are those of a list with the same hash.
    static func shared(_ hash: UInt64, _ isEqual: (SharedNames) -> Bool) -> [NameList]? {
        guard let list = known.withLock({ $0[hash] }), let shared = list[0].shared, isEqual(shared) else { return nil }
        return list
    }

    /// Shares a list of short plain names, for the objects to come.
    ///
    /// - Returns: The list, in a list of one.
    static func sharing(_ list: NameList, _ hash: UInt64) -> [NameList] {
        guard list.keys.count <= longestList, list.keys.allSatisfy(SharedNames.isPlain) else { return [list] }
        var list = list
        list.shared = SharedNames(list.keys)
        let box = [list]
        known.withLock { known in
            // Invented names must not exhaust the memory.
            if known.count >= knownLimit { known.removeAll(keepingCapacity: true) }
            known[hash] = box
        }
        return box
    }

    /// This list without the names at some positions, shared if this one is; in a list of one.
    func without(_ positions: [Int]) -> [NameList] {
        var removed = positions[...]
        let left = keys.indices.filter { position in
            guard removed.first == position else { return true }
            removed.removeFirst()
            return false
        }
        let keys = left.map { self.keys[$0] }
        var hash = SharedNames.emptyHash
        for position in left { shared?.withName(at: position) { SharedNames.combine($0, into: &hash) } }
        if let shared, let known = Self.shared(hash, { $0.equals(shared, at: left) }) { return known }
        var list = NameList()
        list.keys = keys
        list.index.extend(count: keys.count) { keys[$0] }
        return shared == nil ? [list] : Self.sharing(list, hash)
    }
}

/// What follows from a list of names, computed once for all objects that were read with it.
package final class SharedNames: Sendable {
    /// Each name as it is written, with its quotation marks and a colon, one after another.
    private let written: [UInt8]
    /// Where each name ends in `written`.
    private let ends: [Int]
    /// The positions of the names in the order of their UTF-8 bytes.
    let sorted: [Int]
    private let derived = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    fileprivate init(_ keys: [String]) {
        var written: [UInt8] = []
        var ends: [Int] = []
        for key in keys {
            JSONValue.appendQuoted(key, to: &written)
            written.append(UInt8(ascii: ":"))
            ends.append(written.count)
        }
        self.written = written
        self.ends = ends
        sorted = keys.indices.sorted { keys[$0].precedesByUTF8(keys[$1]) }
    }

    /// Whether a name may be kept for other objects: short, without escapes, and without room for a card number.
    fileprivate static func isPlain(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        var digits = 0
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: continue
            default: return false
            }
        }
        return digits <= 8
    }

    static let emptyHash: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Names made to collide only cost comparisons: the table has one list for each hash.
    static func combine(_ name: UnsafeBufferPointer<UInt8>, into hash: inout UInt64) {
        var hashed = hash ^ UInt64(name.count)
        if let base = UnsafeRawPointer(name.baseAddress) {
            var position = 0
            while name.count - position >= 8 {
                hashed =
                    (hashed ^ base.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9FB2_1C65_1E98_DF25
                hashed ^= hashed >> 32
                position += 8
            }
            while position < name.count {
                hashed = (hashed ^ UInt64(name[position])) &* 0x9FB2_1C65_1E98_DF25
                position += 1
            }
        }
        hash = hashed ^ hashed >> 29
    }

    var count: Int { ends.count }

    /// The bytes of a name.
    func withName<Result>(at position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = position == 0 ? 0 : ends[position - 1]
        return written.withUnsafeBufferPointer { bytes in
            body(UnsafeBufferPointer(rebasing: bytes[start + 1..<ends[position] - 2]))
        }
    }

    func hasName(_ name: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        withName(at: position) { known in
            guard known.count == name.count else { return false }
            guard let left = known.baseAddress, let right = name.baseAddress else { return true }
            return memcmp(left, right, name.count) == 0
        }
    }

    /// Whether these names are those of another list at some positions.
    fileprivate func equals(_ other: SharedNames, at positions: [Int]) -> Bool {
        guard positions.count == count else { return false }
        return positions.enumerated().allSatisfy { index, position in
            other.withName(at: position) { hasName($0, at: index) }
        }
    }

    /// Appends a name as it is written, with its colon.
    func appendWritten(_ position: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: written[(position == 0 ? 0 : ends[position - 1])..<ends[position]])
    }

    /// What `make` returned for this type, for these names.
    package func derived(_ type: AnyClass, _ make: () -> any AnyObject & Sendable) -> any AnyObject & Sendable {
        let type = ObjectIdentifier(type)
        if let known = derived.withLock({ $0[type] }) { return known }
        let made = make()
        derived.withLock { $0[type] = made }
        return made
    }
}
