package import Canonical
package import Payments
import Postgres
import Projections

/// Money of one vendor and merchant that payments moved, and chargebacks took back, within a minute, and that no
/// statement has reported.
package struct OpenPayments: Sendable, Hashable {
    package var vendor: String?
    package var merchant: String?
    package var at: Timestamp
    /// Before fees; below zero if more was refunded or charged back. Nil if it exceeds 64 bits.
    package var amount: Money?
}

extension ReconciliationQuery {
    /// Passes the money that processors will report to `body` row by row: of captures, refunds, credits and chargebacks
    /// that no line explains, no deposit has paid, and no exception is about. Tenders that no acquirer settles are left
    /// out. A chargeback has the time of its report, and so has its reversal.
    ///
    /// - Throws: The errors of `body`; `UnreadableRow`, `PostgresError`.
    package func openPayments(of tenant: String, _ body: (OpenPayments) throws -> Void) async throws {
        try await pool.withConnection { connection in
            try await connection.stream(
                EmbeddedFiles.openPayments_sql,
                [.text(tenant), .textArray(ExceptionSQL.withoutAcquirer)]
            ) { row in
                guard let currency = Currency(alpha: try row.text(2)) else { throw UnreadableRow() }
                try body(
                    OpenPayments(
                        vendor: try row.textOrNull(0),
                        merchant: try row.textOrNull(1),
                        at: try row.timestamp(3),
                        amount: Int64(try row.text(4)).map { Money($0, currency) }
                    )
                )
            }
        }
    }
}
