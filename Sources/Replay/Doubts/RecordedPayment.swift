import EventLog
import Intake
import Payments
import ReplayRules

/// A payment as it was read from the log: its events, decoded and folded once. What is recorded later is added.
struct RecordedPayment: Sendable {
    private(set) var facts: [RecordedFact] = []
    private(set) var state = TransactionState()
    /// The version of the stream; 0 if there is no such payment.
    private(set) var version: Int64 = 0
    private(set) var tenant = ""

    /// - Parameter history: Every event of the payment's stream, in order.
    /// - Throws: An error for an event that cannot be read.
    init(_ history: [RecordedEvent]) throws { try append(history) }

    /// - Parameter newer: The events that follow, in order.
    /// - Throws: An error for an event that cannot be read.
    mutating func append(_ newer: [RecordedEvent]) throws {
        for event in newer {
            let fact = try RecordedFact(event)
            state.fold(fact)
            facts.append(fact)
            version = event.version
            tenant = event.tenant
        }
    }
}

extension RecordedFact {
    /// - Throws: An error for an event that cannot be read.
    init(_ recorded: RecordedEvent) throws {
        self.init(
            position: recorded.position,
            at: recorded.recordedAt,
            occurredAt: recorded.occurredAt,
            event: try TransactionEvent(recorded)
        )
    }
}
