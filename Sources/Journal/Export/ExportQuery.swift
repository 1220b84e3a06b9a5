package import Canonical
import Payments
import Postgres
import Projections

/// The conditions on a list of exports. Everything set must hold.
package struct ExportFilter: Sendable, Hashable {
    package var format: ExportFormat?

    package init() {}
}

/// A recorded export.
package struct ExportView: Sendable, Hashable {
    package var export: JournalExport
    /// The position, time and actor of its event.
    package var position: Int64
    package var at: Timestamp
    package var by: String
}

extension JournalQuery {
    private static let exports = "SELECT details, position, at, actor FROM read_journal.exports"

    /// One export of the tenant; nil if there is none.
    package func export(_ id: UUID128, of tenant: String) async throws -> ExportView? {
        try await pool.query("\(Self.exports) WHERE tenant = $1 AND id = $2", [.text(tenant), .uuid(id)])
            .first.map(ExportView.init)
    }

    /// Up to `limit` exports, newest first.
    ///
    /// - Parameters:
    ///   - position: The position up to which events count; nil for all.
    ///   - before: Only exports recorded before this position.
    package func exports(
        of tenant: String,
        matching filter: ExportFilter = ExportFilter(),
        at position: Int64? = nil,
        before: Int64 = .max,
        limit: Int
    ) async throws -> [ExportView] {
        var conditions = QueryConditions(["tenant = $1", "position < $2"], [.text(tenant), .int64(before)])
        conditions.add("position <=", position.map(PostgresValue.int64))
        conditions.add("format =", text: filter.format?.rawValue)
        let end = conditions.parameter(.int64(Int64(limit)))
        return try await pool.query(
            "\(Self.exports) WHERE \(conditions.sql) ORDER BY position DESC LIMIT \(end)",
            conditions.parameters
        ).map(ExportView.init)
    }

    // MARK: What files are written from

    /// Legs in the order of files: by position, business day and number.
    ///
    /// - Parameter last: The last leg of the page before.
    func legs(
        of tenant: String,
        in range: ExportRange,
        after last: PostedLeg?,
        limit: Int
    ) async throws -> [PostedLeg] {
        try await pool.query(
            """
            SELECT \(Self.legColumns) FROM read_journal.entries
            WHERE tenant = $1 AND position >= $2 AND position <= $3
                AND (position, day, leg) > ($2, $4::text::date, $5)
            ORDER BY position, day, leg LIMIT $6
            """,
            [
                .text(tenant), .int64(last?.position ?? range.after + 1), .int64(range.through),
                .text(last?.day ?? "-infinity"), .int32(Int32(last?.leg ?? 0)), .int64(Int64(limit)),
            ]
        ).map(PostedLeg.init)
    }
}

extension ExportView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            export: try JSONValueDecoder().decode(JournalExport.self, parsing: try row.text(0)),
            position: try row.int64(1),
            at: try row.timestamp(2),
            by: try row.text(3)
        )
    }
}
