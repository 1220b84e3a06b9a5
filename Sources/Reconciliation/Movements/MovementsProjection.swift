import Canonical
import Payments
package import Postgres
package import Projections

/// The read model `movements`: the ledger's side of the comparison with statement lines.
package struct MovementsProjection: Projection {
    package let name = "movements"
    package let version = 13
    package let definition = EmbeddedFiles.movements_sql
    package let contents = [
        ProjectionTable("movements", key: ["tenant", "transaction", "line"]),
        ProjectionTable("chargebacks", key: ["tenant", "transaction", "id"]),
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let payments = try run.payments()
        guard !payments.isEmpty else { return }
        _ = try await transaction.execute(
            """
            DELETE FROM movements m USING unnest($1::text[], $2::uuid[]) AS p (tenant, transaction)
            WHERE m.tenant = p.tenant AND m.transaction = p.transaction
            """,
            [.textArray(payments.map(\.tenant)), .uuidArray(payments.map(\.id))]
        )
        let rows = payments.flatMap(Row.rows)
        _ = try await transaction.execute(
            EmbeddedFiles.movementInsert_sql,
            [
                .textArray(rows.map(\.tenant)),
                .uuidArray(rows.map(\.transaction)),
                .textArray(rows.map(\.movement.line.storableKey)),
                .int64Array(rows.map(\.position)),
                .textArray(rows.map(\.movement.type.rawValue)),
                .textArray(rows.map(\.status)),
                .textArray(rows.map(\.vendor)),
                .textArray(rows.map(\.currency)),
                .int64Array(rows.map(\.movement.amount)),
                .timestamptzArray(rows.map(\.movement.at)),
                .timestamptzArray(rows.map(\.movement.localAt?.asUTC)),
                .textArray(rows.map { $0.movement.references.gatewayTransaction?.indexable }),
                .textArray(rows.map { $0.movement.references.hostTransaction?.indexable }),
                .textArray(rows.map { $0.movement.references.vendorTransaction?.indexable }),
                .textArray(rows.map { $0.movement.origin?.indexable }),
                .textArray(rows.map { $0.movement.references.retrievalReference?.indexable }),
                .textArray(rows.map { $0.movement.references.authorizationCode?.indexable }),
                .textArray(rows.map { $0.movement.references.invoice?.indexable }),
                .textArray(rows.map(\.reference)),
                .textArray(rows.map(\.merchant)),
                .textArray(rows.map(\.terminal)),
                .textArray(rows.map { $0.movement.batch?.indexable }),
                .textArray(rows.map { $0.movement.lastFour?.indexable }),
                .textArray(rows.map { $0.movement.brand?.storable }),
                .textArray(rows.map { $0.movement.tender?.storable }),
                .boolArray(rows.map(\.isPaid)),
                .textArray(rows.map { $0.movement.terminals.first?.indexable }),
                .textArray(rows.map { $0.movement.terminals.dropFirst().first?.indexable }),
            ]
        )
        try await ChargebackRows(payments).write(in: transaction)
    }
}

/// A movement with the columns that all movements of its payment share.
private struct Row {
    let tenant: String
    let transaction: UUID128
    let position: Int64
    let status: String
    let vendor: String?
    let currency: String
    let reference: String?
    let merchant: String?
    let terminal: String?
    let movement: Movement
    /// Whether a deposit has paid it.
    let isPaid: Bool

    static func rows(of payment: PaymentRun) -> [Row] {
        let state = payment.after
        guard let currency = state.currency?.alpha else { return [] }
        let status = state.status.rawValue
        let funded = FundedLines(state)
        return Movement.movements(of: state, begunAt: payment.beginning.occurredAt).map { movement in
            Row(
                tenant: payment.tenant,
                transaction: payment.id,
                position: payment.lastPosition,
                status: status,
                vendor: state.identity.vendor?.rawValue,
                currency: currency,
                reference: state.identity.reference?.indexable,
                merchant: state.merchant?.indexable,
                terminal: (state.identity.terminal ?? state.references.terminal)?.indexable,
                movement: movement,
                isPaid: funded.contains(movement)
            )
        }
    }
}

extension String {
    /// The text cut to a length that an index can hold. A statement line is cut at the same length.
    fileprivate var indexable: String {
        let text = storable
        return text.utf8.count <= 500 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(500)))
    }
}
