package import Canonical
package import Payments
import Postgres

/// The batch of a vendor's account for money in no numbered batch.
package struct UnnamedBatch: Sendable, Hashable {
    package let tenant: String
    package let reference: BatchReference

    package init(tenant: String, vendor: Vendor, account: String?) {
        self.tenant = tenant
        reference = BatchReference(vendor: vendor, account: account, number: nil)
    }

    package var vendor: Vendor { reference.vendor }
    package var account: String? { reference.account }
}

/// A line of money in an unnamed batch, without its voided part.
package struct UnnamedLine: Sendable, Hashable {
    package var batch: UnnamedBatch
    package var transaction: UUID128
    package var line: String
    package var madeAt: OccurrenceTime
    /// The payment's merchant, as the read models store it.
    package var merchant: String?
}

extension BatchQuery {
    /// The unnamed batches of these tenants that were closed.
    package func closedUnnamed(of tenants: Set<String>) async throws -> Set<UnnamedBatch> {
        let rows = try await pool.query(
            """
            SELECT tenant, vendor, account FROM read_batches.batches
            WHERE tenant = ANY ($1::text[]) AND number IS NULL AND closing IS NOT NULL
            """,
            [.textArray(Array(tenants))]
        )
        return Set(try rows.map { try Self.unnamed($0) })
    }

    /// The batches of an account under other names that are not closed, and have the number of one that is.
    package func numbered(
        under names: Set<String>,
        of account: VendorAccount
    ) async throws -> [(open: BatchReference, closed: BatchReference)] {
        try await pool.query(
            """
            SELECT o.account, o.number, o.generation FROM read_batches.batches o
            JOIN read_batches.batches c ON c.tenant = o.tenant AND c.vendor = o.vendor AND c.number = o.number
                AND c.generation = o.generation AND c.account = $3 AND c.closing IS NOT NULL
            WHERE o.tenant = $1 AND o.vendor = $2 AND o.account = ANY ($4::text[]) AND o.closing IS NULL
            ORDER BY o.account COLLATE "C", o.number COLLATE "C"
            """,
            [
                .text(account.tenant), .text(account.vendor.rawValue), .text(account.name),
                .textArray(names.subtracting([account.name]).sorted()),
            ]
        ).map { row in
            let (number, generation) = (try row.text(1), Int(try row.int64(2)))
            func batch(_ name: String) -> BatchReference {
                BatchReference(vendor: account.vendor, account: name, number: number, generation: generation)
            }
            return (batch(try row.text(0)), batch(account.name))
        }
    }

    /// The open lines of a tenant's payments in unnamed batches.
    package func unnamedLines(of payments: [UUID128], tenant: String) async throws -> [UnnamedLine] {
        try await unnamedLines(tenant, "m.transaction = ANY ($2::uuid[])", [.uuidArray(payments)])
    }

    /// Up to `limit` lines of an unnamed batch after the given line, in the order of transaction and line.
    package func lines(
        of batch: UnnamedBatch,
        after last: UnnamedLine? = nil,
        limit: Int
    ) async throws -> [UnnamedLine] {
        try await unnamedLines(
            batch.tenant,
            "m.batch = $2 AND ($3::uuid IS NULL OR (m.transaction, m.line) > ($3, $4)) ORDER BY 4, 5 LIMIT $5",
            [
                .uuid(StreamName.batchID(batch.reference, of: batch.tenant)),
                .optional(last?.transaction, PostgresValue.uuid), .text(last?.line ?? ""), .int64(Int64(limit)),
            ]
        )
    }

    private func unnamedLines(
        _ tenant: String,
        _ condition: String,
        _ parameters: [PostgresValue]
    ) async throws -> [UnnamedLine] {
        let rows = try await pool.query(
            """
            SELECT b.tenant, b.vendor, b.account, m.transaction, m.line, m.occurred_at, m.local_at AT TIME ZONE 'UTC',
                m.merchant
            FROM read_batches.members m JOIN read_batches.batches b ON b.tenant = m.tenant AND b.id = m.batch
            WHERE m.tenant = $1 AND m.until IS NULL AND m.unsettled AND b.number IS NULL AND \(condition)
            """,
            [.text(tenant)] + parameters
        )
        return try rows.map { row in
            return UnnamedLine(
                batch: try Self.unnamed(row),
                transaction: try row.uuid(3),
                line: try row.text(4),
                madeAt: OccurrenceTime(
                    local: try row.timestampOrNull(6).map { LocalTime(shown: $0) },
                    instant: try row.timestamp(5)
                ),
                merchant: try row.textOrNull(7)
            )
        }
    }

    private static func unnamed(_ row: PostgresRow) throws -> UnnamedBatch {
        guard let vendor = Vendor(rawValue: try row.text(1)) else { throw UnreadableRow() }
        return UnnamedBatch(tenant: try row.text(0), vendor: vendor, account: try row.textOrNull(2))
    }
}
