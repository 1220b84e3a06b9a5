package import Canonical
import Merkle
package import Postgres

/// Reads the log from its tables and its archives. Every read is in order; no reader sees position n+1 before n,
/// because appends commit in position order.
///
/// Every read throws `PostgresError`, and `ArchiveError` when an event it needs is in an archive that cannot be read.
package struct EventReader: Sendable {
    let pool: PostgresPool
    /// The events that are no longer in the tables.
    package let archive: EventArchive
    private let tail: LogTail?

    /// - Parameters:
    ///   - archiveDirectory: The archive directory; nil if the log is known to have no archives.
    ///   - tail: The events this process writes.
    package init(pool: PostgresPool, archiveDirectory: String? = nil, tail: LogTail? = nil) {
        self.pool = pool
        self.tail = tail
        archive = EventArchive(pool: pool, directory: archiveDirectory)
    }

    static let columns = """
        position, id, tenant, stream, version, type, schema, occurred_at, recorded_at, actor, correlation, causation, \
        claims, data
        """

    /// The position of the newest event; 0 while the log is empty.
    package func head() async throws -> Int64 {
        let rows = try await pool.query("SELECT position FROM ledger.head", [])
        return try rows.first?.int64(0) ?? 0
    }

    /// The position of the last event recorded at or before this time; 0 if there is none.
    ///
    /// Times never decrease with the position, so a binary search reads about thirty events.
    package func position(recordedUpTo time: Timestamp) async throws -> Int64 {
        var low: Int64 = 0
        var high = try await head()
        while low < high {
            let middle = low + (high - low + 1) / 2
            let event = try await read(EventQuery(after: middle - 1, upTo: middle, limit: 1)).first
            if let event, event.recordedAt <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Up to `limit` events of all tenants after `position`, in order.
    package func events(after position: Int64, limit: Int) async throws -> [RecordedEvent] {
        try await read(EventQuery(after: position, limit: limit))
    }

    /// The next events after `position`, in order, for followers: up to `limit`, and fewer if they are large, so that a
    /// step takes a bounded amount of memory. Events this process wrote recently are not read again.
    ///
    /// - Parameter before: The run before this one, used to estimate how large events are. Without it a few are read
    ///   first.
    package func run(
        after position: Int64,
        limit: Int,
        following before: [RecordedEvent] = []
    ) async throws -> [RecordedEvent] {
        if let tail {
            let events = tail.events(after: position, limit: limit)
            if let last = events.last {
                // A failover may have lost what this process wrote. If the log holds this event, it holds all before
                // it.
                if try await holds(last) { return events }
                tail.clear()
            }
        }
        var events: [RecordedEvent] = []
        var bytes = 0
        while events.count < limit, bytes < Self.runBytes {
            // As many as will probably fit, estimated from those that came before.
            let known = events.isEmpty ? (before.byteCount, before.count) : (bytes, events.count)
            let fitting = known.1 == 0 ? 16 : (Self.runBytes - bytes) / (known.0 / known.1 + 1) + 1
            let count = min(limit - events.count, fitting)
            let piece = try await read(EventQuery(after: position + Int64(events.count), limit: count))
            bytes += piece.byteCount
            if events.isEmpty { events = piece } else { events += piece }
            if piece.count < count { break }
        }
        return events
    }

    /// Whether this process wrote the event and everything after it, as far as it knows.
    package func isRecentlyWritten(_ event: RecordedEvent) -> Bool {
        tail?.events(after: event.position - 1, limit: 1).first?.id == event.id
    }

    /// The amount of data at which a run is cut.
    private static let runBytes = 4 << 20

    /// The events of one stream from `version` on, in order; empty for a stream that does not exist.
    package func stream(
        _ stream: String,
        of tenant: String,
        from version: Int64 = 1,
        limit: Int = .max
    ) async throws -> [RecordedEvent] {
        try await read(EventQuery(tenant: tenant, stream: stream, fromVersion: version, limit: limit))
    }

    /// The events at `firstPosition` and the `count - 1` positions after it.
    package func range(_ range: AppendedRange) async throws -> [RecordedEvent] {
        try await read(EventQuery(after: range.firstPosition - 1, upTo: range.lastPosition, limit: range.count))
    }

    /// The event at `position`, if it is the tenant's.
    package func event(at position: Int64, of tenant: String) async throws -> RecordedEvent? {
        guard position > 0 else { return nil }
        let found = try await read(EventQuery(after: position - 1, upTo: position, limit: 1)).first
        return found?.tenant == tenant ? found : nil
    }

    /// Up to `limit` of the tenant's events that match, after `position`, in order.
    package func feed(
        of tenant: String,
        matching filter: EventFilter,
        after position: Int64,
        limit: Int
    ) async throws -> [RecordedEvent] {
        try await read(EventQuery(filter, of: tenant, after: position, limit: limit))
    }

    /// The newest `limit` of the tenant's events that match, in order.
    package func newest(
        of tenant: String,
        matching filter: EventFilter,
        limit: Int
    ) async throws -> [RecordedEvent] {
        var query = EventQuery(filter, of: tenant, after: 0, limit: limit)
        query.isNewestFirst = true
        return try await read(query).reversed()
    }

    /// Whether the log holds exactly this event, recorded at the same position and time.
    package func holds(_ event: RecordedEvent) async throws -> Bool {
        let leaf = "SELECT leaf FROM ledger.events WHERE position = $1"
        if let row = try await pool.query(leaf, [.int64(event.position)]).first {
            return try row.bytes(0) == Array(event.recordLine.utf8).withUnsafeBytes { MerkleHash(leaf: $0).bytes }
        }
        // It may be in an archive.
        return try await read(EventQuery(after: event.position - 1, upTo: event.position, limit: 1)).first == event
    }

    /// The streams that the keys lead to, by key.
    package func streams(named references: [String], of tenant: String) async throws -> [TenantName: String] {
        guard !references.isEmpty else { return [:] }
        let rows = try await pool.query(
            "SELECT key, stream FROM ledger.reference_keys WHERE tenant = $1 AND key = ANY($2::text[])",
            [.text(tenant), .textArray(references)]
        )
        var streams: [TenantName: String] = [:]
        for row in rows { streams[TenantName(tenant: tenant, name: try row.text(0))] = try row.text(1) }
        return streams
    }

    /// The versions of the streams; streams that do not exist are left out.
    package func versions(of streams: [String], tenant: String) async throws -> [String: Int64] {
        guard !streams.isEmpty else { return [:] }
        let rows = try await pool.query(
            "SELECT stream, version FROM ledger.streams WHERE tenant = $1 AND stream = ANY($2::text[])",
            [.text(tenant), .textArray(streams)]
        )
        var versions: [String: Int64] = [:]
        for row in rows { versions[try row.text(0)] = try row.int64(1) }
        return versions
    }

    /// The events appended under an idempotency key, and the request the key stands for.
    package func appended(
        under key: [UInt8],
        of tenant: String
    ) async throws -> (range: AppendedRange, request: [UInt8])? {
        let rows = try await pool.query(
            "SELECT position, events, request FROM ledger.idempotency WHERE key = $1",
            [.uuid(Claims.scoped(key, to: tenant))]
        )
        guard let row = rows.first else { return nil }
        return (AppendedRange(firstPosition: try row.int64(0), count: Int(try row.int32(1))), try row.bytes(2))
    }

    // MARK: Tables and archives

    /// The result of one statement.
    private struct Found {
        var events: [RecordedEvent]
        /// Everything up to this position was archived when the statement ran.
        var archivedUpTo: Int64
        /// The first position of the query's stream; nil when the query names no stream, or the stream does not exist.
        var streamFirst: Int64?
    }

    private func read(_ query: EventQuery) async throws -> [RecordedEvent] {
        guard query.limit > 0, query.after < query.upTo else { return [] }
        if query.isNewestFirst { return try await readNewestFirst(query) }
        if query.stream == nil, query.after < archive.last { return try await readFromArchive(query) }
        let found = try await find(query)
        let first = max(query.after + 1, found.streamFirst ?? (query.stream == nil ? 1 : .max))
        guard first <= min(found.archivedUpTo, query.upTo) else { return found.events }
        // If the stream begins in the tables at the wanted version, the archives hold nothing that is wanted.
        if let wanted = query.wantedVersion, found.events.first?.version == wanted { return found.events }
        try await archive.learn(upTo: found.archivedUpTo)
        guard query.stream != nil else { return try await readFromArchive(query) }
        // The rest of the stream, found by one statement, follows directly on what was archived when that statement
        // ran.
        var older = query
        older.after = first - 1
        older.upTo = min(query.upTo, found.archivedUpTo)
        let archived = try await archive.events(matching: older)
        return archived + found.events.prefix(query.limit - archived.count)
    }

    /// Reads first what is known to be archived. Events archived meanwhile are also read from there.
    private func readFromArchive(_ query: EventQuery) async throws -> [RecordedEvent] {
        var rest = query
        var events: [RecordedEvent] = []
        while true {
            let archived = archive.last
            if rest.after < archived {
                var older = rest
                older.upTo = min(query.upTo, archived)
                events += try await archive.events(matching: older)
                rest.after = archived
                rest.limit = query.limit - events.count
            }
            guard rest.limit > 0, rest.after < rest.upTo else { return events }
            let found = try await find(rest)
            if found.archivedUpTo <= rest.after { return events + found.events }
            try await archive.learn(upTo: found.archivedUpTo)
        }
    }

    private func readNewestFirst(_ query: EventQuery) async throws -> [RecordedEvent] {
        let found = try await find(query)
        let first = max(query.after + 1, found.streamFirst ?? (query.stream == nil ? 1 : .max))
        guard found.events.count < query.limit, first <= min(found.archivedUpTo, query.upTo) else {
            return found.events
        }
        try await archive.learn(upTo: found.archivedUpTo)
        var older = query
        older.after = first - 1
        older.upTo = min(query.upTo, found.archivedUpTo)
        older.limit -= found.events.count
        return found.events + (try await archive.events(matching: older))
    }

    private func find(_ query: EventQuery) async throws -> Found {
        let (sql, parameters) = query.statement
        let rows = try await pool.query(sql, parameters)
        var found = Found(events: [], archivedUpTo: 0)
        for row in rows {
            found.archivedUpTo = try row.int64(0)
            found.streamFirst = try row.int64OrNull(1)
            if try row.int64OrNull(2) != nil { found.events.append(try RecordedEvent(row, from: 2)) }
        }
        return found
    }
}

extension EventQuery {
    fileprivate init(_ filter: EventFilter, of tenant: String, after position: Int64, limit: Int) {
        self.init(
            after: position,
            upTo: filter.upTo ?? .max,
            tenant: tenant,
            stream: filter.stream,
            type: filter.type,
            actor: filter.actor,
            recordedFrom: filter.recordedFrom,
            recordedBefore: filter.recordedBefore,
            limit: limit
        )
    }

    /// The version that a stream's first wanted event must have; nil when it cannot be known.
    fileprivate var wantedVersion: Int64? {
        let isWhole = stream != nil && after == 0 && type == nil && actor == nil && recordedFrom == nil
        return isWhole ? max(1, fromVersion) : nil
    }
}

extension RecordedEvent {
    /// Reads `EventReader.columns` of a row.
    ///
    /// - Parameter column: The index of the first of them.
    init(_ row: PostgresRow, from column: Int = 0) throws {
        self.init(
            position: try row.int64(column),
            id: try row.uuid(column + 1),
            tenant: try row.text(column + 2),
            stream: try row.text(column + 3),
            version: try row.int64(column + 4),
            type: try row.text(column + 5),
            schema: Int(try row.int16(column + 6)),
            occurredAt: try row.timestamp(column + 7),
            recordedAt: try row.timestamp(column + 8),
            actor: try row.text(column + 9),
            correlation: try row.text(column + 10),
            causation: try row.uuidOrNull(column + 11),
            claims: try row.textOrNull(column + 12),
            data: try row.text(column + 13)
        )
    }
}
