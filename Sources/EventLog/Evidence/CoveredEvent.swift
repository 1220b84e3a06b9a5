import Postgres

/// An event, and the first checkpoint that covers it; nil while none does.
package struct CoveredEvent: Sendable, Hashable {
    package var event: RecordedEvent
    package var checkpoint: StoredCheckpoint?

    init(event: RecordedEvent, checkpoint: StoredCheckpoint?) {
        self.event = event
        self.checkpoint = checkpoint
    }

    private init(_ row: PostgresRow) throws {
        event = try RecordedEvent(row)
        checkpoint = try row.isNull(Self.checkpoint) ? nil : StoredCheckpoint(row, from: Self.checkpoint)
    }

    /// The index of the first column of the checkpoint, after `EventReader.columns`.
    private static let checkpoint = 14

    /// The events of the tables at these positions. A row that cannot be read spoils no other.
    static func read(
        _ positions: [Int64],
        _ pool: PostgresPool
    ) async throws -> [Int64: Result<CoveredEvent, any Error>] {
        var events: [Int64: Result<CoveredEvent, any Error>] = [:]
        for row in try await pool.query(statement, [.int64Array(positions)]) {
            events[try row.int64(0)] = Result { try CoveredEvent(row) }
        }
        return events
    }

    // The subquery keeps the number of positions out of the plan, so that each connection soon keeps the plan.
    static let statement = """
        SELECT e.*, c.* FROM unnest((SELECT $1::int8[])) k (wanted), LATERAL (
            SELECT \(EventReader.columns) FROM ledger.events WHERE position = k.wanted LIMIT 1
        ) e LEFT JOIN LATERAL (
            SELECT size, root, note, signed_at FROM ledger.checkpoints WHERE size >= k.wanted ORDER BY size LIMIT 1
        ) c ON true
        """
}
