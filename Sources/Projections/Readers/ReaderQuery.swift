package import Canonical
package import EventLog
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

    /// The names that lead to a reader, as the names of streams contain them; its own first.
    package func names(of view: ReaderView, tenant: String) async throws -> [String] {
        let named = StreamName.named(view.reader)
        let rows = try await pool.query(
            "SELECT name FROM read_readers.names WHERE tenant = $1 AND vendor = $2 AND serial = $3 ORDER BY name",
            [.text(tenant), .text(named.vendor.rawValue), .text(named.serial)]
        )
        return [named.serial] + (try rows.map { try $0.text(0) }).filter { $0 != named.serial }
    }

    /// Up to `limit` payments whose last report was by a reader, as prefixes of their streams.
    ///
    /// - Parameters:
    ///   - names: The reader's names, as the names of streams contain them.
    ///   - position: Only payments with a later event.
    ///   - time: Only payments whose first event was recorded before this time; nil for no end.
    package func payments(
        at view: ReaderView,
        names: [String],
        of tenant: String,
        changedAfter position: Int64,
        begunBefore time: Timestamp?,
        limit: Int
    ) async throws -> [StreamPrefix] {
        // The names as reported are for the index.
        let reported = [view.reader.serial] + view.names.map(\.value)
        let rows = try await pool.query(
            """
            SELECT id, version FROM read_transactions.transactions
            WHERE tenant = $1 AND reader = ANY ($2) AND reader_vendor = $3 AND reader_name = ANY ($4)
                AND last_position > $5 AND recorded_at < $6 ORDER BY first_position LIMIT $7
            """,
            [
                .text(tenant), .textArray(reported.map(\.storable)), .text(view.reader.vendor.rawValue),
                .textArray(names), .int64(position), .timestamptz(time ?? .latest), .int64(Int64(limit)),
            ]
        )
        return try rows.map { row in
            StreamPrefix(tenant: tenant, stream: StreamName.transaction(try row.uuid(0)), count: try row.int64(1))
        }
    }

    private static func view(_ row: PostgresRow) throws -> ReaderView {
        try JSONValueDecoder().decode(ReaderView.self, from: JSONValue(parsing: row.text(0).utf8))
    }
}
