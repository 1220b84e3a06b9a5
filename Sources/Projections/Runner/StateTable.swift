import Canonical
import EventLog
import Postgres

/// The folded state of each stream a projection has seen, kept in its table `states`.
struct StateTable<State: Codable & Sendable> {
    struct Key: Hashable {
        var tenant: String
        var stream: String
    }

    struct Entry {
        var state: State
        /// Of the stream's first event, whichever run of events that came in.
        var firstPosition: Int64
        var firstOccurredAt: Timestamp
    }

    /// Reads the states of the streams that `events` belong to.
    static func load(
        _ events: [RecordedEvent],
        in transaction: borrowing PostgresTransaction
    ) async throws -> [Key: Entry] {
        let keys = Set(events.map { Key(tenant: $0.tenant, stream: $0.stream) })
        let rows = try await transaction.query(
            """
            SELECT s.tenant, s.stream, s.state::text, s.first_position, s.first_occurred_at
            FROM unnest($1::text[], $2::text[]) AS k (tenant, stream) JOIN states s USING (tenant, stream)
            """,
            [.textArray(keys.map(\.tenant)), .textArray(keys.map(\.stream))]
        )
        var entries: [Key: Entry] = [:]
        let decoder = JSONValueDecoder()
        for row in rows {
            let json = try JSONValue(parsing: try row.text(2).utf8)
            entries[Key(tenant: try row.text(0), stream: try row.text(1))] = Entry(
                state: try decoder.decode(State.self, from: json),
                firstPosition: try row.int64(3),
                firstOccurredAt: try row.timestamp(4)
            )
        }
        return entries
    }

    /// Writes the states back.
    static func save(_ entries: [Key: Entry], in transaction: borrowing PostgresTransaction) async throws {
        let encoder = JSONValueEncoder()
        let entries = Array(entries)
        _ = try await transaction.execute(
            """
            INSERT INTO states (tenant, stream, state, first_position, first_occurred_at)
            SELECT * FROM unnest($1::text[], $2::text[], $3::json[], $4::int8[], $5::timestamptz[])
            ON CONFLICT (tenant, stream) DO UPDATE SET state = excluded.state
            """,
            [
                .textArray(entries.map(\.key.tenant)),
                .textArray(entries.map(\.key.stream)),
                .jsonArray(try entries.map { try encoder.encode($0.value.state).text }),
                .int64Array(entries.map(\.value.firstPosition)),
                .timestamptzArray(entries.map(\.value.firstOccurredAt)),
            ]
        )
    }
}
