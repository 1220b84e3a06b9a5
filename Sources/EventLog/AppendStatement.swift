import Canonical
import Postgres

/// One call of `ledger.append`: turns items into arrays and rows into results.
struct AppendStatement {
    static let sql = """
        SELECT item, status, stream, version, first_position, event_count FROM ledger.append(
            $1::timestamptz, $2::text[], $3::text[], $4::bigint[], $5::int[], $6::bytea[], $7::bytea[], $8::int[],
            $9::text[], $10::int[], $11::uuid[], $12::text[], $13::smallint[], $14::timestamptz[], $15::text[],
            $16::text[], $17::uuid[], $18::text[])
        """

    /// The parameters of one call.
    static func parameters(_ items: [AppendItem], now: Timestamp) -> [PostgresValue] {
        let numbered = items.enumerated().map { (number: Int32($0.offset + 1), item: $0.element) }
        let keys = numbered.flatMap { entry in entry.item.idempotency.map { (entry.number, $0) } }
        let references = numbered.flatMap { entry in entry.item.references.map { (entry.number, $0) } }
        let events = numbered.flatMap { entry in entry.item.events.map { (entry.number, $0) } }
        return [
            .timestamptz(now),
            .textArray(items.map(\.tenant)),
            .textArray(items.map(\.stream)),
            .int64Array(
                items.map { item in
                    switch item.expected {
                    case .any: nil
                    case .version(let version): version
                    }
                }
            ),
            .int32Array(keys.map(\.0)),
            .byteaArray(keys.map(\.1.key)),
            .byteaArray(keys.map(\.1.request)),
            .int32Array(references.map(\.0)),
            .textArray(references.map(\.1)),
            .int32Array(events.map(\.0)),
            .uuidArray(events.map(\.1.id)),
            .textArray(events.map(\.1.type)),
            .int16Array(events.map { Int16(clamping: $0.1.schema) }),
            .timestamptzArray(events.map(\.1.occurredAt)),
            .textArray(events.map(\.1.actor)),
            .textArray(events.map(\.1.correlation)),
            .uuidArray(events.map(\.1.causation)),
            .textArray(events.map(\.1.data)),
        ]
    }

    /// The results, in the order of the items.
    ///
    /// - Throws: `PostgresError` when the answer is not one; read it before the commit.
    static func results(_ rows: PostgresRows, count: Int) throws -> [AppendResult] {
        var results: [AppendResult] = []
        results.reserveCapacity(count)
        for row in rows { results.append(try result(row)) }
        guard results.count == count else { throw PostgresError(.unexpectedRowCount) }
        return results
    }

    private static func result(_ row: PostgresRow) throws -> AppendResult {
        switch try row.text(1) {
        case "appended": return .appended(try range(row))
        case "duplicate": return .duplicate(try range(row))
        case "mismatch": return .mismatch
        case "claimed": return .claimed
        default: return .conflict(actual: try row.int64(3))
        }
    }

    private static func range(_ row: PostgresRow) throws -> AppendedRange {
        AppendedRange(
            stream: try row.text(2),
            firstPosition: try row.int64(4),
            count: Int(try row.int32(5))
        )
    }
}
