import Canonical
import Payments
package import Postgres

/// The read model `transactions`: what is answered about every payment, and the columns it is searched by.
package struct TransactionsProjection: Projection {
    package let name = "transactions"
    package let version = 8
    package let definition = String(decoding: PackageResources.transactions_sql, as: UTF8.self)
    package let contents = [ProjectionTable("transactions", key: ["tenant", "id"])]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let rows = try run.payments().map(Row.init)
        guard !rows.isEmpty else { return }
        // PostgreSQL has no arrays of arrays of different lengths: lists of texts travel as JSON.
        _ = try await transaction.execute(
            """
            INSERT INTO transactions AS t (tenant, id, version, first_position, last_position, occurred_at, recorded_at,
                status, operation, vendor, merchant, terminal, device, currency, amount, card_brand, last_four,
                authorization_code, retrieval_reference, invoice, gateway_transaction, in_doubt, anomalous,
                view, batch_numbers, reference, reader, identifiers)
            SELECT r.tenant, r.id, r.version, r.first_position, r.last_position, r.occurred_at, r.recorded_at,
                r.status, r.operation, r.vendor, r.merchant, r.terminal, r.device, r.currency, r.amount, r.card_brand,
                r.last_four, r.authorization_code, r.retrieval_reference, r.invoice, r.gateway_transaction, r.in_doubt,
                r.anomalous, r.view, ARRAY(SELECT json_array_elements_text(r.batches)), r.reference,
                r.reader, ARRAY(SELECT json_array_elements_text(r.identifiers))
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::timestamptz[],
                $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
                $14::text[], $15::int8[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
                $22::bool[], $23::bool[], $24::json[], $25::json[], $26::text[], $27::text[],
                $28::json[])
                AS r (tenant, id, version, first_position, last_position, occurred_at, recorded_at, status, operation,
                vendor, merchant, terminal, device, currency, amount, card_brand, last_four, authorization_code,
                retrieval_reference, invoice, gateway_transaction, in_doubt, anomalous, view, batches,
                reference, reader, identifiers)
            ON CONFLICT (tenant, id) DO UPDATE SET
                version = excluded.version, last_position = excluded.last_position, status = excluded.status,
                operation = excluded.operation, vendor = excluded.vendor, merchant = excluded.merchant,
                terminal = excluded.terminal, device = excluded.device, currency = excluded.currency,
                amount = excluded.amount, card_brand = excluded.card_brand, last_four = excluded.last_four,
                authorization_code = excluded.authorization_code,
                retrieval_reference = excluded.retrieval_reference, invoice = excluded.invoice,
                gateway_transaction = excluded.gateway_transaction, in_doubt = excluded.in_doubt,
                anomalous = excluded.anomalous, view = excluded.view, batch_numbers = excluded.batch_numbers,
                reference = excluded.reference, reader = excluded.reader, identifiers = excluded.identifiers
            """,
            [
                .textArray(rows.map(\.tenant)),
                .uuidArray(rows.map(\.id)),
                .int64Array(rows.map(\.version)),
                .int64Array(rows.map(\.firstPosition)),
                .int64Array(rows.map(\.lastPosition)),
                .timestamptzArray(rows.map(\.occurredAt)),
                .timestamptzArray(rows.map(\.recordedAt)),
                .textArray(rows.map(\.status)),
                .textArray(rows.map(\.operation)),
                .textArray(rows.map(\.vendor)),
                .textArray(rows.map(\.merchant)),
                .textArray(rows.map(\.terminal)),
                .textArray(rows.map(\.device)),
                .textArray(rows.map(\.currency)),
                .int64Array(rows.map(\.amount)),
                .textArray(rows.map(\.cardBrand)),
                .textArray(rows.map(\.lastFour)),
                .textArray(rows.map(\.authorizationCode)),
                .textArray(rows.map(\.retrievalReference)),
                .textArray(rows.map(\.invoice)),
                .textArray(rows.map(\.gatewayTransaction)),
                .boolArray(rows.map(\.isInDoubt)),
                .boolArray(rows.map(\.isAnomalous)),
                .jsonArray(rows.map(\.view)),
                .jsonArray(rows.map(\.batches)),
                .textArray(rows.map(\.reference)),
                .textArray(rows.map(\.reader)),
                .jsonArray(rows.map(\.identifiers)),
            ]
        )
    }
}

/// The columns of one payment. Only these: whoever takes them one by one from a whole state copies all of it each time.
private struct Row {
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
    let view: String
    let batches: String
    let reference: String?
    let reader: String?
    /// A list of texts as JSON, as `batches` is.
    let identifiers: String

    init(_ payment: PaymentRun) throws {
        let view = TransactionView(
            id: payment.id,
            state: payment.after,
            firstPosition: payment.beginning.position,
            lastPosition: payment.lastPosition,
            occurredAt: payment.beginning.occurredAt,
            recordedAt: payment.beginning.recordedAt
        )
        tenant = payment.tenant
        id = view.id
        version = view.state.version
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
        occurredAt = view.occurredAt
        recordedAt = view.recordedAt
        status = view.state.status.rawValue
        operation = view.state.operation?.rawValue
        vendor = view.state.vendor?.rawValue
        merchant = (view.state.merchant ?? view.state.references.merchant)?.storable
        terminal = (view.state.terminal ?? view.state.references.terminal)?.storable
        device = view.state.device?.storable
        currency = view.state.currency?.alpha
        amount = view.state.headlineAmount
        cardBrand = view.state.card?.brand?.storable
        lastFour = view.state.card?.lastFour?.storable
        authorizationCode = view.state.references.authorizationCode?.storable
        retrievalReference = view.state.references.retrievalReference?.storable
        invoice = view.state.references.invoice?.storable
        gatewayTransaction = view.state.references.gatewayTransaction?.storable
        isInDoubt = view.state.isInDoubt
        isAnomalous = !view.state.anomalies.isEmpty
        self.view = try view.json().text
        batches = JSONValue.array(view.state.batchNumbers.map { .string($0.storable) }).text
        reference = view.state.reference?.storable
        reader = view.state.cardReader?.serial.storable
        identifiers = JSONValue.array(view.state.identifiers.map(JSONValue.string)).text
    }
}

extension TransactionState {
    /// The figure a list shows: captured or credited, else authorised, else requested.
    var headlineAmount: Int64? {
        if let credit { return credit.amount }
        if !captures.isEmpty { return captured }
        return hasApproval ? authorized : requested
    }

    /// The batches its money is in, each once, in the order they were told.
    var batchNumbers: [String] {
        let told =
            captures.map { $0.settledIn ?? $0.batch } + refunds.map { $0.settledIn ?? $0.batch }
            + [credit?.settledIn ?? credit?.batch]
        var numbers: [String] = []
        for case let number? in told.map({ $0?.number }) where !numbers.contains(number) { numbers.append(number) }
        return numbers
    }
}

extension TransactionState {
    /// What it is found by as text.
    fileprivate var identifiers: [String] {
        let names = [
            reference, merchant, terminal, device, cardReader?.serial, references.gatewayTransaction,
            references.invoice,
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
            // A name of several words is found by each of them.
            for word in name.split(whereSeparator: \.isWhitespace) { add(word) }
        }
        for batch in batches { add(batch) }
        return found
    }
}
