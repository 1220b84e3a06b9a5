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
    let localAt: LocalTime?
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
    let awaitsAnswer: Bool
    let isTest: Bool
    let addressCheck: String?
    let codeCheck: String?
    let isHealthCare: Bool
    let isVoiceAuthorized: Bool
    let isCardPresent: Bool?
    let isCommercial: Bool?
    let taxIndicator: String?
    let hasStoredResult: Bool
    let readerVendor: String?
    /// As in the name of the reader's stream.
    let readerName: String?
    let outcome: String?
    let clerk: String?
    let signature: String?
    let pin: String?
    /// JSON.
    let view: [UInt8]
    let batches: PostgresListText
    let reference: String?
    let reader: String?
    let identifiers: PostgresListText

    init(_ payment: PaymentRun) {
        self.init(
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

    init(_ view: TransactionView, of tenant: String) {
        self.tenant = tenant
        id = view.id
        version = view.state.version
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
        occurredAt = view.occurredAt
        localAt = view.state.times.earliest.local
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
        awaitsAnswer = view.state.awaitsAnswer
        isTest = view.state.isTest
        addressCheck = view.state.card?.addressCheck?.code.storable
        codeCheck = view.state.card?.codeCheck?.code.storable
        let stated = view.state.identity.circumstances
        isHealthCare = stated?.healthCare != nil
        isVoiceAuthorized = stated?.voiceAuthorization != nil
        isCardPresent = stated?.isCardPresent
        isCommercial = view.state.card?.isCommercial
        taxIndicator = stated?.taxIndicator?.storable
        hasStoredResult = view.state.steps.hasStoredResult
        let cardReader = view.state.identity.cardReader
        readerVendor = cardReader?.vendor.rawValue
        readerName = cardReader.map { StreamName.named($0).serial }
        outcome = view.state.outcome?.rawValue
        clerk = view.state.references.clerk?.storable
        signature = view.state.steps.signature?.rawValue
        pin = PINEntry(view.state.card, view.state.steps)?.rawValue
        isAnomalous = !view.state.anomalies.isEmpty
        self.view = view.json.bytes
        let numbers = view.state.batchNumbers.map(\.storable)
        batches = PostgresListText(numbers)
        reference = view.state.identity.reference?.storable
        reader = cardReader?.serial.storable
        identifiers = PaymentIdentifiers.list(of: view.state, in: numbers)
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
        ("anomalous", "bool"), ("view", "json"), ("batch_numbers", "text"), ("reference", "text"), ("reader", "text"),
        ("identifiers", "text"), ("awaits_reversal", "bool"), ("local_at", "timestamptz"),
        ("awaits_answer", "bool"), ("test", "bool"), ("address_check", "text"), ("code_check", "text"),
        ("reader_vendor", "text"), ("reader_name", "text"), ("outcome", "text"), ("clerk", "text"),
        ("signature", "text"), ("pin", "text"), ("health_care", "bool"), ("voice_authorized", "bool"),
        ("card_present", "bool"), ("commercial", "bool"), ("tax_indicator", "text"), ("stored_result", "bool"),
    ]

    /// The columns given as `PostgresListText`.
    private static let lists: Set = ["batch_numbers", "identifiers"]

    /// A query that yields rows in the form of the table from the parameters `$1` onwards.
    static let source: String = {
        let given = columns.indices.map { "$\($0 + 1)::\(columns[$0].type)[]" }
        let chosen = columns.map { column in
            switch column.name {
            case "local_at": "r.local_at AT TIME ZONE 'UTC' AS local_at"
            case let name where lists.contains(name): "r.\(name)::text[] AS \(name)"
            default: "r.\(column.name)"
            }
        }
        return """
            SELECT \(chosen.joined(separator: ", "))
            FROM unnest(\(given.joined(separator: ", "))) AS r (\(columns.map(\.name).joined(separator: ", ")))
            """
    }()

    /// The parameters of `source`.
    static func parameters(_ rows: [TransactionRow]) -> [PostgresValue] {
        var views = PostgresArrayBuilder.json(reserving: rows.count * 2048)
        var batches = PostgresArrayBuilder.text()
        var identifiers = PostgresArrayBuilder.text(reserving: rows.count * 256)
        for row in rows {
            views.append(row.view)
            batches.append(row.batches.bytes)
            identifiers.append(row.identifiers.bytes)
        }
        return [
            .textArray(rows.map(\.tenant)), .uuidArray(rows.map(\.id)), .int64Array(rows.map(\.version)),
            .int64Array(rows.map(\.firstPosition)), .int64Array(rows.map(\.lastPosition)),
            .timestamptzArray(rows.map(\.occurredAt)), .timestamptzArray(rows.map(\.recordedAt)),
            .textArray(rows.map(\.status)), .textArray(rows.map(\.operation)), .textArray(rows.map(\.vendor)),
            .textArray(rows.map(\.merchant)), .textArray(rows.map(\.terminal)), .textArray(rows.map(\.device)),
            .textArray(rows.map(\.currency)), .int64Array(rows.map(\.amount)), .textArray(rows.map(\.cardBrand)),
            .textArray(rows.map(\.lastFour)), .textArray(rows.map(\.authorizationCode)),
            .textArray(rows.map(\.retrievalReference)), .textArray(rows.map(\.invoice)),
            .textArray(rows.map(\.gatewayTransaction)), .boolArray(rows.map(\.isInDoubt)),
            .boolArray(rows.map(\.isAnomalous)), .array(views), .array(batches),
            .textArray(rows.map(\.reference)), .textArray(rows.map(\.reader)), .array(identifiers),
            .boolArray(rows.map(\.awaitsReversal)), .timestamptzArray(rows.map(\.localAt?.asUTC)),
            .boolArray(rows.map(\.awaitsAnswer)), .boolArray(rows.map(\.isTest)),
            .textArray(rows.map(\.addressCheck)), .textArray(rows.map(\.codeCheck)),
            .textArray(rows.map(\.readerVendor)), .textArray(rows.map(\.readerName)),
            .textArray(rows.map(\.outcome)), .textArray(rows.map(\.clerk)), .textArray(rows.map(\.signature)),
            .textArray(rows.map(\.pin)), .boolArray(rows.map(\.isHealthCare)),
            .boolArray(rows.map(\.isVoiceAuthorized)), .boolArray(rows.map(\.isCardPresent)),
            .boolArray(rows.map(\.isCommercial)), .textArray(rows.map(\.taxIndicator)),
            .boolArray(rows.map(\.hasStoredResult)),
        ]
    }
}

extension TransactionState {
    /// The amount shown in lists: captured or credited, else authorized, else requested; of a gift card the
    /// loaded amount or the balance.
    package var headlineAmount: Int64? {
        if let credit { return credit.amount }
        if !captures.isEmpty { return captured }
        if valueOperation != nil { return cardValue?.amount?.value }
        return hasApproval ? authorized : requested
    }

    /// The batches of its money, each once: those of captures, then of refunds, then of the credit.
    package var batchNumbers: [String] {
        var numbers: [String] = []
        func add(_ batch: BatchReference?) {
            if let number = batch?.number, !numbers.contains(number) { numbers.append(number) }
        }
        for capture in captures { add(capture.settledIn ?? capture.batch) }
        for refund in refunds { add(refund.settledIn ?? refund.batch) }
        add(credit?.settledIn ?? credit?.batch)
        return numbers
    }
}
