package import Canonical
import Payments
import Postgres

extension BatchQuery {
    /// The lines of a batch and of its parts after the given line, in the order of transaction and line.
    ///
    /// - Parameter position: The lines from all events up to this position; the current lines when nil.
    package func lines(
        of batch: UUID128,
        tenant: String,
        at position: Int64? = nil,
        after last: (transaction: UUID128, line: String)? = nil,
        limit: Int
    ) async throws -> [BatchLine] {
        let batches = try await whole(batch, tenant: tenant, at: position)
        // Each batch is read in the order of the index, so that a page reads only its own rows.
        let rows = try await pool.query(
            """
            SELECT m.* FROM unnest($2::uuid[]) AS s (batch) CROSS JOIN LATERAL (
                SELECT transaction, line, type, currency, amount, tip, voided, brand, evidence FROM read_batches.members
                WHERE tenant = $1 AND batch = s.batch AND ($3::uuid IS NULL OR (transaction, line) > ($3, $4)) AND
                    CASE WHEN $6::int8 IS NULL THEN until IS NULL ELSE since <= $6 AND (until IS NULL OR until > $6) END
                ORDER BY transaction, line LIMIT $5
            ) m ORDER BY m.transaction, m.line LIMIT $5
            """,
            [
                .text(tenant), .uuidArray(batches), (last?.transaction).map(PostgresValue.uuid) ?? .null,
                .text(last?.line ?? ""), .int64(Int64(limit)), position.map(PostgresValue.int64) ?? .null,
            ]
        )
        return try rows.map(Self.line)
    }

    /// A line from its columns transaction, line, type, currency, amount, tip, voided, brand, evidence.
    static func line(_ row: PostgresRow) throws -> BatchLine {
        guard let evidence = Evidence(rawValue: try row.text(8)) else { throw UnreadableRow() }
        return BatchLine(
            transaction: try row.uuid(0),
            line: try row.text(1),
            type: try row.text(2),
            amount: Money(try row.int64(4), try currency(row.text(3))),
            tip: try row.int64(5),
            voided: try row.int64(6),
            brand: try row.textOrNull(7),
            evidence: evidence
        )
    }
}
