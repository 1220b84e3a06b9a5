import Canonical
import Merkle
import Postgres

/// The rows of a batch, as the arrays that `ledger.append` expects.
struct BatchRows {
    private var streams: [TenantName: Int] = [:]
    private var streamTenants = PostgresArrayBuilder.text()
    private var streamNames = PostgresArrayBuilder.text()
    private var streamsBefore: [Int64] = []
    private var streamsAfter: [Int64] = []
    private var streamsFirst: [Int64] = []

    private var keys = PostgresArrayBuilder.uuid()
    private var keyRequests = PostgresArrayBuilder.bytea()
    private var keyPositions = PostgresArrayBuilder.int64()
    private var keyEvents = PostgresArrayBuilder.int32()

    private var referenceTenants = PostgresArrayBuilder.text()
    private var references = PostgresArrayBuilder.text()
    private var referenceStreams = PostgresArrayBuilder.text()
    private var referencePositions = PostgresArrayBuilder.int64()

    private var ids: PostgresArrayBuilder
    private var tenants: PostgresArrayBuilder
    private var streamsOfEvents: PostgresArrayBuilder
    private var versions: PostgresArrayBuilder
    private var types: PostgresArrayBuilder
    private var schemas: PostgresArrayBuilder
    private var occurredAt: PostgresArrayBuilder
    private var actors: PostgresArrayBuilder
    private var correlations: PostgresArrayBuilder
    private var causations: PostgresArrayBuilder
    private var claims: PostgresArrayBuilder
    private var data: PostgresArrayBuilder
    private var leaves: PostgresArrayBuilder

    private var tileLevels = PostgresArrayBuilder.int16()
    private var tileIndexes = PostgresArrayBuilder.int64()
    private var tileRoots = PostgresArrayBuilder.bytea()
    private var tileHashes = PostgresArrayBuilder.bytea()

    /// The leaf of the batch's first event.
    private(set) var firstLeaf: MerkleHash?
    private var filled: [FullTile] = []
    /// The events as the log will hold them.
    private(set) var events: [RecordedEvent] = []
    /// Reused for every line.
    private var line: [UInt8] = []

    init(eventCount: Int) {
        ids = .uuid(reserving: eventCount * 20)
        tenants = .text(reserving: eventCount * 16)
        streamsOfEvents = .text(reserving: eventCount * 56)
        versions = .int64(reserving: eventCount * 12)
        types = .text(reserving: eventCount * 28)
        schemas = .int16(reserving: eventCount * 6)
        occurredAt = .timestamptz(reserving: eventCount * 12)
        actors = .text(reserving: eventCount * 24)
        correlations = .text(reserving: eventCount * 44)
        causations = .uuid(reserving: eventCount * 20)
        claims = .text(reserving: eventCount * 64)
        data = .text(reserving: eventCount * 512)
        leaves = .bytea(reserving: eventCount * 36)
        line.reserveCapacity(2048)
        events.reserveCapacity(eventCount)
    }

    /// Adds an item's rows and advances the tip past its events.
    mutating func add(_ placed: PlacedItem, to tip: inout LogTip) {
        let item = placed.item
        advance(placed)
        for entry in placed.claims.idempotency {
            keys.append(entry.key)
            keyRequests.append(entry.request)
            keyPositions.append(placed.firstPosition)
            keyEvents.append(Int32(clamping: placed.claims.events))
        }
        for reference in placed.claims.references {
            referenceTenants.append(item.tenant)
            references.append(reference)
            referenceStreams.append(item.stream)
            referencePositions.append(placed.firstPosition)
        }
        var claimed = placed.claims.text
        for (offset, event) in item.events.enumerated() {
            tip.position += 1
            let recorded = RecordedEvent(
                position: tip.position,
                id: event.id,
                tenant: item.tenant,
                stream: item.stream,
                version: placed.version + Int64(offset) + 1,
                type: event.type,
                schema: event.schema,
                occurredAt: event.occurredAt,
                recordedAt: tip.recordedAt,
                actor: event.actor,
                correlation: event.correlation,
                causation: event.causation,
                claims: claimed,
                data: event.data,
                source: event.source
            )
            claimed = nil
            events.append(recorded)
            add(recorded, to: &tip.edge)
        }
    }

    /// Records the version the stream reaches. A stream that several items of a batch append to has one row.
    private mutating func advance(_ placed: PlacedItem) {
        let after = placed.version + Int64(placed.item.events.count)
        let name = TenantName(tenant: placed.item.tenant, name: placed.item.stream)
        if let row = streams[name] {
            streamsAfter[row] = after
            return
        }
        streams[name] = streamsBefore.count
        streamTenants.append(name.tenant)
        streamNames.append(name.name)
        streamsBefore.append(placed.version)
        streamsAfter.append(after)
        streamsFirst.append(placed.firstPosition)
    }

    private mutating func add(_ event: RecordedEvent, to edge: inout TileFiller) {
        ids.append(event.id)
        tenants.append(event.tenant)
        streamsOfEvents.append(event.stream)
        versions.append(event.version)
        types.append(event.type)
        schemas.append(Int16(clamping: event.schema))
        occurredAt.append(event.occurredAt)
        actors.append(event.actor)
        correlations.append(event.correlation)
        if let causation = event.causation { causations.append(causation) } else { causations.appendNull() }
        if let text = event.claims { claims.append(text) } else { claims.appendNull() }
        data.append(event.data)
        line.removeAll(keepingCapacity: true)
        event.appendRecordLine(to: &line)
        let leaf = line.withUnsafeBytes { MerkleHash(leaf: $0) }
        leaves.append(leaf.bytes)
        firstLeaf = firstLeaf ?? leaf
        edge.append(leaf, filling: &filled)
        for tile in filled {
            tileLevels.append(Int16(tile.id.level))
            tileIndexes.append(tile.id.index)
            tileRoots.append(tile.root.bytes)
            tileHashes.append(tile.bytes)
        }
        filled.removeAll(keepingCapacity: true)
    }

    /// The parameters of `BatchDraft.sql`.
    func parameters(base: LogTip, tip: LogTip) -> [PostgresValue] {
        [
            .int64(base.position), .timestamptz(tip.recordedAt), .bytea(tip.edge.frontier.bytes),
            .array(streamTenants), .array(streamNames), .int64Array(streamsBefore), .int64Array(streamsAfter),
            .int64Array(streamsFirst),
            .array(keys), .array(keyRequests), .array(keyPositions), .array(keyEvents),
            .array(referenceTenants), .array(references), .array(referenceStreams), .array(referencePositions),
            .array(ids), .array(tenants), .array(streamsOfEvents), .array(versions), .array(types), .array(schemas),
            .array(occurredAt), .array(actors), .array(correlations), .array(causations), .array(claims), .array(data),
            .array(leaves),
            .array(tileLevels), .array(tileIndexes), .array(tileRoots), .array(tileHashes),
            .bytea(base.edge.frontier.bytes), .int64(base.epoch),
        ]
    }
}
