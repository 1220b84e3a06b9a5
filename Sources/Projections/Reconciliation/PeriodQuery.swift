package import Canonical
import Payments
import Postgres

/// Which closed days are wanted. Everything set must hold.
package struct PeriodFilter: Sendable, Hashable {
    package enum Status: String, Sendable, Hashable, CaseIterable {
        case closed, reopened
    }

    package var merchant: String?
    package var status: Status?
    /// The first and last day.
    package var from: CivilDate?
    package var to: CivilDate?

    package init() {}
}

/// A business day of a merchant that was closed.
package struct PeriodView: Sendable, Hashable {
    package var id: UUID128
    package var merchant: String
    package var day: String
    /// `closed` or `reopened`.
    package var status: String
    /// The position at which it was closed first.
    package var firstPosition: Int64
    package var lastPosition: Int64
    /// When it was closed or opened again, by whom and why.
    package var at: Timestamp
    package var by: String
    package var reason: String
    /// What was believed when it was last closed: a `PeriodClosing`, as JSON.
    package var told: String
}

extension ReconciliationQuery {
    private static let periods = """
        SELECT id, merchant, day::text, status, first, changed, at, actor, reason, told FROM read_reconciliation.periods
        """

    /// One closed day of the tenant; nil when there is none.
    package func period(_ id: UUID128, of tenant: String) async throws -> PeriodView? {
        try await pool.query("\(Self.periods) WHERE tenant = $1 AND id = $2", [.text(tenant), .uuid(id)]).first
            .map(PeriodView.init)
    }

    /// Up to `limit` days, those closed last first.
    package func periods(
        of tenant: String,
        matching filter: PeriodFilter = .init(),
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [PeriodView] {
        func text(_ value: String?) -> PostgresValue { value.map(PostgresValue.text) ?? .null }
        return try await pool.query(
            """
            \(Self.periods) WHERE tenant = $1 AND first < $2 AND ($3::text IS NULL OR merchant = $3)
                AND ($4::text IS NULL OR status = $4) AND ($5::text IS NULL OR day >= $5::text::date)
                AND ($6::text IS NULL OR day <= $6::text::date)
            ORDER BY first DESC LIMIT $7
            """,
            [
                .text(tenant), .int64(position), text(filter.merchant), text(filter.status?.rawValue),
                text(filter.from?.description), text(filter.to?.description), .int64(Int64(limit)),
            ]
        ).map(PeriodView.init)
    }

    /// The open exceptions of a merchant that are about a day, or one before it, by class and currency.
    ///
    /// - Parameter day: `2026-03-01`.
    package func open(of tenant: String, merchant: String, upTo day: String) async throws -> [OpenExceptions] {
        try await pool.query(
            """
            SELECT class, currency, count(*),
                CASE WHEN abs(sum(amount)) <= 9223372036854775807 THEN sum(amount)::int8 END
            FROM read_reconciliation.exceptions
            WHERE tenant = $1 AND merchant = $2 AND day <= $3::text::date AND status IN ('open', 'assigned', 'proposed')
            GROUP BY class, currency ORDER BY class, currency
            """,
            [.text(tenant), .text(merchant), .text(day)]
        ).map { row in
            OpenExceptions(
                exceptionClass: try row.text(0),
                currency: try row.textOrNull(1),
                count: try row.int64(2),
                amount: try row.int64OrNull(3)
            )
        }
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
            told: try row.text(9)
        )
    }
}
