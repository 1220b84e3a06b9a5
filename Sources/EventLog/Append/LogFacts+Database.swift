import Canonical
import Merkle
import Postgres

extension LogFacts {
    /// Reads what the log holds of everything the items name, under the head lock, so that it stays true until the
    /// transaction ends.
    init(about items: [AppendItem], in transaction: borrowing PostgresTransaction) async throws {
        self.init(areComplete: true)
        try await readVersions(items, in: transaction)
        try await readKeys(items, in: transaction)
        try await readOwners(items, in: transaction)
    }

    private mutating func readVersions(
        _ items: [AppendItem],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT s.tenant, s.stream, s.version FROM unnest($1::text[], $2::text[]) AS i (tenant, stream)
            CROSS JOIN LATERAL (
                SELECT * FROM ledger.streams s WHERE s.tenant = i.tenant AND s.stream = i.stream OFFSET 0
            ) s
            """,
            [.textArray(items.map(\.tenant)), .textArray(items.map(\.stream))]
        )
        for row in rows {
            versions[TenantName(tenant: try row.text(0), name: try row.text(1))] = try row.int64(2)
        }
    }

    private mutating func readKeys(_ items: [AppendItem], in transaction: borrowing PostgresTransaction) async throws {
        let keys = items.flatMap { item in item.idempotency.map { Claims.scoped($0.key, to: item.tenant) } }
        guard !keys.isEmpty else { return }
        let rows = try await transaction.query(
            "SELECT key, request, position, events FROM ledger.idempotency WHERE key = ANY($1::uuid[])",
            [.uuidArray(keys)]
        )
        for row in rows {
            let range = AppendedRange(firstPosition: try row.int64(2), count: Int(try row.int32(3)))
            held[try row.uuid(0)] = HeldKey(request: try row.bytes(1), range: range)
        }
    }

    private mutating func readOwners(
        _ items: [AppendItem],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let names = items.flatMap { item in item.references.map { TenantName(tenant: item.tenant, name: $0) } }
        guard !names.isEmpty else { return }
        // OFFSET 0 forces every lookup to use the index; as one join, a batch might read the whole table.
        let rows = try await transaction.query(
            """
            SELECT k.tenant, k.key, k.stream FROM unnest($1::text[], $2::text[]) AS i (tenant, key)
            CROSS JOIN LATERAL (
                SELECT * FROM ledger.reference_keys k WHERE k.tenant = i.tenant AND k.key = i.key OFFSET 0
            ) k
            """,
            [.textArray(names.map(\.tenant)), .textArray(names.map(\.name))]
        )
        for row in rows {
            owners[TenantName(tenant: try row.text(0), name: try row.text(1))] = try row.text(2)
        }
    }
}

extension BatchDraft {
    /// Whether the batch is in the log. The answer is final under the head lock: a backend that may still be committing
    /// the batch holds the lock until it is done, and one that has not begun yet will find that the log no longer ends
    /// at `base`.
    func isCommitted(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        guard let firstID, let firstLeaf else { return false }
        // The leaf also proves it, in case the event was archived meanwhile.
        let rows = try await transaction.query(
            """
            SELECT FROM ledger.events WHERE position = $1 AND id = $2
            UNION ALL
            SELECT FROM ledger.tiles
            WHERE level = 0 AND index = ($1 - 1) / 256 AND substr(hashes, (($1 - 1) % 256 * 32 + 1)::int, 32) = $3
            """,
            [.int64(base.position + 1), .uuid(firstID), .bytea(firstLeaf.bytes)]
        )
        return !rows.isEmpty
    }
}
