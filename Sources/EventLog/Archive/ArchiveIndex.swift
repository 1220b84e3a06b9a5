import Crypto
import Merkle

/// A key by which the index file of an archive finds events.
enum ArchiveKey: Hashable {
    case tenant(String)
    case type(String, of: String)
    case stream(String, of: String)

    /// The first eight bytes of a SHA-256. Two keys with the same hash do no harm: every event found is checked.
    var hash: UInt64 {
        var bytes: [UInt8]
        switch self {
        case .tenant(let tenant): bytes = [0] + tenant.utf8
        case .type(let type, let tenant): bytes = [1] + tenant.utf8 + [0] + type.utf8
        case .stream(let stream, let tenant): bytes = [2] + tenant.utf8 + [0] + stream.utf8
        }
        return SHA256.hash(data: bytes).withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    static func keys(of event: RecordedEvent) -> [ArchiveKey] {
        [.tenant(event.tenant), .type(event.type, of: event.tenant), .stream(event.stream, of: event.tenant)]
    }
}

/// The layout of an index file. All numbers are big-endian.
///
///     header    "daybook-index-1\n", first position (8 bytes), events (8), keys (8), SHA-256 of the archive (32)
///     offsets   8 bytes for each event, and one more for the end of the file
///     keys      hash (8), first posting (4), postings (4), in the order of the hashes
///     postings  4 bytes each: ordinals of events, from 0, ascending within a key
enum ArchiveIndexLayout {
    static let magic = Array("daybook-index-1\n".utf8)
    static let headerBytes: Int64 = 72
    static let keyBytes: Int64 = 16
    static let postingBytes: Int64 = 4

    static func keysAt(events: Int64) -> Int64 { headerBytes + (events + 1) * 8 }
    static func postingsAt(events: Int64, keys: Int64) -> Int64 { keysAt(events: events) + keys * keyBytes }
}

/// Builds the index of an archive from its events, in order.
struct ArchiveIndexBuilder {
    private let first: Int64
    private var offsets: [UInt64] = [0]
    private var entries: [(hash: UInt64, ordinal: UInt32)] = []

    init(first: Int64) { self.first = first }

    /// - Parameter byteCount: The length of the record line with its line feed.
    mutating func add(_ event: RecordedEvent, byteCount: Int) {
        let ordinal = UInt32(offsets.count - 1)
        offsets.append((offsets.last ?? 0) + UInt64(byteCount))
        for key in ArchiveKey.keys(of: event) { entries.append((key.hash, ordinal)) }
    }

    /// - Parameter digest: SHA-256 of the archive.
    consuming func bytes(digest: [UInt8]) -> [UInt8] {
        entries.sort { ($0.hash, $0.ordinal) < ($1.hash, $1.ordinal) }
        // Two keys with the same hash may belong to the same event.
        var keys: [(hash: UInt64, start: UInt32, count: UInt32)] = []
        var postings: [UInt32] = []
        postings.reserveCapacity(entries.count)
        for entry in entries {
            if let last = keys.indices.last, keys[last].hash == entry.hash {
                if postings.last == entry.ordinal { continue }
                keys[last].count += 1
            } else {
                keys.append((entry.hash, UInt32(postings.count), 1))
            }
            postings.append(entry.ordinal)
        }
        var bytes = ArchiveIndexLayout.magic
        bytes.reserveCapacity(72 + offsets.count * 8 + keys.count * 16 + postings.count * 4)
        bytes.append(integer: UInt64(first))
        bytes.append(integer: UInt64(offsets.count - 1))
        bytes.append(integer: UInt64(keys.count))
        bytes.append(contentsOf: digest)
        for offset in offsets { bytes.append(integer: offset) }
        for key in keys {
            bytes.append(integer: key.hash)
            bytes.append(integer: key.start)
            bytes.append(integer: key.count)
        }
        for posting in postings { bytes.append(integer: posting) }
        return bytes
    }
}

/// An open index file whose digest was verified. Every call may block.
struct ArchiveIndex: Sendable {
    private let file: DiskFile
    private let identity: DiskFile.Identity
    let first: Int64
    let events: Int64
    private let keys: Int64

