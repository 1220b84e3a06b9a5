import Canonical
package import Payments
import Postgres

// Batches that are part of the batch of their account.
extension BatchQuery {
    /// The condition that a batch is part of another one; null or false if not.
    ///
    /// - Parameters:
    ///   - row: A row of `batches`.
    ///   - position: The parameter with the position at which it is; nil for the current state.
    static func isPart(_ row: String, at position: String?) -> String {
        guard let position else { return "(\(row).part_of IS NOT NULL AND \(row).part_until IS NULL)" }
        return "(\(row).part_since <= \(position) AND coalesce(\(row).part_until > \(position), true))"
    }

    /// The batches that are part of each of these.
    ///
    /// - Parameter position: The position at which they are; nil for the current state.
    func parts(
        of batches: [UUID128],
        tenant: String,
        at position: Int64? = nil
    ) async throws -> [UUID128: [UUID128]] {
        let rows = try await pool.query(
            """
            SELECT p.part_of, p.id FROM read_batches.batches p
            WHERE p.tenant = $1 AND p.part_of = ANY ($2::uuid[]) AND \(Self.isPart("p", at: position.map { _ in "$3" }))
            ORDER BY p.id
            """,
            [.text(tenant), .uuidArray(batches)] + (position.map { [.int64($0)] } ?? [])
        )
        var parts: [UUID128: [UUID128]] = [:]
        for row in rows { parts[try row.uuid(0), default: []].append(try row.uuid(1)) }
        return parts
    }

    /// A batch and the batches that are part of it.
    func whole(_ batch: UUID128, tenant: String, at position: Int64? = nil) async throws -> [UUID128] {
        [batch] + (try await parts(of: [batch], tenant: tenant, at: position)[batch] ?? [])
    }
}

// What links batches to those of their accounts.
extension BatchQuery {
    /// Batches of which documents report only payments, and which are no part and have none.
    private static let canBePart = """
        b.status = 'open' AND NOT b.requested AND b.part_of IS NULL AND NOT EXISTS (
            SELECT FROM read_batches.batches p WHERE p.tenant = b.tenant AND p.part_of = b.id AND p.part_until IS NULL)
        """

    /// The batches of an account first named after `start`, up to `end`, that documents name together with another
    /// account and that may be part of its batch.
    package func separate(
        of tenants: Set<String>,
        after start: Int64,
        upTo end: Int64
    ) async throws -> [(tenant: String, batch: BatchReference, first: Int64)] {
        try await pool.query(
            """
            SELECT b.tenant, b.vendor, b.account, b.number, b.generation, b.first_position FROM read_batches.batches b
            WHERE b.tenant = ANY ($1::text[]) AND b.first_position > $2 AND b.first_position <= $3
                AND \(Self.canBePart) AND EXISTS (
                    SELECT FROM read_merchants.linked_names l WHERE l.tenant = b.tenant AND l.vendor = b.vendor
                        AND (l.name = b.account COLLATE "C" AND l.owner_role = 'account' AND l.owner <> l.name
                            OR l.owner = b.account COLLATE "C" AND l.role = 'account' AND l.owner <> l.name))
            ORDER BY b.first_position, b.id
            """,
            [.textArray(tenants.sorted()), .int64(start), .int64(end)]
        ).map { (tenant: try $0.text(0), batch: try Self.reference($0, from: 1), first: try $0.int64(5)) }
    }

    /// The batches under the other names of an account that may be part of its batches.
    package func separate(under names: Set<String>, of account: VendorAccount) async throws -> [BatchReference] {
        try await pool.query(
            """
            SELECT b.vendor, b.account, b.number, b.generation FROM read_batches.batches b
            WHERE b.tenant = $1 AND b.vendor = $2 AND b.account = ANY ($3::text[]) AND \(Self.canBePart)
            ORDER BY b.first_position, b.id
            """,
            [
                .text(account.tenant), .text(account.vendor.rawValue),
                .textArray(names.subtracting([account.name]).sorted()),
            ]
        ).map { try Self.reference($0, from: 0) }
    }

    /// The batches of these tenants that are part of another one, and whose name events after `start`, up to `end`, have
    /// linked to an account.
    package func parts(
        of tenants: Set<String>,
        linkedAfter start: Int64,
        upTo end: Int64
    ) async throws -> [(tenant: String, batch: BatchReference)] {
        try await pool.query(
            """
            SELECT b.tenant, b.vendor, b.account, b.number, b.generation FROM read_batches.batches b
            WHERE b.tenant = ANY ($1::text[]) AND b.part_of IS NOT NULL AND b.part_until IS NULL AND EXISTS (
                SELECT FROM read_merchants.linked_names l WHERE l.since > $2 AND l.since <= $3
                    AND l.tenant = b.tenant AND l.vendor = b.vendor AND b.account COLLATE "C" IN (l.name, l.owner))
            ORDER BY b.first_position, b.id
            """,
            [.textArray(tenants.sorted()), .int64(start), .int64(end)]
        ).map { (tenant: try $0.text(0), batch: try Self.reference($0, from: 1)) }
    }

    /// The merchants of a batch's lines.
    package func merchants(of batch: BatchReference, tenant: String) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            SELECT DISTINCT merchant FROM read_batches.members
            WHERE tenant = $1 AND batch = $2 AND until IS NULL AND merchant IS NOT NULL
            """,
            [.text(tenant), .uuid(StreamName.batchID(batch, of: tenant))]
        )
        return Set(try rows.map { try $0.text(0) })
    }

    private static func reference(_ row: PostgresRow, from first: Int) throws -> BatchReference {
        guard let vendor = Vendor(rawValue: try row.text(first)) else { throw UnreadableRow() }
        return BatchReference(
            vendor: vendor,
            account: try row.textOrNull(first + 1),
            number: try row.textOrNull(first + 2),
            generation: Int(try row.int64(first + 3))
        )
    }
}
