import Canonical
package import Payments
package import Postgres

/// Reads the read model `readers`.
package struct ReaderQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One reader of the tenant, under any of its names; nil when no event named it.
    package func reader(_ reader: ReaderReference, of tenant: String) async throws -> ReaderView? {
        let named = StreamName.named(reader)
        let rows = try await pool.query(
            """
            SELECT r.view::text FROM read_readers.readers r WHERE r.tenant = $1 AND r.vendor = $2 AND r.serial = coalesce(
                (SELECT n.serial FROM read_readers.names n WHERE n.tenant = $1 AND n.vendor = $2 AND n.name = $3), $3)
            """,
            [.text(tenant), .text(named.vendor.rawValue), .text(named.serial)]
        )
        return try rows.first.map(Self.view)
    }

    /// Up to `limit` readers after the given one, by their first events, newest first.
    package func readers(
        of tenant: String,
        matching filter: ReaderFilter = .init(),
        after last: (position: Int64, reader: ReaderReference)? = nil,
        limit: Int
    ) async throws -> [ReaderView] {
        var conditions = QueryConditions(["r.tenant = $1"], [.text(tenant)])
        filter.add(to: &conditions)
        if let last {
            let position = conditions.parameter(.int64(last.position))
            let vendor = conditions.parameter(.text(last.reader.vendor.rawValue))
            let name = "\(vendor), \(conditions.parameter(.text(last.reader.serial)))"
            conditions.add(
                "(r.first_position < \(position) OR r.first_position = \(position) AND (r.vendor, r.serial) > (\(name)))"
            )
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        let rows = try await pool.query(
            """
            SELECT r.view::text FROM read_readers.readers r WHERE \(conditions.sql)
            ORDER BY r.first_position DESC, r.vendor, r.serial LIMIT \(end)
            """,
            conditions.parameters
        )
        return try rows.map(Self.view)
    }

    private static func view(_ row: PostgresRow) throws -> ReaderView {
        try JSONValueDecoder().decode(ReaderView.self, from: JSONValue(parsing: row.text(0).utf8))
    }
}
