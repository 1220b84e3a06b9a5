package import Canonical
package import Payments
package import Postgres

/// One anomaly of the queue.
package struct AnomalyView: Sendable, Hashable {
    package enum State: String, Codable, Sendable, Hashable, CaseIterable {
        case open
        /// An operator acknowledged it.
        case acknowledged
        /// Later evidence explained it.
        case cleared
    }

    /// The id of the event that raised it.
    package var id: UUID128
    package var position: Int64
    package var stream: String
    package var anomaly: Anomaly
    package var state: State
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp
    package var acknowledgement: Acknowledgement?
    /// The position of the evidence that explained it.
    package var cleared: Int64?

    package struct Acknowledgement: Sendable, Hashable {
        package var position: Int64
        package var by: String
        package var at: Timestamp
        package var reason: String

        package init(position: Int64, by: String, at: Timestamp, reason: String) {
            self.position = position
            self.by = by
            self.at = at
            self.reason = reason
        }
    }
}

/// The conditions on a list of anomalies. Everything set must hold.
package struct AnomalyFilter: Sendable, Hashable {
    package var kind: Anomaly.Kind?
    package var state: AnomalyView.State?
    package var vendor: Vendor?
    package var merchant: String?
    /// Only anomalies of payments at a vendor's test system, or only others.
    package var isTest: Bool?
    /// The other names of `merchant`. The query sets them.
    package var otherNames = OtherNames()
    package var occurredFrom: Timestamp?
    package var occurredBefore: Timestamp?

    package init() {}
}

/// Reads the read model `anomalies`.
package struct AnomalyQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let source = """
        SELECT id, position, stream, kind, explanation, array_to_json(related)::text, state, vendor, merchant, terminal,
            occurred_at, recorded_at, acknowledged, acknowledged_by, acknowledged_at, reason, cleared, in_doubt, refund
        FROM read_anomalies.anomalies
        """

    /// Whether a row of `anomalies` is about a payment at a vendor's test system, as SQL. A later document can show
    /// that, so the payment's row decides.
    static let isOfTest = """
        coalesce((SELECT t.test FROM read_transactions.transactions t WHERE t.tenant = anomalies.tenant
            AND t.id = CASE WHEN anomalies.stream ~ '^transaction/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                THEN substr(anomalies.stream, 13)::uuid END), false)
        """

    /// One anomaly of the tenant; nil when there is none.
    package func anomaly(_ id: UUID128, of tenant: String) async throws -> AnomalyView? {
        let rows = try await pool.query("\(Self.source) WHERE tenant = $1 AND id = $2", [.text(tenant), .uuid(id)])
        return try rows.first.map(AnomalyView.init)
    }

    /// Up to `limit` anomalies, newest first, before the given position.
    package func anomalies(
        of tenant: String,
        matching filter: AnomalyFilter,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [AnomalyView] {
        var filter = filter
        filter.otherNames = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
        let (sql, parameters) = Self.search(tenant, filter, position, limit)
        return try await pool.query(sql, parameters).map(AnomalyView.init)
    }

    static func search(
        _ tenant: String,
        _ filter: AnomalyFilter,
        _ position: Int64,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["tenant = $1", "position < $2"], [.text(tenant), .int64(position)])
        conditions.add("kind =", text: filter.kind?.rawValue)
        conditions.add("state =", text: filter.state?.rawValue)
        conditions.add("vendor =", text: filter.vendor?.rawValue)
        conditions.add(merchant: filter.merchant, filter.otherNames)
        if let isTest = filter.isTest { conditions.add((isTest ? "" : "NOT ") + isOfTest) }
        conditions.add("occurred_at >=", filter.occurredFrom.map(PostgresValue.timestamptz))
        conditions.add("occurred_at <", filter.occurredBefore.map(PostgresValue.timestamptz))
        let end = conditions.parameter(.int64(Int64(limit)))
        return ("\(source) WHERE \(conditions.sql) ORDER BY position DESC LIMIT \(end)", conditions.parameters)
    }

    /// Up to `limit` streams after the given one with a current doubt about a follow-up, by name, each with the
    /// position of the newest such anomaly.
    package func streams(
        inDoubtBy subject: FollowUpInDoubt.Subject,
        of tenant: String,
        after stream: String,
        limit: Int
    ) async throws -> [(stream: String, raised: Int64)] {
        try await pool.query(
            """
            SELECT stream, max(position) FROM read_anomalies.anomalies
            WHERE tenant = $1 AND cleared IS NULL AND kind = $2 AND in_doubt = $3 AND stream > $4
            GROUP BY stream ORDER BY stream LIMIT $5
            """,
            [
                .text(tenant), .text(Anomaly.Kind.followUpInDoubt.rawValue), .text(subject.rawValue), .text(stream),
                .int64(Int64(limit)),
            ]
        ).map { (stream: try $0.text(0), raised: try $0.int64(1)) }
    }
}

extension AnomalyView {
    fileprivate init(_ row: PostgresRow) throws {
        guard let kind = Anomaly.Kind(rawValue: try row.text(3)), let state = State(rawValue: try row.text(6)) else {
            throw UnreadableRow()
        }
        id = try row.uuid(0)
        position = try row.int64(1)
        stream = try row.text(2)
        let related = try row.textOrNull(5).map { try JSONValue(parsing: $0.utf8).array?.compactMap(\.string) ?? [] }
        let subject = try row.textOrNull(17).map { name in
            guard let subject = FollowUpInDoubt.Subject(rawValue: name) else { throw UnreadableRow() }
            return subject
        }
        let refund = try row.textOrNull(18)
        anomaly = Anomaly(
            kind,
            try row.text(4),
            related: related,
            inDoubt: subject.map { FollowUpInDoubt($0, refund: refund) }
        )
        self.state = state
        vendor = try row.textOrNull(7)
        merchant = try row.textOrNull(8)
        terminal = try row.textOrNull(9)
        occurredAt = try row.timestamp(10)
        recordedAt = try row.timestamp(11)
        if let position = try row.int64OrNull(12) {
            acknowledgement = Acknowledgement(
                position: position,
                by: try row.text(13),
                at: try row.timestamp(14),
                reason: try row.text(15)
            )
        }
        cleared = try row.int64OrNull(16)
    }
}
