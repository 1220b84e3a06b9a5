import Canonical
import Postgres

/// The items of running plans, each leased to one worker at a time. The queue is derived from the log: missing items
/// are added again, and surplus ones turn out to have ended.
struct ReplayWorkQueue: Sendable {
    struct Claim: Sendable, Hashable {
        var item: Int64
        /// The number of times that a worker has begun the item, including this time.
        var tries: Int
    }

    /// No time in the queue is further ahead, in microseconds: an item is looked at again at least this often.
    static let mostAhead: Int64 = 15 * 60 * 1_000_000

    let pool: PostgresPool

    /// Adds the items that are missing.
    func fill(_ items: [Int64], plan: UUID128, tenant: String, at now: Timestamp) async throws {
        try await pool.execute(
            """
            INSERT INTO replay.queue (tenant, plan, item, not_before)
            SELECT $1, $2, i, $4 FROM unnest($3::int8[]) AS i
            ON CONFLICT DO NOTHING
            """,
            [.text(tenant), .uuid(plan), .int64Array(items), .timestamptz(now)]
        )
    }

    func isEmpty(_ plan: UUID128, tenant: String) async throws -> Bool {
        try await pool.query(
            "SELECT 1 FROM replay.queue WHERE tenant = $1 AND plan = $2 LIMIT 1",
            [.text(tenant), .uuid(plan)]
        ).isEmpty
    }

    static let claiming = EmbeddedFiles.replayClaim_sql

    /// Leases up to `limit` items without a lease.
    ///
    /// - Parameter only: The items to choose from; nil for any.
    func claim(
        _ plan: UUID128,
        tenant: String,
        only: [Int64]?,
        limit: Int,
        lease: UUID128,
        at now: Timestamp,
        until: Timestamp
    ) async throws -> [Claim] {
        try await pool.query(
            Self.claiming,
            [
                .text(tenant), .uuid(plan), .int64(Int64(limit)), .uuid(lease), .timestamptz(now), .timestamptz(until),
                only.map(PostgresValue.int64Array) ?? .null, .timestamptz(now.adding(microseconds: Self.mostAhead)),
            ]
        ).map { Claim(item: try $0.int64(0), tries: Int(try $0.int32(1))) }
    }

    /// Extends the lease.
    func renew(_ plan: UUID128, tenant: String, lease: UUID128, until: Timestamp) async throws {
        try await pool.execute(
            "UPDATE replay.queue SET leased_until = $4 WHERE tenant = $1 AND plan = $2 AND lease = $3",
            [.text(tenant), .uuid(plan), .uuid(lease), .timestamptz(until)]
        )
    }

    /// Removes items that have ended, regardless of their lease.
    func remove(_ items: [Int64], plan: UUID128, tenant: String) async throws {
        guard !items.isEmpty else { return }
        try await pool.execute(
            "DELETE FROM replay.queue WHERE tenant = $1 AND plan = $2 AND item = ANY ($3::int8[])",
            [.text(tenant), .uuid(plan), .int64Array(items)]
        )
    }

    /// Removes all items of a plan.
    func clear(_ plan: UUID128, tenant: String) async throws {
        try await pool.execute(
            "DELETE FROM replay.queue WHERE tenant = $1 AND plan = $2",
            [.text(tenant), .uuid(plan)]
        )
    }

    /// Removes the remaining items of plans that have ended. Of a stopped plan, items that were not begun are
    /// removed.
    func purge() async throws {
        try await pool.execute(
            """
            DELETE FROM replay.queue q USING read_replays.plans p
            WHERE p.tenant = q.tenant AND p.id = q.plan AND p.status NOT IN ('running', 'paused')
                AND NOT EXISTS (
                    SELECT FROM read_replays.items i WHERE i.tenant = q.tenant AND i.plan = q.plan
                        AND i.number = q.item AND i.attempted IS NOT NULL AND i.ended IS NULL
                )
            """,
            []
        )
    }

    /// Releases items, each to be executed again at its time.
    func putOff(
        _ items: [(item: Int64, until: Timestamp)],
        plan: UUID128,
        tenant: String,
        lease: UUID128,
        at now: Timestamp
    ) async throws {
        guard !items.isEmpty else { return }
        let latest = now.adding(microseconds: Self.mostAhead)
        try await pool.execute(
            """
            UPDATE replay.queue q SET lease = NULL, leased_until = NULL, not_before = r.until
            FROM unnest($3::int8[], $4::timestamptz[]) AS r (item, until)
            WHERE q.tenant = $1 AND q.plan = $2 AND q.item = r.item AND q.lease = $5
            """,
            [
                .text(tenant), .uuid(plan), .int64Array(items.map(\.item)),
                .timestamptzArray(items.map { min($0.until, latest) }), .uuid(lease),
            ]
        )
    }
}
