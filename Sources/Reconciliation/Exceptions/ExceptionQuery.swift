package import Canonical
package import Matching
import Payments
package import Postgres
package import Projections

/// The conditions on a list of exceptions. Everything set must hold.
package struct ExceptionFilter: Sendable, Hashable {
    package var exceptionClass: ExceptionClass?
    package var status: ExceptionStatus?
    /// Only exceptions that are neither cleared nor resolved, or only the others.
    package var isOpen: Bool?
    package var assignee: String?
    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    package var otherNames = OtherNames()
    /// Only exceptions without a known merchant, or only the others.
    package var isUnattributed: Bool?
    package var terminal: String?
    package var currency: String?
    package var transaction: UUID128?
    package var line: UUID128?
    /// The first and last day of the exceptions' subjects.
    package var from: CivilDate?
    package var to: CivilDate?
    /// Only exceptions that this run raised, and only those that it cleared.
    package var raisedBy: UUID128?
    package var clearedBy: UUID128?

    package init() {}
}

/// An exception with its evidence and status.
package struct ExceptionView: Sendable, Hashable {
    package var id: UUID128
    /// An `ExceptionClass`.
    package var exceptionClass: String
    package var line: UUID128?
    package var transaction: UUID128?
    package var movement: String?
    package var state: ExceptionCase
    package var merchant: String?
    package var terminal: String?
    package var day: CivilDate?
    /// The position and time at which it was first raised.
    package var firstPosition: Int64
    package var firstAt: Timestamp
    package var evidenceAt: Timestamp
    /// The position of its newest step.
    package var lastPosition: Int64
    /// The version of the exception's stream; 0 until an operator acts on it.
    package var version: Int64
    /// The raising run's evidence, as JSON.
    package var reported: String
}

/// A step in the history of an exception.
package struct ExceptionStepView: Sendable, Hashable {
    package var position: Int64
    /// The type of the event.
    package var kind: String
    package var at: Timestamp
    package var actor: String
    package var status: String
    /// The event's data, as JSON.
    package var reported: String?
}

