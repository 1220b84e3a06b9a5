import Payments
package import Postgres

/// The read model `transactions`: the JSON of every payment, and the columns for searches.
package struct TransactionsProjection: Projection {
    package let name = "transactions"
    package let version = 23
    package let definition = EmbeddedFiles.transactions_sql
    package let contents = [ProjectionTable("transactions", key: ["tenant", "id"])]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let rows = try run.payments().map { TransactionRow($0) }
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(Self.upsert, TransactionRow.parameters(rows))
    }

    /// A newer row replaces the older one, except for the columns about the payment's beginning.
    private static let upsert: String = {
        let names = TransactionRow.columns.map(\.name)
        let changing = names.filter { !["tenant", "id", "first_position", "occurred_at", "recorded_at"].contains($0) }
        return """
            INSERT INTO transactions AS t (\(names.joined(separator: ", ")))
            \(TransactionRow.source)
            ON CONFLICT (tenant, id) DO UPDATE SET
                \(changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }()
}
