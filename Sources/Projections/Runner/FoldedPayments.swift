import Canonical
import EventLog
import Payments
import Postgres

/// The payments that a run of events is about, folded up to the end of the run.
///
/// A read model must not depend on where the log was cut into runs, or a rebuild would not give the same rows: what
/// is remembered of single events is remembered as each of them is folded.
struct FoldedPayments {
    typealias Table = StateTable<TransactionState>

    struct Payment {
        var tenant: String
        var id: UUID128
        var state: TransactionState
        /// Of the payment's first event.
        var firstPosition: Int64
        /// Of the payment's newest event.
        var lastPosition: Int64
        /// When the payment's first event happened.
        var occurredAt: Timestamp
        /// When the run's first event of the payment was recorded.
        var recordedAt: Timestamp
    }

    /// In the order of their first events in the run.
    private(set) var payments: [Payment] = []

    var isEmpty: Bool { payments.isEmpty }

    /// Loads the states before the run from the projection's table `states`, and folds the run over them.
    ///
    /// - Parameter each: Called after every event with the payment as it then is.
    /// - Throws: `UnknownEvent` or a `DecodingError` for an event that cannot be read.
    init(
        _ events: [RecordedEvent],
        in transaction: borrowing PostgresTransaction,
        each: (Payment, RecordedEvent) -> Void = { _, _ in }
    ) async throws {
        let relevant = events.compactMap { event in
            StreamName.transactionID(event.stream).flatMap { UUID128($0) }.map { (event: event, id: $0) }
        }
        guard !relevant.isEmpty else { return }
        let known = try await Table.load(relevant.map(\.event), in: transaction)
        var index: [Table.Key: Int] = [:]
        for (event, id) in relevant {
            let key = Table.Key(tenant: event.tenant, stream: event.stream)
            let fact = try TransactionEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
            if index[key] == nil {
                index[key] = payments.count
                payments.append(
                    Payment(
                        tenant: event.tenant,
                        id: id,
                        state: known[key]?.state ?? TransactionState(),
                        firstPosition: known[key]?.firstPosition ?? event.position,
                        lastPosition: event.position,
                        occurredAt: known[key]?.firstOccurredAt ?? event.occurredAt,
                        recordedAt: event.recordedAt
                    )
                )
            }
            guard let at = index[key] else { continue }
            Lifecycle.evolve(&payments[at].state, fact)
            payments[at].lastPosition = event.position
            each(payments[at], event)
        }
    }

    /// Writes the states back into the projection's table `states`.
    func save(in transaction: borrowing PostgresTransaction) async throws {
        var entries: [Table.Key: Table.Entry] = [:]
        for payment in payments {
            entries[Table.Key(tenant: payment.tenant, stream: StreamName.transaction(payment.id))] = Table.Entry(
                state: payment.state,
                firstPosition: payment.firstPosition,
                firstOccurredAt: payment.occurredAt
            )
        }
        try await Table.save(entries, in: transaction)
    }
}

extension String {
    /// Text for a column: PostgreSQL cannot store U+0000, and a sender must not be able to halt a read model with it.
    var storable: String { utf8.contains(0) ? replacing("\u{0}", with: "\u{2400}") : self }
}
