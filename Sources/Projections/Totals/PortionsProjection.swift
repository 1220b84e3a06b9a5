import Payments
package import Postgres

/// The read model `portions`: the taxes and health-care portions of lines of money, each with the positions from which
/// and until which it holds.
package struct PortionsProjection: Projection {
    package let name = "portions"
    package let version = 1
    package let definition = EmbeddedFiles.portions_sql
    package let contents = [
        ProjectionTable("portions", key: ["tenant", "transaction", "line", "kind", "label", "since"])
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var versions = PortionVersions()
        for payment in try run.payments() {
            // Most payments have no portions and are not folded again.
            guard payment.before.knowsPortions || payment.steps.contains(where: { $0.fact.reportsPortions }) else {
                continue
            }
            var state = payment.before
            var portions = Portion.portions(of: state)
            for step in payment.steps {
                state.fold(step.fact, at: step.occurredAt)
                let before = portions
                portions = Portion.portions(of: state)
                versions.add(payment, at: step.position, before: before, after: portions)
            }
        }
        try await versions.write(in: transaction)
    }
}
