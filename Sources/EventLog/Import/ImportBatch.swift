import Canonical
import Merkle
import Postgres

/// Record lines, converted to the rows of all tables they belong to, in the format of a binary `COPY`. Makes no
/// intermediate text.
struct ImportBatch: Sendable {
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n".utf8) + [0] + [UInt8](repeating: 0, count: 8)

    private(set) var events = header
    private(set) var keys = header
    private(set) var references = header
    private(set) var tiles = header
    /// The streams of the lines: the version each reaches, and its first position if that is in this batch, else 0.
    private(set) var streams: [TenantName: (version: Int64, first: Int64)] = [:]
    private(set) var count = 0
    private(set) var lastPosition: Int64 = 0
    private(set) var lastRecordedAt: Timestamp = .earliest
    /// The last epoch that began in these lines, and its time.
    private(set) var epoch: LogEpoch?

    /// The size of the event rows in bytes.
    var byteCount: Int { events.count }

    /// Adds a line, and its leaf to the tree.
    mutating func add(_ line: RecordLine, to tree: inout TileFiller) {
        let leaf = MerkleHash(leaf: UnsafeRawBufferPointer(line.bytes))
        addEvent(line, leaf)
        if let claimed = line.claimed { addKeys(line, claimed) }
        let stream = TenantName(tenant: line.text(line.tenant), name: line.text(line.stream))
        let first = line.version == 1 ? line.position : streams[stream]?.first ?? 0
        streams[stream] = (line.version, first)
        var filled: [FullTile] = []
        tree.append(leaf, filling: &filled)
        for tile in filled { add(tile) }
        if line.says(LogEpochBegun.type, at: line.type), line.says(LogEpochBegun.tenant, at: line.tenant),
            let number = try? JSONValue(parsing: line[line.data])["epoch"]?.int64
        {
            epoch = LogEpoch(number: number, beganAt: line.recordedAt)
        }
        count += 1
        lastPosition = line.position
        lastRecordedAt = line.recordedAt
    }

    /// Ends the rows; nothing can be added afterwards.
    mutating func end() {
        let trailer: [UInt8] = [0xFF, 0xFF]
        events += trailer
        keys += trailer
        references += trailer
        tiles += trailer
    }

    static let eventColumns = """
        position, id, tenant, stream, version, type, schema, occurred_at, recorded_at, actor, correlation, causation, \
        claims, data, leaf
        """

    private mutating func addEvent(_ line: RecordLine, _ leaf: MerkleHash) {
        events.append(integer: Int16(15))
        events.append(field: line.position)
        events.append(field: line.id)
        events.append(field: line, line.tenant)
        events.append(field: line, line.stream)
        events.append(field: line.version)
        events.append(field: line, line.type)
        events.append(field: line.schema)
        events.append(field: line.occurredAt)
        events.append(field: line.recordedAt)
        events.append(field: line, line.actor)
        events.append(field: line, line.correlation)
        if let causation = line.causation { events.append(field: causation) } else { events.append(integer: Int32(-1)) }
        if let claims = line.claims { events.append(bytes: line[claims]) } else { events.append(integer: Int32(-1)) }
        events.append(bytes: line[line.data])
        events.append(field: leaf)
    }

    private mutating func addKeys(_ line: RecordLine, _ claimed: RecordLine.Claimed) {
        for claim in claimed.idempotency {
            keys.append(integer: Int16(4))
            keys.append(field: claim.key)
            claim.request.withUnsafeBufferPointer { keys.append(bytes: $0) }
            keys.append(field: line.position)
            keys.append(field: Int32(clamping: claimed.events))
        }
        for reference in claimed.references {
            references.append(integer: Int16(4))
            references.append(field: line, line.tenant)
            references.append(field: line, reference)
            references.append(field: line, line.stream)
            references.append(field: line.position)
        }
    }

    private mutating func add(_ tile: FullTile) {
        tiles.append(integer: Int16(4))
        tiles.append(field: Int16(tile.id.level))
        tiles.append(field: tile.id.index)
        tiles.append(field: tile.root)
        tile.bytes.withUnsafeBufferPointer { tiles.append(bytes: $0) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(integer value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(field value: some FixedWidthInteger) {
        append(integer: Int32(value.bitWidth / 8))
        append(integer: value)
    }

    fileprivate mutating func append(field value: UUID128) {
        append(integer: Int32(16))
        append(integer: value.high)
        append(integer: value.low)
    }

    fileprivate mutating func append(field value: Timestamp) {
        // Microseconds since 2000-01-01T00:00:00Z.
        append(field: value.microsecondsSince1970 - 946_684_800_000_000)
    }

    fileprivate mutating func append(field value: MerkleHash) {
        append(integer: Int32(MerkleHash.byteCount))
        Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
        append(integer: Int32(bytes.count))
        append(contentsOf: bytes)
    }

    /// A text of a line, with its escapes decoded.
    fileprivate mutating func append(field line: RecordLine, _ range: Range<Int>) {
        let written = line[range]
        guard written.contains(UInt8(ascii: "\\")) else { return append(bytes: written) }
        var text = line.text(range)
        text.withUTF8 { append(bytes: $0) }
    }
}
