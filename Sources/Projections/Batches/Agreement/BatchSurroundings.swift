package import Canonical
import Payments
import Postgres

/// The lines and payments of the batch's account and period that are outside the batch and may belong to it.
package struct BatchSurroundings: Sendable, Hashable {
    package var lines: [BatchLine] = []
    package var undecided: [BatchEvidence.Undecided] = []
}

extension BatchQuery {
    /// Facts of these kinds are recorded and not counted. A host may have counted them.
    private static let contestedKinds: [Anomaly.Kind] = [
        .tipNotAllowed, .voidAfterSettlement, .voidNotAllowed, .conflictingAmount,
    ]

    /// Payments in a batch that have a recorded fact that is not counted, at most 200.
    package func contested(in batch: UUID128, of tenant: String) async throws -> [UUID128] {
        let batches = try await whole(batch, tenant: tenant)
        let rows = try await pool.query(
            """
            SELECT DISTINCT m.transaction FROM read_batches.members m
            JOIN read_anomalies.anomalies a ON a.tenant = m.tenant AND a.stream = 'transaction/' || m.transaction
                AND a.cleared IS NULL AND a.kind = ANY ($3::text[])
            WHERE m.tenant = $1 AND m.batch = ANY ($2::uuid[]) AND m.until IS NULL ORDER BY m.transaction LIMIT 200
            """,
            [.text(tenant), .uuidArray(batches), .textArray(Self.contestedKinds.map(\.rawValue))]
        )
        return try rows.map { try $0.uuid(0) }
    }

    /// The most lines, and the most payments, that are read around a batch.
    private static let surroundingLimit = 2_000

    /// Lines of the batch's account in other batches, and the account's payments without any line, under all names of the
    /// account, with times from `start` to `end`. Empty for a batch that names no account.
    package func surroundings(
        of batch: BatchView,
        tenant: String,
        from start: Timestamp,
        to end: Timestamp
    ) async throws -> BatchSurroundings {
        guard let account = batch.reference.account else { return BatchSurroundings() }
        let name = VendorAccount(tenant: tenant, vendor: batch.reference.vendor, name: account)
        let names = try await MerchantQuery(pool: pool).names(ofAccountOf: name, at: .max)
        let span: [PostgresValue] = [
            .text(tenant), .text(batch.reference.vendor.rawValue), .textArray(names.sorted()), .timestamptz(start),
            .timestamptz(end), .int64(Int64(Self.surroundingLimit)),
        ]
        let own = try await whole(batch.id, tenant: tenant)
        let lines = try await pool.query(
            """
            SELECT transaction, line, type, currency, amount, tip, voided, brand, evidence FROM read_batches.members
            WHERE tenant = $1 AND occurred_at >= $4 AND occurred_at <= $5 AND until IS NULL AND vendor = $2
                AND (terminal = ANY ($3::text[]) OR merchant = ANY ($3::text[])) AND batch <> ALL ($7::uuid[])
            ORDER BY occurred_at, transaction, line LIMIT $6
            """,
            span + [.uuidArray(own)]
        )
        let payments = try await pool.query(
            EmbeddedFiles.batchSurroundings_sql,
            span
        )
        return BatchSurroundings(
            lines: try lines.map(Self.line),
            undecided: try payments.map { row in
                BatchEvidence.Undecided(
                    transaction: try row.uuid(0),
                    net: try row.int64(1),
                    isInDoubt: try row.bool(2)
                )
            }
        )
    }
}
