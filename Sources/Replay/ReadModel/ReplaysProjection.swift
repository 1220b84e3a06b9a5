import Canonical
import EventLog
import Payments
package import Postgres
package import Projections
import ReplayRules

/// The read model `replays`: plans to resubmit payments and follow-ups to gateways, their items and the items'
/// outcomes.
package struct ReplaysProjection: Projection {
    package let name = "replays"
    package let version = 1
    package let definition = EmbeddedFiles.replays_sql
    package let contents = [
        ProjectionTable("plans", key: ["tenant", "id"]), ProjectionTable("items", key: ["tenant", "plan", "number"]),
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let changes = try ReplayChanges(run)
        try await insert(changes.begun, in: transaction)
        try await insert(changes.items, in: transaction)
        try await update(changes.plans, in: transaction)
        try await note(changes.attempts, in: transaction)
        try await end(changes.ends, in: transaction)
    }

    private func insert(_ rows: [ReplayChanges.Begun], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            INSERT INTO plans (tenant, id, first_position, last_position, version, status, expires_at, items, planned_items,
                actionable, attempted, posted, declined, already_posted, moved_on, needs_person, unknown, planning)
            SELECT r.tenant, r.id, r.position, r.position, 0, CASE WHEN r.items = 0 THEN 'planned' ELSE 'drafted' END,
                r.expires_at, r.items, 0, 0, 0, 0, 0, 0, 0, 0, 0, r.planning
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::timestamptz[], $5::int8[], $6::json[])
                AS r (tenant, id, position, expires_at, items, planning)
            """,
            [
                .textArray(rows.map(\.plan.tenant)), .uuidArray(rows.map(\.plan.id)),
                .int64Array(rows.map(\.position)), .timestamptzArray(rows.map(\.planning.expiresAt)),
                .int64Array(rows.map(\.planning.items)), .jsonArray(rows.map(\.reported)),
            ]
        )
    }

    private func insert(_ rows: [ReplayChanges.Item], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            INSERT INTO items (tenant, plan, number, transaction, operation, disposition, rule, item)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                $8::json[])
            """,
            [
                .textArray(rows.map(\.plan.tenant)), .uuidArray(rows.map(\.plan.id)),
                .int64Array(rows.map(\.item.number)), .uuidArray(rows.map(\.item.transaction)),
                .textArray(rows.map(\.item.operation.rawValue)), .textArray(rows.map(\.item.disposition.rawValue)),
                .textArray(rows.map(\.item.rule)), .jsonArray(rows.map(\.reported)),
            ]
        )
    }

    private func update(_ rows: [ReplayChanges.Plan], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        func ends(_ end: ReplayItemEnd.End) -> PostgresValue { .int64Array(rows.map { $0.ends[end] ?? 0 }) }
        _ = try await transaction.execute(
            EmbeddedFiles.replayUpdate_sql,
            [
                .textArray(rows.map(\.plan.tenant)), .uuidArray(rows.map(\.plan.id)),
                .int64Array(rows.map(\.position)), .int64Array(rows.map(\.version)), .int64Array(rows.map(\.reported)),
                .int64Array(rows.map(\.actionable)), .int64Array(rows.map(\.attempted)),
                .textArray(rows.map { $0.status?.rawValue }), .jsonArray(rows.map(\.approval)),
                .timestamptzArray(rows.map(\.approvedAt)), .textArray(rows.map { $0.note?.storable }),
                ends(.posted), ends(.declined), ends(.alreadyPosted), ends(.movedOn), ends(.needsPerson),
                ends(.unknown),
            ]
        )
    }

    private func note(_ rows: [ReplayChanges.Attempt], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            UPDATE items i SET attempted = r.position, reference = r.reference
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::text[])
                AS r (tenant, plan, number, position, reference)
            WHERE i.tenant = r.tenant AND i.plan = r.plan AND i.number = r.number
            """,
            [
                .textArray(rows.map(\.plan.tenant)), .uuidArray(rows.map(\.plan.id)),
                .int64Array(rows.map(\.attempt.item)), .int64Array(rows.map(\.position)),
                .textArray(rows.map(\.attempt.reference.storable)),
            ]
        )
    }

    private func end(_ rows: [ReplayChanges.End], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            UPDATE items i SET ended = r.position, outcome = r.outcome, ended_rule = r.rule, detail = r.detail
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::text[])
                AS r (tenant, plan, number, position, outcome, rule, detail)
            WHERE i.tenant = r.tenant AND i.plan = r.plan AND i.number = r.number
            """,
            [
                .textArray(rows.map(\.plan.tenant)), .uuidArray(rows.map(\.plan.id)),
                .int64Array(rows.map(\.end.item)), .int64Array(rows.map(\.position)),
                .textArray(rows.map(\.end.end.rawValue)), .textArray(rows.map { $0.end.rule?.storable }),
                .textArray(rows.map { $0.end.detail?.storable }),
            ]
        )
    }
}
