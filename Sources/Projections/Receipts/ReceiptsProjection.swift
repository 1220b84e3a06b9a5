import Canonical
import Payments
package import Postgres

/// The read model `receipts`: the printable content of each payment.
package struct ReceiptsProjection: Projection {
    package let name = "receipts"
    package let version = 11
    package let definition = EmbeddedFiles.receipts_sql
    package let contents = [ProjectionTable("receipts", key: ["tenant", "id"])]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let payments = try run.payments()
        guard !payments.isEmpty else { return }
        var receipts = PostgresArrayBuilder.json(reserving: payments.count * 1024)
        for payment in payments {
            let receipt = Receipt(
                payment.after,
                transaction: payment.id,
                firstSeen: payment.beginning.occurredAt,
                position: payment.lastPosition
            )
            receipts.append(receipt.json.bytes)
        }
        _ = try await transaction.execute(
            """
            INSERT INTO receipts (tenant, id, version, receipt)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::json[])
            ON CONFLICT (tenant, id) DO UPDATE SET version = excluded.version, receipt = excluded.receipt
            """,
            [
                .textArray(payments.map(\.tenant)),
                .uuidArray(payments.map(\.id)),
                .int64Array(payments.map(\.after.version)),
                .array(receipts),
            ]
        )
    }
}
