import Canonical
import Payments
import Postgres
import Projections

/// The chargebacks of payments, which replace those that the payments had. Payments at a vendor's test system have
/// none.
struct ChargebackRows {
    private struct Row {
        let payment: PaymentRun
        let place: Int64
        let entry: ReturnEntry
        let currency: String
        let isPaid: Bool
    }

    private let payments: [PaymentRun]
    private let rows: [Row]

    init(_ payments: [PaymentRun]) {
        self.payments = payments.filter { !($0.before.chargebacks.isEmpty && $0.after.chargebacks.isEmpty) }
        rows = self.payments.flatMap { payment -> [Row] in
            guard let currency = payment.after.currency?.alpha, !payment.after.isTest else { return [] }
            let funded = FundedLines(payment.after)
            return payment.after.chargebacks.enumerated().map { place, entry in
                Row(
                    payment: payment,
                    place: Int64(place),
                    entry: entry,
                    currency: currency,
                    isPaid: funded.contains(chargeback: entry.id)
                )
            }
        }
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        guard !payments.isEmpty else { return }
        _ = try await transaction.execute(
            """
            DELETE FROM chargebacks c USING unnest($1::text[], $2::uuid[]) AS p (tenant, transaction)
            WHERE c.tenant = p.tenant AND c.transaction = p.transaction
            """,
            [.textArray(payments.map(\.tenant)), .uuidArray(payments.map(\.id))]
        )
        _ = try await transaction.execute(
            EmbeddedFiles.chargebackInsert_sql,
            [
                .textArray(rows.map(\.payment.tenant)),
                .uuidArray(rows.map(\.payment.id)),
                .textArray(rows.map(\.entry.id.storableKey)),
                .int64Array(rows.map(\.place)),
                .textArray(rows.map(\.currency)),
                .int64Array(rows.map(\.entry.amount)),
                .textArray(rows.map { $0.entry.isUndone ? $0.entry.undoneBy?.rawValue : nil }),
                .uuidArray(rows.map { $0.entry.isUndone ? $0.entry.undoingLine : nil }),
                .uuidArray(rows.map { StreamName.disputeID(of: $0.entry.id, in: $0.payment.id) }),
                .textArray(rows.map(\.entry.disputeStatus.rawValue)),
                .timestamptzArray(rows.map { $0.entry.at ?? $0.payment.beginning.occurredAt }),
                .textArray(rows.map { $0.payment.after.merchant?.storable }),
                .textArray(rows.map { $0.payment.after.identity.vendor?.rawValue }),
                .textArray(rows.map { $0.entry.dispute?.reasonCode?.storable }),
                .textArray(rows.map { $0.entry.dispute?.respondBy?.storable }),
                .timestamptzArray(rows.map { $0.entry.dispute?.representedAt }),
                .int64Array(rows.map { $0.entry.dispute?.representations ?? 0 }),
                .timestamptzArray(rows.map { $0.entry.dispute?.closedAt }),
                .int64Array(rows.map(\.payment.after.version)),
                .boolArray(rows.map(\.isPaid)),
            ]
        )
    }
}
