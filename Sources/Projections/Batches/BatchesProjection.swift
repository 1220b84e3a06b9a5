import Canonical
package import EventLog
import Payments
package import Postgres

/// The read model `batches`: settlement batches with their members.
package struct BatchesProjection: Projection {
    package let name = "batches"
    package let version = 1
    package let definition = String(decoding: PackageResources.batches_sql, as: UTF8.self)
    package let contents = [
        "SELECT b::text FROM batches b ORDER BY tenant, id",
        "SELECT m::text FROM members m ORDER BY tenant, transaction, line",
        "SELECT s::text FROM states s ORDER BY tenant, stream",
    ]

    package init() {}

    package func apply(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        // Members first: a batch's row must exist, whichever of the two is told first.
        try await applyPayments(events, in: transaction)
        try await applyBatches(events, in: transaction)
    }

    private func applyPayments(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        let folded = try await FoldedPayments(events, in: transaction)
        guard !folded.isEmpty else { return }
        try await StateTable.save(folded.states, in: transaction)
        let members = folded.payments.flatMap(BatchMember.members(of:))
        var rows: [BatchRow] = []
        for payment in folded.payments {
            for reference in Set(BatchMember.members(of: payment).map(\.batch)) {
                rows.append(BatchRow(reference, tenant: payment.tenant, payment: payment))
            }
        }
        try await BatchRow.upsert(rows, in: transaction)
        try await BatchMember.replace(members, of: folded.payments, in: transaction)
    }

    private func applyBatches(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        let relevant = events.filter { $0.stream.hasPrefix("batch/") }
        guard !relevant.isEmpty else { return }
        var states = try await StateTable<BatchState>.load(relevant, in: transaction)
        var rows: [StateTable<BatchState>.Key: BatchRow] = [:]
        for event in relevant {
            let key = StateTable<BatchState>.Key(tenant: event.tenant, stream: event.stream)
            let fact = try BatchEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
            states[key, default: BatchState()].evolve(fact)
            guard let state = states[key], let row = BatchRow(state, event: event, earlier: rows[key]) else { continue }
            rows[key] = row
        }
        try await StateTable.save(states, in: transaction)
        try await BatchRow.upsert(rows.values.sorted { $0.firstPosition < $1.firstPosition }, in: transaction)
    }
}
