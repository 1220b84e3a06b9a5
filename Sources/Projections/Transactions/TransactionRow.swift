import Canonical
import Payments
import Postgres

/// The columns of one payment. It holds only these columns, because taking them one by one from a whole state copies
/// the state each time.
struct TransactionRow {
    let tenant: String
    let id: UUID128
    let version: Int64
    let firstPosition: Int64
    let lastPosition: Int64
    let occurredAt: Timestamp
    let recordedAt: Timestamp
    let status: String
    let operation: String?
    let vendor: String?
    let merchant: String?
    let terminal: String?
    let device: String?
    let currency: String?
    let amount: Int64?
    let cardBrand: String?
    let lastFour: String?
    let authorizationCode: String?
    let retrievalReference: String?
    let invoice: String?
    let gatewayTransaction: String?
    let isInDoubt: Bool
    let isAnomalous: Bool
    let awaitsReversal: Bool
    let view: String
    let batches: String
    let reference: String?
    let reader: String?
    /// A list of texts as JSON, like `batches`.
    let identifiers: String

    init(_ payment: PaymentRun) throws {
        try self.init(
            TransactionView(
                id: payment.id,
                state: payment.after,
                firstPosition: payment.beginning.position,
                lastPosition: payment.lastPosition,
                occurredAt: payment.beginning.occurredAt,
                recordedAt: payment.beginning.recordedAt
            ),
            of: payment.tenant
        )
    }

    init(_ view: TransactionView, of tenant: String) throws {
        self.tenant = tenant
        id = view.id
        version = view.state.version
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
        occurredAt = view.occurredAt
        recordedAt = view.recordedAt
        status = view.state.status.rawValue
        operation = view.state.operation?.rawValue
        vendor = view.state.identity.vendor?.rawValue
        merchant = view.merchant?.storable
        terminal = (view.state.identity.terminal ?? view.state.references.terminal)?.storable
        device = view.state.identity.device?.storable
        currency = view.state.currency?.alpha
        amount = view.state.headlineAmount
        cardBrand = view.state.card?.brand?.storable
        lastFour = view.state.card?.lastFour?.storable
        authorizationCode = view.state.references.authorizationCode?.storable
        retrievalReference = view.state.references.retrievalReference?.storable
        invoice = view.state.references.invoice?.storable
        gatewayTransaction = view.state.references.gatewayTransaction?.storable
        isInDoubt = view.state.isInDoubt
        awaitsReversal = view.state.awaitsReversal
        isAnomalous = !view.state.anomalies.isEmpty
        self.view = try view.json().text
        batches = JSONValue.array(view.state.batchNumbers.map { .string($0.storable) }).text
        reference = view.state.identity.reference?.storable
        reader = view.state.identity.cardReader?.serial.storable
        identifiers = JSONValue.array(view.state.identifiers.map(JSONValue.string)).text
    }
}

extension TransactionRow {
    /// The columns of the table and their types, in the order of `parameters`.
    static let columns: [(name: String, type: String)] = [
        ("tenant", "text"), ("id", "uuid"), ("version", "int8"), ("first_position", "int8"), ("last_position", "int8"),
        ("occurred_at", "timestamptz"), ("recorded_at", "timestamptz"), ("status", "text"), ("operation", "text"),
        ("vendor", "text"), ("merchant", "text"), ("terminal", "text"), ("device", "text"), ("currency", "text"),
        ("amount", "int8"), ("card_brand", "text"), ("last_four", "text"), ("authorization_code", "text"),
        ("retrieval_reference", "text"), ("invoice", "text"), ("gateway_transaction", "text"), ("in_doubt", "bool"),
        ("anomalous", "bool"), ("view", "json"), ("batch_numbers", "json"), ("reference", "text"), ("reader", "text"),
        ("identifiers", "json"), ("awaits_reversal", "bool"),
    ]

    /// PostgreSQL arrays of arrays must be rectangular, so lists of texts travel as JSON.
    private static let lists: Set = ["batch_numbers", "identifiers"]

