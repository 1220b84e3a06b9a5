package import Canonical
import Payments
package import Postgres
import Projections

/// The conditions on a list of statements. Everything set must hold.
package struct StatementFilter: Sendable, Hashable {
    /// A `StatementFormat`.
    package var format: String?
    /// A `StatementSide`.
    package var side: String?
    /// Only statements with failed controls, or only those without.
    package var isInconsistent: Bool?
    package var status: StatementView.Status?

    package init() {}
}

/// One statement file, read from the read model.
package struct StatementView: Sendable, Hashable {
    package enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        /// Some parts of the file are not recorded yet.
        case importing
        case imported
        /// Its lines no longer count.
        case withdrawn
    }

    /// The withdrawal of a statement.
    package struct Withdrawal: Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        package var by: String
        package var reason: String
    }

    package var id: UUID128
    package var status: Status
    package var withdrawal: Withdrawal?
    /// The number of lines that were in an earlier file that was not withdrawn at that time.
    package var repeated: Int64
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var beganAt: Timestamp
    package var importedAt: Timestamp?
    package var importedBy: String
    /// The facts about the file after it was read: a `StatementImport`, as JSON.
    package var reported: String
}

/// One line of a file.
package struct PlacedLine: Sendable, Hashable {
    /// The line number within the file, counted from 1.
    package var number: Int64
    /// The same in every file with this line.
    package var id: UUID128
    /// True when the line was in an earlier file that was not withdrawn at that time.
    package var isRepeat: Bool
    /// The line as first recorded, as JSON.
    package var reported: String
    /// The group of the line within the file.
    package var group: String?
}

/// A figure stated in a file, and the figure computed from its parts.
package struct ControlView: Sendable, Hashable {
    package var kind: String
    package var name: String
    package var scope: String
    package var stated: Int64
    package var computed: Int64?
    package var currency: String?
    package var line: Int64
    package var holds: Bool
    /// The place after which the next controls follow.
    package var place: ControlPlace
}

/// The place of a control in a statement.
package struct ControlPlace: Sendable, Hashable {
    package var position: Int64
    package var place: Int64

    package init(position: Int64, place: Int64) {
        self.position = position
        self.place = place
    }
}

