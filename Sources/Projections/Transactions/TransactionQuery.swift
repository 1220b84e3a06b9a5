package import Canonical
package import Payments
package import Postgres

/// The conditions on a list of payments. Everything set must hold.
package struct TransactionFilter: Sendable, Hashable {
    package var status: TransactionStatus?
    package var operation: Operation?
    package var vendor: Vendor?
    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    package var otherNames = OtherNames()
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
    /// Words that must each equal a name or number of the payment, regardless of case.
    package var words: [String] = []
    package var isInDoubt: Bool?
    package var isAnomalous: Bool?
    /// The vendor's code of the check of the billing address.
    package var addressCheck: String?
    /// The vendor's code of the check of the card verification value.
    package var codeCheck: String?
    /// Whether portions for health care are stated.
    package var isHealthCare: Bool?
    /// Whether a voice authorization is stated.
    package var isVoiceAuthorized: Bool?
    /// Whether the app stated that the card was present. Payments without a statement have neither value.
    package var isCardPresent: Bool?
    /// Whether the card is a commercial one. Payments without a report have neither value.
    package var isCommercial: Bool?
    /// As in `Circumstances`.
    package var taxIndicator: String?
    /// Whether payments were made at the vendor's test system.
    package var isTest: Bool?

    package init() {}
}

/// The order of payments, newest first.
package enum TransactionOrder: String, Sendable, Hashable, CaseIterable {
    /// By the position of the first event.
    case position
    /// By the time of the first event on the device's or vendor's clock; by position when the times are equal.
    case time
}

/// The place of a payment in a list. Neither value ever changes.
package struct TransactionPlace: Sendable, Hashable {
    package var position: Int64
    package var time: Timestamp

    package init(position: Int64, time: Timestamp) {
        self.position = position
        self.time = time
    }
}

/// One payment, read from the read model, with its JSON ready to send.
package struct StoredTransaction: Sendable, Hashable {
    package var id: UUID128
    /// The version of its newest event.
    package var version: Int64
    package var firstPosition: Int64
    /// The time of its first event.
    package var occurredAt: Timestamp
    /// `TransactionView.json`, as text.
    package var json: String

    package var place: TransactionPlace { TransactionPlace(position: firstPosition, time: occurredAt) }

    /// The columns of rows `t`.
    static let columns = "t.id, t.version, t.first_position, t.occurred_at, t.view"

    init(_ row: PostgresRow) throws {
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
    private let gathered: GatheredRead<PaymentKey, StoredTransaction>

    package init(pool: PostgresPool) {
        self.pool = pool
        gathered = GatheredRead { try await Self.read($0, pool) }
    }

    private static let source = "SELECT \(StoredTransaction.columns) FROM read_transactions.transactions t"

    /// One payment of the tenant; nil when there is none.
    package func transaction(_ id: UUID128, of tenant: String) async throws -> StoredTransaction? {
        try await gathered.value(of: PaymentKey(tenant: tenant, id: id))
    }

    private static func read(
        _ keys: [PaymentKey],
        _ pool: PostgresPool
    ) async throws -> [PaymentKey: StoredTransaction] {
        let rows = try await pool.query(statement, PaymentKey.parameters(keys))
        var payments: [PaymentKey: StoredTransaction] = [:]
        for row in rows {
            let payment = try StoredTransaction(row)
            payments[PaymentKey(tenant: try row.text(5), id: payment.id)] = payment
        }
        return payments
    }

    static let statement = """
        SELECT \(StoredTransaction.columns), k.tenant FROM \(PaymentKey.relation), LATERAL (
            SELECT * FROM read_transactions.transactions t WHERE t.tenant = k.tenant AND t.id = k.id LIMIT 1
        ) t
        """

    /// Up to `limit` payments, newest first, after the end of the previous page.
    package func transactions(
        of tenant: String,
        matching filter: TransactionFilter,
        sortedBy order: TransactionOrder = .position,
        after place: TransactionPlace? = nil,
        limit: Int
    ) async throws -> [StoredTransaction] {
        var filter = filter
        filter.otherNames = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
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
        var search = TransactionSearch(tenant)
        search.go(on: place, in: order)
        search.match(filter)
        return search.statement(Self.source, order, limit)
    }
}
