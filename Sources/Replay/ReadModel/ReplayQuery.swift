package import Canonical
import Payments
package import Postgres
import Projections
package import ReplayRules

/// A plan, read from the read model.
package struct ReplayView: Sendable, Hashable {
    package var id: UUID128
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var version: Int64
    package var status: ReplayStatus
    package var expiresAt: Timestamp
    package var items: Int64
    /// The number of items to be attempted.
    package var actionable: Int64
    package var attempted: Int64
    /// The number of items by the way they ended.
    package var ends: [ReplayItemEnd.End: Int64]
    /// The data of `ReplayPlanned`.
    package var planning: String
    /// The data of `ReplayApproved`.
    package var approval: String?
    package var approvedAt: Timestamp?
    /// The newest reason.
    package var note: String?
}

/// An item of a plan, with the current status of its payment.
package struct ReplayItemView: Sendable, Hashable {
    package var number: Int64
    /// The item as it was planned, as JSON.
    package var reported: String
    package var reference: String?
    package var attempted: Int64?
    package var ended: Int64?
    package var outcome: ReplayItemEnd.End?
    package var rule: String?
    package var detail: String?
    package var paymentStatus: String?
    /// The current version of the payment's stream. It differs from the judged version when the payment has newer
    /// events.
    package var paymentVersion: Int64?
    package var isInDoubt: Bool
}

/// The conditions on a list of plans. Everything set must hold.
package struct ReplayFilter: Sendable, Hashable {
    package var status: ReplayStatus?
    /// Only plans with an item about this payment.
    package var transaction: UUID128?

    package init() {}
}

/// The conditions on a list of items. Everything set must hold.
package struct ReplayItemFilter: Sendable, Hashable {
    package var disposition: Disposition.Name?
    package var operation: ReplayOperation?
    package var outcome: ReplayItemEnd.End?
    package var rule: String?
    package var transaction: UUID128?
    /// Only items that are to be attempted and have not ended, or only the others.
    package var isOpen: Bool?

    package init() {}
}

