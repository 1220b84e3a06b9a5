import Canonical
package import EventLog
import Payments
package import Postgres

/// The read model `transactions`: every payment's folded state, and the columns it is searched by.
package struct TransactionsProjection: Projection {
    package let name = "transactions"
    package let version = 1
    package let definition = String(decoding: PackageResources.transactions_sql, as: UTF8.self)
    package let contents = [
        "SELECT t::text FROM transactions t ORDER BY tenant, id",
        "SELECT s::text FROM states s ORDER BY tenant, stream",
    ]

    package init() {}

    package func apply(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        let folded = try await FoldedPayments(events, in: transaction)
        guard !folded.isEmpty else { return }
        try await StateTable.save(folded.states, in: transaction)
        let rows = folded.payments
        _ = try await transaction.execute(
            """
            INSERT INTO transactions AS t
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::timestamptz[],
                $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
                $14::text[], $15::int8[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[])
                AS r (tenant, id, version, first_position, last_position, occurred_at, recorded_at, status, operation,
                vendor, merchant, terminal, device, currency, amount, card_brand, last_four, authorization_code,
                retrieval_reference, invoice, gateway_transaction)
            CROSS JOIN LATERAL (SELECT '{}'::text[] AS batch_numbers, false AS in_doubt, false AS anomalous) AS defaults
            ON CONFLICT (tenant, id) DO UPDATE SET
                version = excluded.version, last_position = excluded.last_position, status = excluded.status,
                operation = excluded.operation, vendor = excluded.vendor, merchant = excluded.merchant,
                terminal = excluded.terminal, device = excluded.device, currency = excluded.currency,
                amount = excluded.amount, card_brand = excluded.card_brand, last_four = excluded.last_four,
                authorization_code = excluded.authorization_code,
                retrieval_reference = excluded.retrieval_reference, invoice = excluded.invoice,
                gateway_transaction = excluded.gateway_transaction
            """,
            [
                .textArray(rows.map(\.tenant)),
                .uuidArray(rows.map(\.id)),
                .int64Array(rows.map(\.state.version)),
                .int64Array(rows.map(\.firstPosition)),
                .int64Array(rows.map(\.lastPosition)),
                .timestamptzArray(rows.map(\.occurredAt)),
                .timestamptzArray(rows.map(\.recordedAt)),
                .textArray(rows.map(\.state.status.rawValue)),
                .textArray(rows.map(\.state.operation?.rawValue)),
                .textArray(rows.map(\.state.vendor?.rawValue)),
                .textArray(rows.map { $0.state.merchant ?? $0.state.references.merchant }),
                .textArray(rows.map { $0.state.terminal ?? $0.state.references.terminal }),
                .textArray(rows.map(\.state.device)),
                .textArray(rows.map(\.state.currency?.alpha)),
                .int64Array(rows.map(\.state.headlineAmount)),
                .textArray(rows.map(\.state.card?.brand)),
                .textArray(rows.map(\.state.card?.lastFour)),
                .textArray(rows.map(\.state.references.authorizationCode)),
                .textArray(rows.map(\.state.references.retrievalReference)),
                .textArray(rows.map(\.state.references.invoice)),
                .textArray(rows.map(\.state.references.gatewayTransaction)),
            ]
        )
        // PostgreSQL has no arrays of arrays of different lengths: the batch numbers travel as JSON.
        _ = try await transaction.execute(
            """
            UPDATE transactions t SET in_doubt = r.in_doubt, anomalous = r.anomalous,
                batch_numbers = ARRAY(SELECT json_array_elements_text(r.batches))
            FROM unnest($1::text[], $2::uuid[], $3::bool[], $4::bool[], $5::json[])
                AS r (tenant, id, in_doubt, anomalous, batches)
            WHERE t.tenant = r.tenant AND t.id = r.id
            """,
            [
                .textArray(rows.map(\.tenant)),
                .uuidArray(rows.map(\.id)),
                .boolArray(rows.map { $0.state.status == .inDoubt }),
                .boolArray(rows.map { !$0.state.anomalies.isEmpty }),
                .jsonArray(rows.map { JSONValue.array($0.state.batchNumbers.map(JSONValue.string)).text }),
            ]
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
        let told = captures.map(\.batch) + refunds.map(\.batch) + [credit?.batch]
        var numbers: [String] = []
        for case let number? in told.map({ $0?.number }) where !numbers.contains(number) { numbers.append(number) }
        return numbers
    }
}