    /// Opens an index and reads all of it once.
    ///
    /// - Returns: Nil when the file is missing or does not have this digest.
    /// - Throws: `DiskError`.
    init?(path: String, digest: [UInt8]) throws {
        do throws(DiskError) {
            file = try DiskFile(reading: path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        identity = try file.identity()
        var hasher = SHA256()
        var offset: Int64 = 0
        while case let piece = try file.read(1 << 20, at: offset), !piece.isEmpty {
            hasher.update(data: piece)
            offset += Int64(piece.count)
        }
        let header = try file.read(Int(ArchiveIndexLayout.headerBytes), at: 0)
        guard Array(hasher.finalize()) == digest, header.starts(with: ArchiveIndexLayout.magic),
            header.count == Int(ArchiveIndexLayout.headerBytes)
        else { return nil }
        first = Int64(header.integer(UInt64.self, at: 16))
        events = Int64(header.integer(UInt64.self, at: 24))
        keys = Int64(header.integer(UInt64.self, at: 32))
    }

    /// The digest that identifies an index.
    static func digest(of bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// True while the file is as it was when it was opened.
    var isUnchanged: Bool { (try? file.identity()) == identity }

    /// The offsets at which the lines of the events begin, and the offset at which the last one ends.
    func offsets(of ordinals: Range<Int64>) throws -> [Int64] {
        let count = Int(ordinals.upperBound - ordinals.lowerBound) + 1
        let bytes = try file.read(count * 8, at: ArchiveIndexLayout.headerBytes + ordinals.lowerBound * 8)
        guard bytes.count == count * 8 else { throw ArchiveError(.changed) }
        return (0..<count).map { Int64(bytes.integer(UInt64.self, at: $0 * 8)) }
    }

    /// The postings of a key whose ordinals are within a range.
    func postings(of key: ArchiveKey, within ordinals: Range<Int64>) throws -> Range<Int64> {
        let hash = key.hash
        let at = try lowerBound(of: 0..<keys) { try keyEntry($0).hash < hash }
        guard at < keys, case let entry = try keyEntry(at), entry.hash == hash else { return 0..<0 }
        let lower = try lowerBound(of: entry.postings) { try self.ordinals($0..<$0 + 1)[0] < ordinals.lowerBound }
        let upper = try lowerBound(of: lower..<entry.postings.upperBound) {
            try self.ordinals($0..<$0 + 1)[0] < ordinals.upperBound
        }
        return lower..<upper
    }

    /// The ordinals that postings hold.
    func ordinals(_ postings: Range<Int64>) throws -> [Int64] {
        let count = Int(postings.upperBound - postings.lowerBound)
        let start = ArchiveIndexLayout.postingsAt(events: events, keys: keys)
        let bytes = try file.read(count * 4, at: start + postings.lowerBound * ArchiveIndexLayout.postingBytes)
        guard bytes.count == count * 4 else { throw ArchiveError(.changed) }
        return (0..<count).map { Int64(bytes.integer(UInt32.self, at: $0 * 4)) }
    }

    private func keyEntry(_ at: Int64) throws -> (hash: UInt64, postings: Range<Int64>) {
        let start = ArchiveIndexLayout.keysAt(events: events)
        let bytes = try file.read(16, at: start + at * ArchiveIndexLayout.keyBytes)
        guard bytes.count == 16 else { throw ArchiveError(.changed) }
        let posting = Int64(bytes.integer(UInt32.self, at: 8))
        return (bytes.integer(UInt64.self, at: 0), posting..<posting + Int64(bytes.integer(UInt32.self, at: 12)))
    }

    /// The first index of `range` for which `isBefore` is false, by binary search.
    private func lowerBound(of range: Range<Int64>, _ isBefore: (Int64) throws -> Bool) rethrows -> Int64 {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension [UInt8] {
    fileprivate mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate func integer<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
        withUnsafeBytes { Integer(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self)) }
    }
}
