package import Canonical
package import Payments
package import Postgres

/// Which payments are wanted. Everything set must hold.
package struct TransactionFilter: Sendable, Hashable {
    package var status: TransactionStatus?
    package var operation: Operation?
    package var vendor: Vendor?
    package var merchant: String?
    package var terminal: String?
    /// The serial number of the reader.
    package var reader: String?
    /// The app's own name for the payment.
    package var reference: String?
    package var batch: String?
    package var cardBrand: String?
    package var lastFour: String?
    package var authorizationCode: String?
    package var retrievalReference: String?
    package var invoice: String?
    package var gatewayTransaction: String?
    package var currency: String?
    /// Minor units.
    package var amountFrom: Int64?
    package var amountTo: Int64?
    package var occurredFrom: Timestamp?
    package var occurredBefore: Timestamp?
    /// Words each of which is one of its names or numbers, in whatever case.
    package var words: [String] = []
    package var isInDoubt: Bool?
    package var isAnomalous: Bool?

    package init() {}
}

/// What payments are sorted by, the newest first.
package enum TransactionOrder: String, Sendable, Hashable, CaseIterable {
    /// Where in the log they began.
    case position
    /// When they began, by the clock of the device or vendor; where in the log, when that is the same.
    case time
}

/// Where in a list of payments one stands. Neither ever changes.
package struct TransactionPlace: Sendable, Hashable {
    package var position: Int64
    package var time: Timestamp

    package init(position: Int64, time: Timestamp) {
        self.position = position
        self.time = time
    }
}

/// One payment as the read model has it: what is answered about it, ready to be sent.
package struct StoredTransaction: Sendable, Hashable {
    package var id: UUID128
    /// Of its newest event.
    package var version: Int64
    package var firstPosition: Int64
    /// Of its first event.
    package var occurredAt: Timestamp
    /// `TransactionView.json`, as text.
    package var json: String

    package var place: TransactionPlace { TransactionPlace(position: firstPosition, time: occurredAt) }

    fileprivate init(_ row: PostgresRow) throws {
        id = try row.uuid(0)
        version = try row.int64(1)
        firstPosition = try row.int64(2)
        occurredAt = try row.timestamp(3)
        json = try row.text(4)
    }
}

/// Reads the read model `transactions`.
package struct TransactionQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let source =
        "SELECT t.id, t.version, t.first_position, t.occurred_at, t.view FROM read_transactions.transactions t"

    /// One payment of the tenant; nil when there is none.
    package func transaction(_ id: UUID128, of tenant: String) async throws -> StoredTransaction? {
        let rows = try await pool.query(
            "\(Self.source) WHERE t.tenant = $1 AND t.id = $2",
            [.text(tenant), .uuid(id)]
        )
        return try rows.first.map(StoredTransaction.init)
    }

    /// Up to `limit` payments, newest first, behind the place where a page before ended.
    package func transactions(
        of tenant: String,
        matching filter: TransactionFilter,
        sortedBy order: TransactionOrder = .position,
        after place: TransactionPlace? = nil,
        limit: Int
    ) async throws -> [StoredTransaction] {
        let (sql, parameters) = Self.search(tenant, filter, order, place, limit)
        return try await pool.query(sql, parameters).map(StoredTransaction.init)
    }

    static func search(
        _ tenant: String,
        _ filter: TransactionFilter,
        _ order: TransactionOrder,
        _ place: TransactionPlace?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = ["t.tenant = $1"]
        var parameters: [PostgresValue] = [.text(tenant)]
        func add(_ column: String, _ comparison: String, _ value: PostgresValue?) {
            guard let value else { return }
            parameters.append(value)
            conditions.append("\(column) \(comparison) $\(parameters.count)")
        }
        switch order {
        case .position: add("t.first_position", "<", place.map { .int64($0.position) })
        case .time:
            // The first condition follows from the second; an index is entered by it.
            add("t.occurred_at", "<=", place.map { .timestamptz($0.time) })
            if let place {
                parameters.append(.int64(place.position))
                conditions.append(
                    "(t.occurred_at, t.first_position) < ($\(parameters.count - 1), $\(parameters.count))"
                )
            }
        }
        add("t.status", "=", (filter.status?.rawValue).map(PostgresValue.text))
        add("t.operation", "=", (filter.operation?.rawValue).map(PostgresValue.text))
        add("t.vendor", "=", (filter.vendor?.rawValue).map(PostgresValue.text))
        add("t.merchant", "=", filter.merchant.map(PostgresValue.text))
        add("t.terminal", "=", filter.terminal.map(PostgresValue.text))
        add("lower(t.card_brand)", "=", filter.cardBrand.map { .text($0.lowercased()) })
        add("t.reference", "=", filter.reference.map(PostgresValue.text))
        add("t.last_four", "=", filter.lastFour.map(PostgresValue.text))
        add("t.authorization_code", "=", filter.authorizationCode.map(PostgresValue.text))
        add("t.retrieval_reference", "=", filter.retrievalReference.map(PostgresValue.text))
        add("t.invoice", "=", filter.invoice.map(PostgresValue.text))
        add("t.gateway_transaction", "=", filter.gatewayTransaction.map(PostgresValue.text))
        add("t.reader", "=", filter.reader.map(PostgresValue.text))
        // One index serves both; the batch is looked up in it, and then compared as it is.
        let identifiers = filter.words.map { $0.lowercased() } + (filter.batch.map { [$0] } ?? [])
        add("t.identifiers", "@>", identifiers.isEmpty ? nil : .textArray(identifiers))
        add("t.batch_numbers", "@>", filter.batch.map { .textArray([$0]) })
        add("t.currency", "=", filter.currency.map(PostgresValue.text))
        add("t.amount", ">=", filter.amountFrom.map(PostgresValue.int64))
        add("t.amount", "<=", filter.amountTo.map(PostgresValue.int64))
        add("t.occurred_at", ">=", filter.occurredFrom.map(PostgresValue.timestamptz))
        add("t.occurred_at", "<", filter.occurredBefore.map(PostgresValue.timestamptz))
        if let isInDoubt = filter.isInDoubt { conditions.append(isInDoubt ? "t.in_doubt" : "NOT t.in_doubt") }
        if let isAnomalous = filter.isAnomalous { conditions.append(isAnomalous ? "t.anomalous" : "NOT t.anomalous") }
        parameters.append(.int64(Int64(limit)))
        let columns = order == .time ? "t.occurred_at DESC, t.first_position DESC" : "t.first_position DESC"
        let sql = """
            \(source) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(columns) LIMIT $\(parameters.count)
            """
        return (sql, parameters)
    }
}
