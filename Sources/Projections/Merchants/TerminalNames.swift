import Postgres

/// The names of a tenant's terminals in payments, as the read models store names.
package struct TerminalNames: Sendable {
    package private(set) var all: [String] = []
    /// Those that no payment named at the earlier position.
    package private(set) var new: [String] = []

    package init() {}

    fileprivate init(_ rows: PostgresRows, since earlier: Int64) throws {
        for row in rows {
            let name = try row.text(0)
            all.append(name)
            if try row.int64(1) > earlier { new.append(name) }
        }
    }
}

extension MerchantQuery {
    /// The names of the terminals in payments.
    ///
    /// - Parameters:
    ///   - position: The position up to which payments count.
    ///   - earlier: The position since which new names are found.
    package func terminals(of tenant: String, at position: Int64, since earlier: Int64) async throws -> TerminalNames {
        let rows = try await pool.query(
            """
            SELECT name, min(since) FROM read_merchants.linked_names
            WHERE tenant = $1 AND role = 'terminal' AND since <= $2 GROUP BY name ORDER BY name
            """,
            [.text(tenant), .int64(position)]
        )
        return try TerminalNames(rows, since: earlier)
    }
}
