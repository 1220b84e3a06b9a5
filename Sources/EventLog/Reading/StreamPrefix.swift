import Canonical
import Postgres

/// The first events of a stream.
package struct StreamPrefix: Sendable, Hashable {
    package let tenant: String
    package let stream: String
    /// The number of events; at least one.
    package let count: Int64

    package init(tenant: String, stream: String, count: Int64) {
        self.tenant = tenant
        self.stream = stream
        self.count = count
    }

    /// Reads each stream from its first position, so that no older partition is touched.
    static let sql = """
        SELECT k.number, \(EventReader.columns.split(separator: ", ").map { "e.\($0)" }.joined(separator: ", "))
        FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS k (tenant, stream, count, number)
        JOIN ledger.streams s ON s.tenant = k.tenant AND s.stream = k.stream
        CROSS JOIN LATERAL (
            SELECT * FROM ledger.events e
            WHERE e.tenant = k.tenant AND e.stream = k.stream AND e.version <= k.count
                AND e.position >= s.first_position
            ORDER BY e.version
        ) e
        ORDER BY k.number, e.version
        """
}

extension EventReader {
    /// The first events of streams, by prefix. Events that the log does not hold are missing from the result.
    package func prefixes(_ prefixes: [StreamPrefix]) async throws -> [StreamPrefix: [RecordedEvent]] {
        var found: [StreamPrefix: [RecordedEvent]] = [:]
        // In pieces: a run may concern hundreds of streams, and each may be long.
        var rest = prefixes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(64))
            rest = rest.dropFirst(64)
            let rows = try await pool.query(
                StreamPrefix.sql,
                [
                    .textArray(piece.map(\.tenant)), .textArray(piece.map(\.stream)), .int64Array(piece.map(\.count)),
                ]
            )
            for row in rows {
                found[piece[Int(try row.int64(0)) - 1], default: []].append(try RecordedEvent(row, from: 1))
            }
            for prefix in piece where found[prefix].map({ Int64($0.count) != prefix.count }) ?? true {
                // The stream's beginning is in an archive.
                found[prefix] = try await stream(prefix.stream, of: prefix.tenant, limit: Int(prefix.count))
            }
        }
        return found
    }
}