/// Reads the read model `statements`.
package struct StatementQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The statements as of the position `$2`.
    private static let source = """
        SELECT s.id, \(status), CASE WHEN s.imported <= $2 THEN s.repeated ELSE 0 END, s.first_position,
            CASE WHEN s.withdrawn <= $2 THEN s.withdrawn WHEN s.imported <= $2 THEN s.imported ELSE s.first_position END,
            s.began_at, CASE WHEN s.imported <= $2 THEN s.imported_at END, s.imported_by, s.view,
            CASE WHEN s.withdrawn <= $2 THEN s.withdrawn END, s.withdrawn_at, s.withdrawn_by, s.withdrawal
        FROM read_statements.statements s WHERE s.tenant = $1 AND s.first_position <= $2
        """

    private static let status =
        "CASE WHEN s.withdrawn <= $2 THEN 'withdrawn' WHEN s.imported <= $2 THEN 'imported' ELSE 'importing' END"

    /// One statement of the tenant; nil when there is none.
    ///
    /// - Parameter position: The position up to which events count; nil for the current state.
    package func statement(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> StatementView? {
        try await pool.query(
            "\(Self.source) AND s.id = $3",
            [.text(tenant), .int64(position ?? .max), .uuid(id)]
        ).first.map(StatementView.init)
    }

    /// The statements of one file, including withdrawn ones, newest first.
    ///
    /// - Parameter digest: SHA-256 of the file, in hexadecimal digits.
    package func statements(ofFile digest: String, of tenant: String) async throws -> [StatementView] {
        var ids: [UUID128] = []
        while ids.count < 100 {
            let id = StreamName.statementID(digest: digest, of: tenant, after: ids.count)
            guard try await statement(id, of: tenant) != nil else { break }
            ids.append(id)
        }
        return try await pool.query(
            "\(Self.source) AND s.id = ANY ($3) ORDER BY s.first_position DESC",
            [.text(tenant), .int64(.max), .uuidArray(ids)]
        ).map(StatementView.init)
    }

    /// Those of `lines` that are lines of the tenant's statements, withdrawn ones included.
    package func lines(among lines: Set<UUID128>, of tenant: String) async throws -> Set<UUID128> {
        let rows = try await pool.query(
            "SELECT id FROM read_statements.lines WHERE tenant = $1 AND id = ANY ($2)",
            [.text(tenant), .uuidArray(Array(lines))]
        )
        return Set(try rows.map { try $0.uuid(0) })
    }

    /// Up to `limit` statements, newest first.
    ///
    /// - Parameters:
    ///   - position: The position up to which events count; nil for the current state.
    ///   - first: Only statements that began before this position.
    package func statements(
        of tenant: String,
        matching filter: StatementFilter = .init(),
        at position: Int64? = nil,
        before first: Int64 = .max,
        limit: Int
    ) async throws -> [StatementView] {
        try await pool.query(
            """
            \(Self.source) AND s.first_position < $3 AND ($4::text IS NULL OR s.format = $4)
                AND ($5::text IS NULL OR s.side = $5)
                AND ($6::bool IS NULL OR (s.failed_controls > 0) = $6)
                AND ($7::text IS NULL OR \(Self.status) = $7)
            ORDER BY s.first_position DESC LIMIT $8
            """,
            [
                .text(tenant), .int64(position ?? .max), .int64(first), .optional(filter.format, PostgresValue.text),
                .optional(filter.side, PostgresValue.text), .optional(filter.isInconsistent, PostgresValue.bool),
                .optional(filter.status?.rawValue, PostgresValue.text), .int64(Int64(limit)),
            ]
        ).map(StatementView.init)
    }

    /// Whether a processor statement that counts names the merchant.
    package func countedNames(_ merchant: String, of tenant: String) async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM read_statements.reach r
                JOIN read_statements.statements f ON f.tenant = r.tenant AND f.id = r.statement
                WHERE r.tenant = $1 AND r.merchant = $2 AND \(CountedLines.holds("f"))
            )
            """,
            [.text(tenant), .text(merchant.storable)]
        ).first?.bool(0) ?? false
    }

    /// Up to `limit` lines of a statement, in the order of the file, after the one with the given number.
    package func lines(
        of statement: UUID128,
        tenant: String,
        after number: Int64 = 0,
        limit: Int
    ) async throws -> [PlacedLine] {
        try await pool.query(
            EmbeddedFiles.statementLinesPage_sql,
            [.text(tenant), .uuid(statement), .int64(number), .int64(Int64(limit))]
        ).map { row in
            PlacedLine(
                number: try row.int64(0),
                id: try row.uuid(1),
                isRepeat: try row.bool(2),
                reported: try row.text(3),
                group: try row.textOrNull(4)
            )
        }
    }

    /// A line with its first place that counts; nil when there is none.
    package func line(_ id: UUID128, of tenant: String) async throws -> (statement: UUID128, line: PlacedLine)? {
        try await pool.query(
            "SELECT statement, number, id, view, line_group FROM read_statements.lines WHERE tenant = $1 AND id = $2",
            [.text(tenant), .uuid(id)]
        ).first.map { row in
            let line = PlacedLine(
                number: try row.int64(1),
                id: try row.uuid(2),
                isRepeat: false,
                reported: try row.text(3),
                group: try row.textOrNull(4)
            )
            return (try row.uuid(0), line)
        }
    }

    /// Up to `limit` controls of a statement, in the order of the file.
    ///
    /// - Parameter holds: Only controls that hold, or only those that do not.
    package func controls(
        of statement: UUID128,
        tenant: String,
        holds: Bool? = nil,
        after place: ControlPlace? = nil,
        limit: Int
    ) async throws -> [ControlView] {
        try await pool.query(
            """
            SELECT kind, name, scope, stated, computed, currency, line, holds, position, place
            FROM read_statements.controls
            WHERE tenant = $1 AND statement = $2 AND (position, place) > ($3, $4) AND ($5::bool IS NULL OR holds = $5)
            ORDER BY position, place LIMIT $6
            """,
            [
                .text(tenant), .uuid(statement), .int64(place?.position ?? 0), .int64(place?.place ?? 0),
                holds.map(PostgresValue.bool) ?? .null, .int64(Int64(limit)),
            ]
        ).map { row in
            ControlView(
                kind: try row.text(0),
                name: try row.text(1),
                scope: try row.text(2),
                stated: try row.int64(3),
                computed: try row.int64OrNull(4),
                currency: try row.textOrNull(5),
                line: try row.int64(6),
                holds: try row.bool(7),
                place: ControlPlace(position: try row.int64(8), place: try row.int64(9))
            )
        }
    }

    /// The notes about ambiguous or unrecognised content, in the order of the file; the first thousand.
    package func notes(of statement: UUID128, tenant: String) async throws -> [(
        code: String, line: Int64, detail: String
    )] {
        try await pool.query(
            """
            SELECT code, line, detail FROM read_statements.notes WHERE tenant = $1 AND statement = $2
            ORDER BY position, place LIMIT 1000
            """,
            [.text(tenant), .uuid(statement)]
        ).map { (try $0.text(0), try $0.int64(1), try $0.text(2)) }
    }
}

extension StatementView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.uuid(0),
            status: Status(rawValue: try row.text(1)) ?? .importing,
            repeated: try row.int64(2),
            firstPosition: try row.int64(3),
            lastPosition: try row.int64(4),
            beganAt: try row.timestamp(5),
            importedAt: try row.timestampOrNull(6),
            importedBy: try row.text(7),
            reported: try row.text(8)
        )
        guard let position = try row.int64OrNull(9) else { return }
        withdrawal = Withdrawal(
            position: position,
            at: try row.timestamp(10),
            by: try row.text(11),
            reason: try row.text(12)
        )
    }
}
