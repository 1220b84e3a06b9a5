import Canonical
import Payments
package import Postgres

/// The read model `transactions`: what is answered about every payment, and the columns it is searched by.
package struct TransactionsProjection: Projection {
    package let name = "transactions"
    package let version = 6
    package let definition = String(decoding: PackageResources.transactions_sql, as: UTF8.self)
    package let contents = ["SELECT t::text FROM transactions t ORDER BY tenant, id"]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let rows = try run.payments().map(Row.init)
        guard !rows.isEmpty else { return }
        // PostgreSQL has no arrays of arrays of different lengths: the batch numbers travel as JSON.
        _ = try await transaction.execute(
            """
            INSERT INTO transactions AS t (tenant, id, version, first_position, last_position, occurred_at, recorded_at,
                status, operation, vendor, merchant, terminal, device, currency, amount, card_brand, last_four,
                authorization_code, retrieval_reference, invoice, gateway_transaction, in_doubt, anomalous,
                view, batch_numbers, reference)
            SELECT r.tenant, r.id, r.version, r.first_position, r.last_position, r.occurred_at, r.recorded_at,
                r.status, r.operation, r.vendor, r.merchant, r.terminal, r.device, r.currency, r.amount, r.card_brand,
                r.last_four, r.authorization_code, r.retrieval_reference, r.invoice, r.gateway_transaction, r.in_doubt,
                r.anomalous, r.view, ARRAY(SELECT json_array_elements_text(r.batches)), r.reference
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::timestamptz[],
                $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
                $14::text[], $15::int8[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
                $22::bool[], $23::bool[], $24::json[], $25::json[], $26::text[])
                AS r (tenant, id, version, first_position, last_position, occurred_at, recorded_at, status, operation,
                vendor, merchant, terminal, device, currency, amount, card_brand, last_four, authorization_code,
                retrieval_reference, invoice, gateway_transaction, in_doubt, anomalous, view, batches,
                reference)
            ON CONFLICT (tenant, id) DO UPDATE SET
                version = excluded.version, last_position = excluded.last_position, status = excluded.status,
                operation = excluded.operation, vendor = excluded.vendor, merchant = excluded.merchant,
                terminal = excluded.terminal, device = excluded.device, currency = excluded.currency,
                amount = excluded.amount, card_brand = excluded.card_brand, last_four = excluded.last_four,
                authorization_code = excluded.authorization_code,
                retrieval_reference = excluded.retrieval_reference, invoice = excluded.invoice,
                gateway_transaction = excluded.gateway_transaction, in_doubt = excluded.in_doubt,
                anomalous = excluded.anomalous, view = excluded.view, batch_numbers = excluded.batch_numbers,
                reference = excluded.reference
            """,
            [
                .textArray(rows.map(\.tenant)),
                .uuidArray(rows.map(\.view.id)),
                .int64Array(rows.map(\.view.state.version)),
                .int64Array(rows.map(\.view.firstPosition)),
                .int64Array(rows.map(\.view.lastPosition)),
                .timestamptzArray(rows.map(\.view.occurredAt)),
                .timestamptzArray(rows.map(\.view.recordedAt)),
                .textArray(rows.map(\.view.state.status.rawValue)),
                .textArray(rows.map(\.view.state.operation?.rawValue)),
                .textArray(rows.map(\.view.state.vendor?.rawValue)),
                .textArray(rows.map { ($0.view.state.merchant ?? $0.view.state.references.merchant)?.storable }),
                .textArray(rows.map { ($0.view.state.terminal ?? $0.view.state.references.terminal)?.storable }),
                .textArray(rows.map(\.view.state.device?.storable)),
                .textArray(rows.map(\.view.state.currency?.alpha)),
                .int64Array(rows.map(\.view.state.headlineAmount)),
                .textArray(rows.map(\.view.state.card?.brand?.storable)),
                .textArray(rows.map(\.view.state.card?.lastFour?.storable)),
                .textArray(rows.map(\.view.state.references.authorizationCode?.storable)),
                .textArray(rows.map(\.view.state.references.retrievalReference?.storable)),
                .textArray(rows.map(\.view.state.references.invoice?.storable)),
                .textArray(rows.map(\.view.state.references.gatewayTransaction?.storable)),
                .boolArray(rows.map { $0.view.state.isInDoubt }),
                .boolArray(rows.map { !$0.view.state.anomalies.isEmpty }),
                .jsonArray(try rows.map { try $0.view.json().text }),
                .jsonArray(rows.map { JSONValue.array($0.view.state.batchNumbers.map { .string($0.storable) }).text }),
                .textArray(rows.map(\.view.state.reference?.storable)),
            ]
        )
    }
}

private struct Row {
    let tenant: String
    let view: TransactionView

    init(_ payment: PaymentRun) {
        tenant = payment.tenant
        view = TransactionView(
            id: payment.id,
            state: payment.after,
            firstPosition: payment.beginning.position,
            lastPosition: payment.lastPosition,
            occurredAt: payment.beginning.occurredAt,
            recordedAt: payment.beginning.recordedAt
        )
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
