package import Canonical
package import Payments

/// One payment, folded up to some event.
package struct TransactionView: Sendable, Hashable {
    package var id: UUID128
    package var state: TransactionState
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp

    package init(
        id: UUID128,
        state: TransactionState,
        firstPosition: Int64,
        lastPosition: Int64,
        occurredAt: Timestamp,
        recordedAt: Timestamp
    ) {
        self.id = id
        self.state = state
        self.firstPosition = firstPosition
        self.lastPosition = lastPosition
        self.occurredAt = occurredAt
        self.recordedAt = recordedAt
    }

    /// The payment's merchant, by which it is searched and counted.
    package var merchant: String? { state.merchant }
}
