import Canonical
package import EventLog
import Payments
package import Postgres

/// The read model `receipts`: what can be printed about each payment.
package struct ReceiptsProjection: Projection {
    package let name = "receipts"
    package let version = 1
    package let definition = String(decoding: PackageResources.receipts_sql, as: UTF8.self)
    package let contents = [
        "SELECT r::text FROM receipts r ORDER BY tenant, id",
        "SELECT s::text FROM states s ORDER BY tenant, stream",
    ]

    package init() {}

    package func apply(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        let folded = try await FoldedPayments(events, in: transaction)
        guard !folded.isEmpty else { return }
        try await folded.save(in: transaction)
        let encoder = JSONValueEncoder()
        _ = try await transaction.execute(
            """
            INSERT INTO receipts (tenant, id, version, receipt)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::json[])
            ON CONFLICT (tenant, id) DO UPDATE SET version = excluded.version, receipt = excluded.receipt
            """,
            [
                .textArray(folded.payments.map(\.tenant)),
                .uuidArray(folded.payments.map(\.id)),
                .int64Array(folded.payments.map(\.state.version)),
                .jsonArray(
                    try folded.payments.map {
                        try encoder.encode(Receipt($0.state, transaction: $0.id, firstSeen: $0.occurredAt)).text
                    }
                ),
            ]
        )
    }
}
