import Journal
package import Projections
import Reconciliation
import Replay

extension ReadModels {
    /// The read models of the ledger.
    package static let all: [any Projection] = [
        TransactionsProjection(), ReceiptsProjection(), BatchesProjection(), PortionsProjection(),
        ReadersProjection(),
        AnomaliesProjection(), CheckoutsProjection(), MerchantsProjection(), StatementsProjection(),
        MovementsProjection(), ReconciliationProjection(), ReplaysProjection(), JournalProjection(),
    ]

    package static func named(_ name: String) -> (any Projection)? { all.first { $0.name == name } }
}
