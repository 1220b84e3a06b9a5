package import Canonical
import Payments
import Postgres
import Projections

/// The conditions on a list of closed days. Everything set must hold.
package struct PeriodFilter: Sendable, Hashable {
    package enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        case closed, reopened
    }

    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    package var otherMerchants: [String] = []
    package var status: Status?
    /// The first and last day.
    package var from: CivilDate?
    package var to: CivilDate?

    package init() {}
}

/// A merchant's business day that was closed, and perhaps reopened.
package struct PeriodView: Sendable, Hashable {
    package var id: UUID128
    package var merchant: String
    package var day: String
    /// `closed` or `reopened`.
    package var status: String
    /// The position at which it was first closed.
    package var firstPosition: Int64
    package var lastPosition: Int64
    /// The time, actor and reason of the closing or reopening.
    package var at: Timestamp
    package var by: String
    package var reason: String
    /// The state recorded at the newest closing: a `PeriodClosing`, as JSON.
    package var reported: String
}

extension ReconciliationQuery {
    private static let periods = """
        SELECT id, merchant, day::text, status, first, position, at, actor, reason, details FROM read_reconciliation.periods
        """

    /// The condition on the newest step at a position; without a position, on the current step.
    private static func holds(at position: String?) -> String {
        position.map { "position <= \($0) AND (until IS NULL OR until > \($0))" } ?? "until IS NULL"
    }

    /// One closed day of the tenant; nil when there is none.
    ///
    /// - Parameter position: The position up to which events count; nil for the current state.
    package func period(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> PeriodView? {
        try await pool.query(
            "\(Self.periods) WHERE tenant = $1 AND id = $2 AND \(Self.holds(at: position == nil ? nil : "$3"))",
            [.text(tenant), .uuid(id)] + (position.map { [.int64($0)] } ?? [])
        ).first.map(PeriodView.init)
    }

    /// Up to `limit` days by the position of their first closing, newest first.
    ///
    /// - Parameters:
    ///   - position: The position up to which events count; nil for the current state.
    ///   - first: Only days first closed before this position.
    package func periods(
        of tenant: String,
        matching filter: PeriodFilter = .init(),
        at position: Int64? = nil,
        before first: Int64 = .max,
        limit: Int
    ) async throws -> [PeriodView] {
        var filter = filter
        let merchants = MerchantQuery(pool: pool)
        filter.otherMerchants = try await merchants.others(of: filter.merchant, tenant: tenant, at: position)
        let (sql, parameters) = Self.search(tenant, filter, at: position, before: first, limit)
        return try await pool.query(sql, parameters).map(PeriodView.init)
    }

    static func search(
        _ tenant: String,
        _ filter: PeriodFilter,
        at position: Int64? = nil,
        before first: Int64,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["tenant = $1", "first < $2"], [.text(tenant), .int64(first)])
        conditions.add(holds(at: position.map { conditions.parameter(.int64($0)) }))
        conditions.add("merchant", merchant: filter.merchant, filter.otherMerchants)
        conditions.add("status =", text: filter.status?.rawValue)
        conditions.add("day >=", text: filter.from?.description, as: "::text::date")
        conditions.add("day <=", text: filter.to?.description, as: "::text::date")
        let sql = """
            \(periods) WHERE \(conditions.sql) ORDER BY first DESC LIMIT \(conditions.parameter(.int64(Int64(limit))))
            """
        return (sql, conditions.parameters)
    }
}

extension PeriodView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.uuid(0),
            merchant: try row.text(1),
            day: try row.text(2),
            status: try row.text(3),
            firstPosition: try row.int64(4),
            lastPosition: try row.int64(5),
            at: try row.timestamp(6),
            by: try row.text(7),
            reason: try row.text(8),
            reported: try row.text(9)
        )
    }
}