    /// A query that yields rows in the form of the table from the parameters `$1` onwards.
    static let source: String = {
        let given = columns.indices.map { "$\($0 + 1)::\(columns[$0].type)[]" }
        let chosen = columns.map { column in
            lists.contains(column.name)
                ? "ARRAY(SELECT json_array_elements_text(r.\(column.name))) AS \(column.name)" : "r.\(column.name)"
        }
        return """
            SELECT \(chosen.joined(separator: ", "))
            FROM unnest(\(given.joined(separator: ", "))) AS r (\(columns.map(\.name).joined(separator: ", ")))
            """
    }()

    /// The parameters of `source`.
    static func parameters(_ rows: [TransactionRow]) -> [PostgresValue] {
        [
            .textArray(rows.map(\.tenant)), .uuidArray(rows.map(\.id)), .int64Array(rows.map(\.version)),
            .int64Array(rows.map(\.firstPosition)), .int64Array(rows.map(\.lastPosition)),
            .timestamptzArray(rows.map(\.occurredAt)), .timestamptzArray(rows.map(\.recordedAt)),
            .textArray(rows.map(\.status)), .textArray(rows.map(\.operation)), .textArray(rows.map(\.vendor)),
            .textArray(rows.map(\.merchant)), .textArray(rows.map(\.terminal)), .textArray(rows.map(\.device)),
            .textArray(rows.map(\.currency)), .int64Array(rows.map(\.amount)), .textArray(rows.map(\.cardBrand)),
            .textArray(rows.map(\.lastFour)), .textArray(rows.map(\.authorizationCode)),
            .textArray(rows.map(\.retrievalReference)), .textArray(rows.map(\.invoice)),
            .textArray(rows.map(\.gatewayTransaction)), .boolArray(rows.map(\.isInDoubt)),
            .boolArray(rows.map(\.isAnomalous)), .jsonArray(rows.map(\.view)), .jsonArray(rows.map(\.batches)),
            .textArray(rows.map(\.reference)), .textArray(rows.map(\.reader)), .jsonArray(rows.map(\.identifiers)),
            .boolArray(rows.map(\.awaitsReversal)),
        ]
    }
}

extension TransactionState {
    /// The amount shown in lists: captured or credited, else authorized, else requested.
    package var headlineAmount: Int64? {
        if let credit { return credit.amount }
        if !captures.isEmpty { return captured }
        return hasApproval ? authorized : authorization.requested
    }

    /// The batches of its money, each once: those of captures, then of refunds, then of the credit.
    package var batchNumbers: [String] {
        let reported =
            captures.map { $0.settledIn ?? $0.batch } + refunds.map { $0.settledIn ?? $0.batch }
            + [credit?.settledIn ?? credit?.batch]
        var numbers: [String] = []
        for case let number? in reported.map({ $0?.number }) where !numbers.contains(number) { numbers.append(number) }
        return numbers
    }
}

extension TransactionState {
    /// The texts by which a search finds the payment.
    fileprivate var identifiers: [String] {
        let names = [
            identity.reference, identity.merchant, identity.terminal, identity.device, identity.cardReader?.serial,
            references.gatewayTransaction, references.invoice,
            references.authorizationCode, references.retrievalReference, references.vendorTransaction,
            references.hostTransaction, references.merchant, references.terminal, references.clerk,
            references.tipRecipient, card?.lastFour, card?.brand,
        ]
        let batches = batchNumbers.map(\.storable)
        var found: [String] = []
        var seen: Set<[UInt8]> = []
        func add(_ name: some StringProtocol) {
            if !name.isEmpty, seen.insert(Array(name.utf8)).inserted { found.append(String(name)) }
        }
        for name in names.compactMap({ $0?.storable }) + batches {
            let name = name.lowercased()
            add(name)
            // A name of several words is found by each word.
            for word in name.split(whereSeparator: \.isWhitespace) { add(word) }
        }
        for batch in batches { add(batch) }
        for stream in linked { add(stream.storable.lowercased()) }
        return found
    }
}