/// Reads exceptions from the read model `reconciliation`.
package struct ExceptionQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One exception of the tenant; nil when there is none.
    ///
    /// - Parameter position: The position up to which events count; nil for the current state.
    package func exception(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> ExceptionView? {
        var parameters: [PostgresValue] = [.text(tenant), .uuid(id)]
        if let position { parameters.append(.int64(position)) }
        let source = position == nil ? Self.now : Self.past("$3")
        return try await pool.query(
            "SELECT \(Self.columns) FROM \(source) x WHERE x.tenant = $1 AND x.id = $2",
            parameters
        ).first.map(ExceptionView.init)
    }

    /// Up to `limit` exceptions, by the position of their first raising, newest first.
    ///
    /// - Parameters:
    ///   - position: The position up to which events count; nil for the current state.
    ///   - place: The end of the previous page.
    package func exceptions(
        of tenant: String,
        matching filter: ExceptionFilter = .init(),
        at position: Int64? = nil,
        after place: (first: Int64, id: UUID128)? = nil,
        limit: Int
    ) async throws -> [ExceptionView] {
        var filter = filter
        let merchants = MerchantQuery(pool: pool)
        filter.otherNames = try await merchants.otherNames(of: filter.merchant, tenant: tenant, at: position)
        let (sql, parameters) = Self.search(tenant, filter, position, place, limit)
        return try await pool.query(sql, parameters).map(ExceptionView.init)
    }

    /// Up to `limit` exceptions, newest first, about statement lines with this value as the processor's id, the
    /// related id, the retrieval reference, the authorization code or the invoice.
    package func exceptions(ofLinesNamed name: String, of tenant: String, limit: Int) async throws -> [ExceptionView] {
        try await pool.query(
            """
            SELECT \(Self.columns) FROM \(Self.now) x WHERE x.tenant = $1 AND x.line IN (
                SELECT l.id FROM read_statements.lines l WHERE l.tenant = $1 AND (
                    l.processor_id = $2 OR l.related_id = $2 OR l.rrn = $2 OR l.auth_code = $2 OR l.invoice = $2
                )
            ) ORDER BY x.first DESC, x.id DESC LIMIT $3
            """,
            [.text(tenant), .text(name), .int64(Int64(limit))]
        ).map(ExceptionView.init)
    }

    /// The newest steps of an exception, up to a thousand, oldest first.
    package func steps(
        of id: UUID128,
        tenant: String,
        at position: Int64? = nil
    ) async throws -> [ExceptionStepView] {
        try await pool.query(
            """
            SELECT position, kind, at, actor, status, details FROM read_reconciliation.steps
            WHERE tenant = $1 AND exception = $2 AND position <= $3 ORDER BY position DESC LIMIT 1000
            """,
            [.text(tenant), .uuid(id), .int64(position ?? .max)]
        ).reversed().map { row in
            ExceptionStepView(
                position: try row.int64(0),
                kind: try row.text(1),
                at: try row.timestamp(2),
                actor: try row.text(3),
                status: try row.text(4),
                reported: try row.textOrNull(5)
            )
        }
    }

    // MARK: SQL

    private static let columns = """
        x.id, x.class, x.line, x.transaction, x.movement, x.merchant, x.terminal, x.day::text, x.first, x.first_at,
        x.raised_at, x.changed, x.version, x.details, x.raised, x.status, x.assignee, x.proposal, x.proposed_by, x.resolution,
        x.reopenings, x.amount, x.currency
        """

    private static let now = "read_reconciliation.exceptions"

    /// The exceptions as of a position, with the columns of `now`.
    private static func past(_ position: String) -> String {
        """
        (
            SELECT x.tenant, x.id, x.class, x.line, x.transaction, x.movement, r.details ->> 'merchant' AS merchant,
                r.details ->> 'terminal' AS terminal, (r.details ->> 'day')::date AS day, x.first, x.first_at,
                r.at AS raised_at, s.position AS changed, h.version, r.details, r.position AS raised, s.status, s.assignee,
                CASE WHEN s.status = 'proposed' THEN p.details END AS proposal,
                CASE WHEN s.status = 'proposed' THEN p.actor END AS proposed_by,
                CASE WHEN s.status = 'resolved' THEN d.details -> 'resolution' END AS resolution, h.reopenings,
                (r.details ->> 'amount')::int8 AS amount, r.details ->> 'currency' AS currency
            FROM read_reconciliation.exceptions x
            CROSS JOIN LATERAL (
                SELECT position, status, assignee FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) ORDER BY position DESC LIMIT 1
            ) s
            CROSS JOIN LATERAL (
                SELECT position, at, details FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) AND kind = 'ExceptionsRaised'
                ORDER BY position DESC LIMIT 1
            ) r
            LEFT JOIN LATERAL (
                SELECT actor, details FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) AND kind = 'ResolutionProposed'
                ORDER BY position DESC LIMIT 1
            ) p ON true
            LEFT JOIN LATERAL (
                SELECT details FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) AND kind = 'ExceptionResolved'
                ORDER BY position DESC LIMIT 1
            ) d ON true
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE before IN ('cleared', 'resolved') AND status NOT IN ('cleared', 'resolved'))::int4
                        AS reopenings,
                    count(*) FILTER (WHERE kind NOT IN ('ExceptionsRaised', 'ExceptionsCleared')) AS version
                FROM (
                    SELECT kind, status, lag(status) OVER (ORDER BY position) AS before FROM read_reconciliation.steps
                    WHERE tenant = x.tenant AND exception = x.id AND position <= \(position)
                ) AS o
            ) h
            WHERE x.tenant = $1 AND x.first <= \(position)
        )
        """
    }

    static func search(
        _ tenant: String,
        _ filter: ExceptionFilter,
        _ position: Int64?,
        _ place: (first: Int64, id: UUID128)?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["x.tenant = $1"], [.text(tenant)])
        let source = position.map { past(conditions.parameter(.int64($0))) } ?? now
        if let place {
            let (first, id) = (conditions.parameter(.int64(place.first)), conditions.parameter(.uuid(place.id)))
            conditions.add("(x.first, x.id) < (\(first), \(id))")
        }
        conditions.add("x.class =", text: filter.exceptionClass?.rawValue)
        conditions.add("x.status =", text: filter.status?.rawValue)
        if let isOpen = filter.isOpen {
            conditions.add("x.status \(isOpen ? "" : "NOT ")IN ('open', 'assigned', 'proposed')")
        }
        conditions.add("x.assignee =", text: filter.assignee)
        if let merchant = filter.merchant {
            conditions.add(ExceptionMerchant.condition(merchant, filter.otherNames) { conditions.parameter($0) })
        }
        if let isUnattributed = filter.isUnattributed {
            conditions.add("x.merchant IS \(isUnattributed ? "" : "NOT ")NULL")
        }
        conditions.add("x.terminal =", text: filter.terminal)
        conditions.add("x.currency =", text: filter.currency)
        conditions.add("x.transaction =", filter.transaction.map(PostgresValue.uuid))
        conditions.add("x.line =", filter.line.map(PostgresValue.uuid))
        conditions.add("x.day >=", text: filter.from?.description, as: "::text::date")
        func reported(_ kind: String, by run: UUID128?) {
            guard let run else { return }
            let span = RunSpan.contains("t.position", run: conditions.parameter(.uuid(run)))
            conditions.add(
                """
                x.id IN (
                    SELECT t.exception FROM read_reconciliation.steps t
                    WHERE t.tenant = $1 AND t.kind = '\(kind)' AND \(span)
                )
                """
            )
        }
        reported("ExceptionsRaised", by: filter.raisedBy)
        reported("ExceptionsCleared", by: filter.clearedBy)
        conditions.add("x.day <=", text: filter.to?.description, as: "::text::date")
        let sql = """
            SELECT \(columns) FROM \(source) x WHERE \(conditions.sql)
            ORDER BY x.first DESC, x.id DESC LIMIT \(conditions.parameter(.int64(Int64(limit))))
            """
        return (sql, conditions.parameters)
    }
}

extension ExceptionView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.uuid(0),
            exceptionClass: try row.text(1),
            line: try row.uuidOrNull(2),
            transaction: try row.uuidOrNull(3),
            movement: try row.textOrNull(4),
            state: try ExceptionCase(row, from: 14),
            merchant: try row.textOrNull(5),
            terminal: try row.textOrNull(6),
            day: try row.textOrNull(7).flatMap { CivilDate($0) },
            firstPosition: try row.int64(8),
            firstAt: try row.timestamp(9),
            evidenceAt: try row.timestamp(10),
            lastPosition: try row.int64(11),
            version: try row.int64(12),
            reported: try row.text(13)
        )
    }
}
