import Payments
package import Postgres

/// The read model `batches`: settlement batches with their members.
package struct BatchesProjection: Projection {
    package let name = "batches"
    package let version = 16
    package let definition = EmbeddedFiles.batches_sql
    package let contents = [
        ProjectionTable("batches", key: ["tenant", "id"]),
        ProjectionTable("members", key: ["tenant", "transaction", "line", "since"]),
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var rows = BatchRows()
        var versions = BatchMemberVersions()
        for payment in try run.payments() {
            var members = BatchMember.members(of: payment.before)
            // A batch lists every event of a payment that had a line in it, so every intermediate state counts.
            var state = payment.before
            for step in payment.steps {
                state.fold(step.fact, at: step.occurredAt)
                let before = members
                members = BatchMember.members(of: state)
                versions.add(payment, at: step.position, before: before, after: members)
                for batch in members.lazy.compactMap(\.batch) {
                    rows.note(batch, of: payment.tenant, step.position, step.occurredAt)
                }
            }
        }
        for batch in try run.batches() {
            var state = batch.before
            for step in batch.steps {
                let wasPart = state.partOf != nil
                state.fold(step.fact, at: step.occurredAt)
                rows.note(state, wasPart: wasPart, of: batch.tenant, step.position, step.occurredAt)
            }
        }
        try await rows.upsert(in: transaction)
        try await versions.write(in: transaction)
    }
}
