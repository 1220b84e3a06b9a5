import Payments
import Postgres

/// A search of payments under construction: conditions on rows `t` of the table, or on other rows with its columns.
struct TransactionSearch {
    private var conditions = ["t.tenant = $1"]
    private var parameters: [PostgresValue]

    init(_ tenant: String) {
        parameters = [.text(tenant)]
    }

    /// - Parameters:
    ///   - tenant: The tenant of the payments.
    ///   - given: The parameters of the searched rows, from `$1` on.
    init(_ tenant: String, after given: [PostgresValue]) {
        parameters = given
        conditions = []
        require("t.tenant", "=", .text(tenant))
    }

    /// Adds a parameter and returns its placeholder.
    mutating func bind(_ value: PostgresValue) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    mutating func require(_ condition: String) { conditions.append(condition) }

    /// Adds no condition when there is no value.
    mutating func require(_ column: String, _ comparison: String, _ value: PostgresValue?) {
        if let value { require("\(column) \(comparison) \(bind(value))") }
    }

    /// Only rows after a place.
    mutating func go(on place: TransactionPlace?, in order: TransactionOrder) {
        limit(to: place, in: order, "<")
    }

    /// Only rows before a place.
    mutating func stop(before place: TransactionPlace?, in order: TransactionOrder) {
        limit(to: place, in: order, ">")
    }

    private mutating func limit(to place: TransactionPlace?, in order: TransactionOrder, _ comparison: String) {
        guard let place else { return }
        switch order {
        case .position: require("t.first_position", comparison, .int64(place.position))
        case .time:
            // The second condition implies the first. The first one is for an index.
            require("t.occurred_at", comparison + "=", .timestamptz(place.time))
            let time = "$\(parameters.count)"
            require("(t.occurred_at, t.first_position) \(comparison) (\(time), \(bind(.int64(place.position))))")
        }
    }

    /// Only payments that began in the requested period. It is the only part of a filter that never changes for a
    /// payment.
    mutating func matchBeginning(_ filter: TransactionFilter) {
        require("t.occurred_at", ">=", filter.occurredFrom.map(PostgresValue.timestamptz))
        require("t.occurred_at", "<", filter.occurredBefore.map(PostgresValue.timestamptz))
    }

    mutating func match(_ filter: TransactionFilter) {
        require("t.status", "=", (filter.status?.rawValue).map(PostgresValue.text))
        require("t.operation", "=", (filter.operation?.rawValue).map(PostgresValue.text))
        require("t.vendor", "=", (filter.vendor?.rawValue).map(PostgresValue.text))
        if let merchant = filter.merchant {
            require(filter.otherNames.condition(merchant, row: "t.") { bind($0) })
        }
        require("t.terminal", "=", filter.terminal.map(PostgresValue.text))
        require("lower(t.card_brand)", "=", filter.cardBrand.map { .text($0.lowercased()) })
        require("t.reference", "=", filter.reference.map(PostgresValue.text))
        require("t.last_four", "=", filter.lastFour.map(PostgresValue.text))
        require("t.authorization_code", "=", filter.authorizationCode.map(PostgresValue.text))
        require("t.retrieval_reference", "=", filter.retrievalReference.map(PostgresValue.text))
        require("t.invoice", "=", filter.invoice.map(PostgresValue.text))
        require("t.gateway_transaction", "=", filter.gatewayTransaction.map(PostgresValue.text))
        require("t.reader", "=", filter.reader.map(PostgresValue.text))
        // One index serves both. The batch is looked up in it and then compared exactly.
        let identifiers = filter.words.map { $0.lowercased() } + (filter.batch.map { [$0] } ?? [])
        require("t.identifiers", "@>", identifiers.isEmpty ? nil : .textArray(identifiers))
        require("t.batch_numbers", "@>", filter.batch.map { .textArray([$0]) })
        require("t.currency", "=", filter.currency.map(PostgresValue.text))
        require("t.amount", ">=", filter.amountFrom.map(PostgresValue.int64))
        require("t.amount", "<=", filter.amountTo.map(PostgresValue.int64))
        matchBeginning(filter)
        if let isInDoubt = filter.isInDoubt { require(isInDoubt ? "t.in_doubt" : "NOT t.in_doubt") }
        if let isAnomalous = filter.isAnomalous { require(isAnomalous ? "t.anomalous" : "NOT t.anomalous") }
        require("t.address_check", "=", filter.addressCheck.map(PostgresValue.text))
        require("t.code_check", "=", filter.codeCheck.map(PostgresValue.text))
        require("t.tax_indicator", "=", filter.taxIndicator.map(PostgresValue.text))
        let flags = [
            ("t.health_care", filter.isHealthCare), ("t.voice_authorized", filter.isVoiceAuthorized),
            ("t.card_present", filter.isCardPresent), ("t.commercial", filter.isCommercial),
        ]
        for case (let column, let value?) in flags { require(value ? column : "NOT \(column)") }
        if let isTest = filter.isTest { require(isTest ? "t.test" : "NOT t.test") }
    }

    /// All conditions so far.
    var condition: String { conditions.joined(separator: " AND ") }

    /// - Parameter source: A `SELECT` from rows `t`, up to its conditions.
    func statement(
        _ source: String,
        _ order: TransactionOrder,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        ordered("\(source) WHERE \(condition)", order, limit)
    }

    /// - Parameter selection: A complete `SELECT` of the wanted rows `t`.
    func ordered(
        _ selection: String,
        _ order: TransactionOrder,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        let sql = "\(selection)\nORDER BY \(order.columns) LIMIT $\(parameters.count + 1)"
        return (sql, parameters + [.int64(Int64(limit))])
    }
}

extension TransactionOrder {
    fileprivate var columns: String {
        switch self {
        case .position: "t.first_position DESC"
        case .time: "t.occurred_at DESC, t.first_position DESC"
        }
    }

    /// Whether a place comes before another.
    func places(_ place: TransactionPlace, before other: TransactionPlace) -> Bool {
        switch self {
        case .position: place.position > other.position
        case .time: (place.time, place.position) > (other.time, other.position)
        }
    }
}
