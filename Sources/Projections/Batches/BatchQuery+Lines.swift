package import Canonical
package import Payments
import Postgres

/// When a line of money was made.
package struct BatchedLine: Sendable, Hashable {
    package var transaction: UUID128
    package var line: String
    /// With the time of its event if the line has no local time.
    package var madeAt: OccurrenceTime
    /// False for a line that is voided as a whole, or has the amount zero.
    package var hasMoney: Bool
}

extension BatchQuery {
    /// The generations of a batch's number that are not closed and have lines.
    package func openGenerations(of batch: BatchReference, tenant: String) async throws -> [Int] {
        try await pool.query(
            """
            SELECT generation FROM read_batches.batches
            WHERE tenant = $1 AND vendor = $2 AND number = $3 AND account IS NOT DISTINCT FROM $4 AND closing IS NULL
            ORDER BY generation
            """,
            [
                .text(tenant), .text(batch.vendor.rawValue), .optional(batch.number?.storable, PostgresValue.text),
                .optional(batch.account?.storable, PostgresValue.text),
            ]
        ).map { Int(try $0.int64(0)) }
    }

    /// Up to `limit` lines of a batch and of its parts after the given line, in the order of transaction and line.
    ///
    /// - Parameter end: The time of a closing. Lines that were made before it are left out, as far as both have a local
    ///   time, or neither has one.
    package func money(
        in batch: BatchReference,
        tenant: String,
        madeAfter end: OccurrenceTime? = nil,
        after last: BatchedLine? = nil,
        limit: Int
    ) async throws -> [BatchedLine] {
        let batches = try await whole(StreamName.batchID(batch, of: tenant), tenant: tenant)
        let rows = try await pool.query(
            EmbeddedFiles.batchMoney_sql,
            [
                .text(tenant), .uuidArray(batches), .optional(last?.transaction, PostgresValue.uuid),
                .text(last?.line ?? ""), .int64(Int64(limit)),
                .optional(end?.local?.asUTC, PostgresValue.timestamptz),
                .optional(end?.instant, PostgresValue.timestamptz),
            ]
        )
        return try rows.map { row in
            BatchedLine(
                transaction: try row.uuid(0),
                line: try row.text(1),
                madeAt: OccurrenceTime(
                    local: try row.timestampOrNull(3).map { LocalTime(shown: $0) },
                    instant: try row.timestamp(2)
                ),
                hasMoney: try row.bool(4)
            )
        }
    }

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
