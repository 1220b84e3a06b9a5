import Canonical
import EventLog
import Payments
import Postgres

/// The payments that a run of events is about, folded up to the end of the run.
struct FoldedPayments {
    struct Payment {
        var tenant: String
        var id: UUID128
        var state: TransactionState
        var firstPosition: Int64
        var lastPosition: Int64
        var occurredAt: Timestamp
        var recordedAt: Timestamp
    }

    private(set) var states: [StateTable<TransactionState>.Key: TransactionState] = [:]
    private(set) var payments: [Payment] = []

    var isEmpty: Bool { payments.isEmpty }

    /// Loads the states before the run from the projection's table `states`, and folds the run over them.
    ///
    /// - Throws: `UnknownEvent` or a `DecodingError` for an event that cannot be read.
    init(_ events: [RecordedEvent], in transaction: borrowing PostgresTransaction) async throws {
        let relevant = events.filter { $0.stream.hasPrefix("transaction/") }
        guard !relevant.isEmpty else { return }
        states = try await StateTable<TransactionState>.load(relevant, in: transaction)
        var index: [StateTable<TransactionState>.Key: Int] = [:]
        for event in relevant {
            let key = StateTable<TransactionState>.Key(tenant: event.tenant, stream: event.stream)
            let fact = try TransactionEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
            Lifecycle.evolve(&states[key, default: TransactionState()], fact)
            if let known = index[key] {
                payments[known].lastPosition = event.position
            } else if let id = UUID128(String(event.stream.dropFirst("transaction/".count))) {
                index[key] = payments.count
                payments.append(
                    Payment(
                        tenant: event.tenant,
                        id: id,
                        state: TransactionState(),
                        firstPosition: event.position,
                        lastPosition: event.position,
                        occurredAt: event.occurredAt,
                        recordedAt: event.recordedAt
                    )
                )
            }
        }
        for (key, at) in index {
            if let state = states[key] { payments[at].state = state }
        }
    }
}