/// Reads the read model `replays`.
package struct ReplayQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let source = """
        SELECT p.id, p.first_position, p.last_position, p.version, p.status, p.expires_at, p.items, p.actionable,
            p.attempted, p.posted, p.declined, p.already_posted, p.moved_on, p.needs_person, p.unknown, p.planning,
            p.approval, p.approved_at, p.note
        FROM read_replays.plans p
        """

    /// One plan of the tenant; nil when there is none.
    package func plan(_ id: UUID128, of tenant: String) async throws -> ReplayView? {
        let rows = try await pool.query("\(Self.source) WHERE p.tenant = $1 AND p.id = $2", [.text(tenant), .uuid(id)])
        return try rows.first.map(ReplayView.init)
    }

    /// Up to `limit` plans, newest first, before the given position.
    package func plans(
        of tenant: String,
        matching filter: ReplayFilter = ReplayFilter(),
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [ReplayView] {
        var conditions = QueryConditions(
            ["p.tenant = $1", "p.first_position < $2"],
            [.text(tenant), .int64(position)]
        )
        conditions.add("p.status =", text: filter.status?.rawValue)
        if let transaction = filter.transaction {
            let id = conditions.parameter(.uuid(transaction))
            conditions.add(
                "p.id IN (SELECT i.plan FROM read_replays.items i WHERE i.tenant = $1 AND i.transaction = \(id))"
            )
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        let rows = try await pool.query(
            "\(Self.source) WHERE \(conditions.sql) ORDER BY p.first_position DESC LIMIT \(end)",
            conditions.parameters
        )
        return try rows.map(ReplayView.init)
    }

    /// Up to `limit` items of a plan, by number, after the given one.
    package func items(
        of plan: UUID128,
        tenant: String,
        matching filter: ReplayItemFilter = ReplayItemFilter(),
        after number: Int64 = 0,
        limit: Int
    ) async throws -> [ReplayItemView] {
        var conditions = QueryConditions(
            ["i.tenant = $1", "i.plan = $2", "i.number > $3"],
            [.text(tenant), .uuid(plan), .int64(number)]
        )
        conditions.add("i.disposition =", text: filter.disposition?.rawValue)
        conditions.add("i.operation =", text: filter.operation?.rawValue)
        conditions.add("i.outcome =", text: filter.outcome?.rawValue)
        conditions.add("i.rule =", text: filter.rule)
        conditions.add("i.transaction =", filter.transaction.map(PostgresValue.uuid))
        if let isOpen = filter.isOpen {
            let open = "(i.disposition = 'resubmit' AND i.outcome IS NULL)"
            conditions.add(isOpen ? open : "NOT \(open)")
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        let rows = try await pool.query(
            """
            SELECT i.number, i.item, i.reference, i.attempted, i.ended, i.outcome, i.ended_rule, i.detail, t.status,
                coalesce(t.in_doubt, false), t.version
            FROM read_replays.items i
            LEFT JOIN \(PaymentRelations.payments) t ON t.tenant = i.tenant AND t.id = i.transaction
            WHERE \(conditions.sql) ORDER BY i.number LIMIT \(end)
            """,
            conditions.parameters
        )
        return try rows.map(ReplayItemView.init)
    }

    /// The number of payments that the plan would resubmit and that have newer events than were judged, according to
    /// the read models. A plan with such payments cannot be approved.
    package func movedOn(in plan: UUID128, of tenant: String) async throws -> Int64 {
        let rows = try await pool.query(
            """
            SELECT count(*) FROM read_replays.items i
            LEFT JOIN \(PaymentRelations.payments) t ON t.tenant = i.tenant AND t.id = i.transaction
            WHERE i.tenant = $1 AND i.plan = $2 AND i.disposition = 'resubmit'
                AND t.version IS DISTINCT FROM (i.item ->> 'version')::bigint
            """,
            [.text(tenant), .uuid(plan)]
        )
        return try rows.first?.int64(0) ?? 0
    }

    /// The totals to be resubmitted by plans that were approved by policy, without another user, since a time.
    package func approvedByPolicy(of tenant: String, since: Timestamp) async throws -> [ReplayTotal] {
        try await pool.query(
            """
            SELECT planning -> 'totals' FROM read_replays.plans
            WHERE tenant = $1 AND approved_at > $2 AND (approval ->> 'byPolicy')::boolean
            """,
            [.text(tenant), .timestamptz(since)]
        ).flatMap { row in
            try JSONValueDecoder().decode([ReplayTotal].self, from: try JSONValue(parsing: Array(row.text(0).utf8)))
        }.filter { $0.disposition == .resubmit }
    }

    /// The plans that an executor may have to work on: running plans, and plans with attempts that have not ended.
    package func atWork() async throws -> [(tenant: String, id: UUID128)] {
        try await pool.query(
            """
            SELECT tenant, id FROM read_replays.plans
            WHERE status IN ('running', 'paused', 'stopped') AND (status = 'running'
                OR attempted > 0 AND EXISTS (SELECT FROM read_replays.items i WHERE i.tenant = plans.tenant
                    AND i.plan = plans.id AND i.attempted IS NOT NULL AND i.ended IS NULL))
            ORDER BY first_position
            """,
            []
        ).map { (try $0.text(0), try $0.uuid(1)) }
    }
}

extension ReplayView {
    fileprivate init(_ row: PostgresRow) throws {
        guard let status = ReplayStatus(rawValue: try row.text(4)) else { throw UnreadableRow() }
        id = try row.uuid(0)
        firstPosition = try row.int64(1)
        lastPosition = try row.int64(2)
        version = try row.int64(3)
        self.status = status
        expiresAt = try row.timestamp(5)
        items = try row.int64(6)
        actionable = try row.int64(7)
        attempted = try row.int64(8)
        let order: [ReplayItemEnd.End] = [.posted, .declined, .alreadyPosted, .movedOn, .needsPerson, .unknown]
        var ends: [ReplayItemEnd.End: Int64] = [:]
        for (index, end) in order.enumerated() {
            let count = try row.int64(9 + index)
            if count > 0 { ends[end] = count }
        }
        self.ends = ends
        planning = try row.text(15)
        approval = try row.textOrNull(16)
        approvedAt = try row.valueOrNull(17, as: Timestamp.self)
        note = try row.textOrNull(18)
    }
}

extension ReplayItemView {
    fileprivate init(_ row: PostgresRow) throws {
        number = try row.int64(0)
        reported = try row.text(1)
        reference = try row.textOrNull(2)
        attempted = try row.int64OrNull(3)
        ended = try row.int64OrNull(4)
        outcome = try row.textOrNull(5).flatMap(ReplayItemEnd.End.init)
        rule = try row.textOrNull(6)
        detail = try row.textOrNull(7)
        paymentStatus = try row.textOrNull(8)
        isInDoubt = try row.bool(9)
        paymentVersion = try row.int64OrNull(10)
    }
}
