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
        var rows = BatchRows()
        let folded = try await FoldedPayments(events, in: transaction) { payment, event in
            for batch in Set(BatchMember.members(of: payment).map(\.batch)) { rows.note(batch, event) }
        }
        try await fold(events, into: &rows, in: transaction)
        try await rows.upsert(in: transaction)
        guard !folded.isEmpty else { return }
        try await folded.save(in: transaction)
        let members = folded.payments.flatMap(BatchMember.members(of:))
        try await BatchMember.replace(members, of: folded.payments, in: transaction)
    }

    /// Folds the events of the batches' own streams.
    private func fold(
        _ events: [RecordedEvent],
        into rows: inout BatchRows,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        typealias Table = StateTable<BatchState>
        let relevant = events.filter { StreamName.batchID($0.stream) != nil }
        guard !relevant.isEmpty else { return }
        var entries = try await Table.load(relevant, in: transaction)
        for event in relevant {
            let fact = try BatchEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
            let key = Table.Key(tenant: event.tenant, stream: event.stream)
            var entry =
                entries[key]
                ?? Table.Entry(
                    state: BatchState(),
                    firstPosition: event.position,
                    firstOccurredAt: event.occurredAt
                )
            entry.state.evolve(fact)
            entries[key] = entry
            rows.note(entry.state, event)
        }
        try await Table.save(entries, in: transaction)
    }
}
