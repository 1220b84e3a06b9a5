package import Canonical
package import Postgres

/// Reads the log. Every read is in order; nobody sees position n+1 before n, because appends commit in position
/// order.
package struct EventReader: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let columns = """
        position, id, tenant, stream, version, type, schema, occurred_at, recorded_at, actor, correlation, causation, \
        claims, data::text
        """

    /// The position of the newest event; 0 while the log is empty.
    package func head() async throws -> Int64 {
        let rows = try await pool.query("SELECT position FROM ledger.head", [])
        return try rows.first?.int64(0) ?? 0
    }

    /// Up to `limit` events of all tenants after `position`, in order.
    package func events(after position: Int64, limit: Int) async throws -> [RecordedEvent] {
        try await read("WHERE position > $1 ORDER BY position LIMIT $2", [.int64(position), .int64(Int64(limit))])
    }

    /// The events of one stream from `version` on, in order; empty for a stream that does not exist.
    package func stream(
        _ stream: String,
        of tenant: String,
        from version: Int64 = 1,
        limit: Int = .max
    ) async throws -> [RecordedEvent] {
        try await read(
            "WHERE tenant = $1 AND stream = $2 AND version >= $3 ORDER BY version LIMIT $4",
            [.text(tenant), .text(stream), .int64(version), .int64(Int64(limit))]
        )
    }

    /// The events at `firstPosition` and the `count - 1` positions after it.
    package func range(_ range: AppendedRange) async throws -> [RecordedEvent] {
        try await read(
            "WHERE position BETWEEN $1 AND $2 ORDER BY position",
            [.int64(range.firstPosition), .int64(range.lastPosition)]
        )
    }

    /// The event at `position`, if it is the tenant's.
    package func event(at position: Int64, of tenant: String) async throws -> RecordedEvent? {
        try await read("WHERE position = $1 AND tenant = $2", [.int64(position), .text(tenant)]).first
    }

    /// Up to `limit` of the tenant's events that match, after `position`, in order.
    package func feed(
        of tenant: String,
        matching filter: EventFilter,
        after position: Int64,
        limit: Int
    ) async throws -> [RecordedEvent] {
        try await feed(of: tenant, matching: filter, after: position, limit: limit, order: "position")
    }

    /// The newest `limit` of the tenant's events that match, in order.
    package func newest(
        of tenant: String,
        matching filter: EventFilter,
        limit: Int
    ) async throws -> [RecordedEvent] {
        try await feed(of: tenant, matching: filter, after: 0, limit: limit, order: "position DESC").reversed()
    }

    private func feed(
        of tenant: String,
        matching filter: EventFilter,
        after position: Int64,
        limit: Int,
        order: String
    ) async throws -> [RecordedEvent] {
        var conditions = ["tenant = $1", "position > $2"]
        var parameters: [PostgresValue] = [.text(tenant), .int64(position)]
        func add(_ condition: (String) -> String, _ value: PostgresValue) {
            parameters.append(value)
            conditions.append(condition("$\(parameters.count)"))
        }
        if let stream = filter.stream { add({ "stream = \($0)" }, .text(stream)) }
        if let type = filter.type { add({ "type = \($0)" }, .text(type)) }
        if let actor = filter.actor { add({ "actor = \($0)" }, .text(actor)) }
        if let until = filter.upTo { add({ "position <= \($0)" }, .int64(until)) }
        if let since = filter.recordedFrom { add({ "recorded_at >= \($0)" }, .timestamptz(since)) }
        if let before = filter.recordedBefore { add({ "recorded_at < \($0)" }, .timestamptz(before)) }
        parameters.append(.int64(Int64(limit)))
        return try await read(
            "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT $\(parameters.count)",
            parameters
        )
    }

    /// The streams the keys lead to, by key.
    package func streams(named references: [String], of tenant: String) async throws -> [String: String] {
        guard !references.isEmpty else { return [:] }
        let rows = try await pool.query(
            "SELECT key, stream FROM ledger.reference_keys WHERE tenant = $1 AND key = ANY($2::text[])",
            [.text(tenant), .textArray(references)]
        )
        var streams: [String: String] = [:]
        for row in rows { streams[try row.text(0)] = try row.text(1) }
        return streams
    }

    /// What was appended under an idempotency key, and for which request.
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

    private func read(_ clause: String, _ parameters: [PostgresValue]) async throws -> [RecordedEvent] {
        let rows = try await pool.query("SELECT \(Self.columns) FROM ledger.events \(clause)", parameters)
        var events: [RecordedEvent] = []
        for row in rows { events.append(try RecordedEvent(row)) }
        return events
    }
}

/// Which events of a tenant are wanted. Everything set must hold.
package struct EventFilter: Sendable, Hashable {
    package var stream: String?
    package var type: String?
    package var actor: String?
    /// The last position wanted.
    package var upTo: Int64?
    package var recordedFrom: Timestamp?
    package var recordedBefore: Timestamp?

    package init() {}
}

extension RecordedEvent {
    /// Reads a row with the columns of `EventReader`.
    init(_ row: PostgresRow) throws {
        self.init(
            position: try row.int64(0),
            id: try row.uuid(1),
            tenant: try row.text(2),
            stream: try row.text(3),
            version: try row.int64(4),
            type: try row.text(5),
            schema: Int(try row.int16(6)),
            occurredAt: try row.timestamp(7),
            recordedAt: try row.timestamp(8),
            actor: try row.text(9),
            correlation: try row.text(10),
            causation: try row.uuidOrNull(11),
            claims: try row.textOrNull(12),
            data: try row.text(13)
        )
    }
}
