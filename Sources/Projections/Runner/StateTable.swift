import Canonical
import EventLog
import Postgres

/// The folded state of each stream a projection has seen, kept in its table `states`.
struct StateTable<State: Codable & Sendable> {
    struct Key: Hashable {
        var tenant: String
        var stream: String
    }

    /// Reads the states of the streams that `events` belong to.
    static func load(
        _ events: [RecordedEvent],
        in transaction: borrowing PostgresTransaction
    ) async throws -> [Key: State] {
        let keys = Set(events.map { Key(tenant: $0.tenant, stream: $0.stream) })
        let rows = try await transaction.query(
            """
            SELECT s.tenant, s.stream, s.state::text FROM unnest($1::text[], $2::text[]) AS k (tenant, stream)
            JOIN states s USING (tenant, stream)
            """,
            [.textArray(keys.map(\.tenant)), .textArray(keys.map(\.stream))]
        )
        var states: [Key: State] = [:]
        let decoder = JSONValueDecoder()
        for row in rows {
            let json = try JSONValue(parsing: try row.text(2).utf8)
            states[Key(tenant: try row.text(0), stream: try row.text(1))] = try decoder.decode(State.self, from: json)
        }
        return states
    }

    /// Writes the states back.
    static func save(_ states: [Key: State], in transaction: borrowing PostgresTransaction) async throws {
        let encoder = JSONValueEncoder()
        let entries = Array(states)
        _ = try await transaction.execute(
            """
            INSERT INTO states (tenant, stream, state)
            SELECT * FROM unnest($1::text[], $2::text[], $3::json[])
            ON CONFLICT (tenant, stream) DO UPDATE SET state = excluded.state
            """,
            [
                .textArray(entries.map(\.key.tenant)),
                .textArray(entries.map(\.key.stream)),
                .jsonArray(try entries.map { try encoder.encode($0.value).text }),
            ]
        )
    }
}
