package import Canonical
package import Payments
package import Postgres

/// The conditions on a list of checkouts. Everything set must hold.
package struct CheckoutFilter: Sendable, Hashable {
    package var vendor: Vendor?
    package var status: CheckoutView.Status?
    /// The payment that was made with it.
    package var transaction: UUID128?

    package init() {}
}

/// Reads the read model `checkouts`.
package struct CheckoutQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One checkout of the tenant; nil when no event named it.
    ///
    /// - Parameter id: The digest of its token.
    package func checkout(_ id: String, of tenant: String) async throws -> CheckoutView? {
        let rows = try await pool.query(
            "SELECT view::text FROM read_checkouts.checkouts WHERE tenant = $1 AND id = $2",
            [.text(tenant), .text(id)]
        )
        return try rows.first.map(Self.view)
    }

    /// Up to `limit` checkouts after the given one, by their first events, newest first.
    package func checkouts(
        of tenant: String,
        matching filter: CheckoutFilter,
        after last: (position: Int64, id: String)? = nil,
        limit: Int
    ) async throws -> [CheckoutView] {
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("vendor =", text: filter.vendor?.rawValue)
        conditions.add("status =", text: filter.status?.rawValue)
        conditions.add("transaction =", filter.transaction.map(PostgresValue.uuid))
        if let last {
            let (position, id) = (conditions.parameter(.int64(last.position)), conditions.parameter(.text(last.id)))
            conditions.add("(first_position < \(position) OR first_position = \(position) AND id > \(id))")
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        let rows = try await pool.query(
            """
            SELECT view::text FROM read_checkouts.checkouts WHERE \(conditions.sql)
            ORDER BY first_position DESC, id LIMIT \(end)
            """,
            conditions.parameters
        )
        return try rows.map(Self.view)
    }

    private static func view(_ row: PostgresRow) throws -> CheckoutView {
        try JSONValueDecoder().decode(CheckoutView.self, from: JSONValue(parsing: row.text(0).utf8))
    }
}
