package import Canonical
package import Payments
package import Postgres
import Projections

/// The conditions on a list of disputes. Everything set must hold.
package struct DisputeFilter: Sendable, Hashable {
    package var status: DisputeStatus?
    /// Only disputes without an outcome, or only the others.
    package var isOpen: Bool?
    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    fileprivate var otherMerchants: [String] = []
    package var transaction: UUID128?
    /// Only disputes that must be answered before this day.
    package var deadlineBefore: CivilDate?

    package init() {}
}

/// The dispute of a chargeback, as it is known now.
package struct DisputeView: Sendable, Hashable {
    package var id: UUID128
    package var transaction: UUID128
    /// The id of the chargeback within the payment.
    package var chargeback: String
    /// A `DisputeStatus`.
    package var status: String
    /// Minor units of `currency`.
    package var amount: Int64
    package var currency: String
    /// The time of the event that reported the chargeback.
    package var reportedAt: Timestamp
    package var merchant: String?
    /// A `Vendor`.
    package var vendor: String?
    package var reasonCode: String?
    /// The last day on which the merchant can answer: `2026-03-31`.
    package var respondBy: String?
    /// When evidence was first sent to the processor, and how often it was sent.
    package var representedAt: Timestamp?
    package var representations: Int64
    /// When the outcome was recorded.
    package var closedAt: Timestamp?
    /// The version of the payment's stream.
    package var version: Int64
}

/// Reads disputes from the read model `movements`.
package struct DisputeQuery: Sendable {
    private static let columns = """
        dispute, transaction, id, status, amount, currency, reported_at, merchant, vendor, reason_code, respond_by,
        represented_at, representations, closed_at, version
        """

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One dispute of the tenant; nil when there is none.
    ///
    /// - Throws: `PostgresError`.
    package func dispute(_ id: UUID128, of tenant: String) async throws -> DisputeView? {
        try await pool.query(
            "SELECT \(Self.columns) FROM read_movements.chargebacks WHERE tenant = $1 AND dispute = $2",
            [.text(tenant), .uuid(id)]
        ).first.map(DisputeView.init)
    }

    /// Up to `limit` disputes by the time of their chargeback, newest first.
    ///
    /// - Parameter last: The end of the previous page.
    /// - Throws: `PostgresError`.
    package func disputes(
        of tenant: String,
        matching filter: DisputeFilter = .init(),
        after last: (at: Timestamp, id: UUID128)? = nil,
        limit: Int
    ) async throws -> [DisputeView] {
        var filter = filter
        let merchants = MerchantQuery(pool: pool)
        filter.otherMerchants = try await merchants.others(of: filter.merchant, tenant: tenant)
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("status =", text: filter.status?.rawValue)
        if let isOpen = filter.isOpen {
            let open = DisputeStatus.allCases.filter(\.isOpen).map { "'\($0.rawValue)'" }.joined(separator: ", ")
            conditions.add("status \(isOpen ? "IN" : "NOT IN") (\(open))")
        }
        conditions.add("merchant", merchant: filter.merchant, filter.otherMerchants)
        conditions.add("transaction =", filter.transaction.map(PostgresValue.uuid))
        conditions.add("respond_by <", text: filter.deadlineBefore?.description)
        if let last {
            let (at, id) = (conditions.parameter(.timestamptz(last.at)), conditions.parameter(.uuid(last.id)))
            conditions.add("(reported_at, dispute) < (\(at), \(id))")
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        return try await pool.query(
            """
            SELECT \(Self.columns) FROM read_movements.chargebacks WHERE \(conditions.sql)
            ORDER BY reported_at DESC, dispute DESC LIMIT \(end)
            """,
            conditions.parameters
        ).map(DisputeView.init)
    }
}

extension DisputeView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.uuid(0),
            transaction: try row.uuid(1),
            chargeback: try row.text(2),
            status: try row.text(3),
            amount: try row.int64(4),
            currency: try row.text(5),
            reportedAt: try row.timestamp(6),
            merchant: try row.textOrNull(7),
            vendor: try row.textOrNull(8),
            reasonCode: try row.textOrNull(9),
            respondBy: try row.textOrNull(10),
            representedAt: try row.timestampOrNull(11),
            representations: try row.int64(12),
            closedAt: try row.timestampOrNull(13),
            version: try row.int64(14)
        )
    }
}
