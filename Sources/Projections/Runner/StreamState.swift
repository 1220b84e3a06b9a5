package import Canonical
package import Payments

/// The state that the events of one kind of stream fold to.
package protocol StreamState: Sendable {
    associatedtype Fact: LedgerEvent

    init()
    /// The number of folded events.
    var version: Int64 { get }
    /// The parts of a fact that folding needs, read directly from its text; nil when only `Fact.init` can read it.
    static func fact(folding text: String, type: String, schema: Int) -> Fact?
    /// - Parameter at: The time of the event, from its envelope.
    mutating func fold(_ fact: Fact, at: Timestamp)
    /// The id in the name of a stream of this kind; nil for the name of any other stream.
    static func id(of stream: String) -> UUID128?
}

extension StreamState {
    package static func fact(folding text: String, type: String, schema: Int) -> Fact? { nil }
}

extension TransactionState: StreamState {
    package mutating func fold(_ fact: TransactionEvent, at: Timestamp) { Lifecycle.evolve(&self, fact, at: at) }

    package static func fact(folding text: String, type: String, schema: Int) -> TransactionEvent? {
        TransactionEvent(folding: text, type: type, schema: schema)
    }

    package static func id(of stream: String) -> UUID128? {
        StreamName.paymentID(stream)
    }
}

extension BatchState: StreamState {
    package mutating func fold(_ fact: BatchEvent, at: Timestamp) { evolve(fact) }

    package static func id(of stream: String) -> UUID128? {
        StreamName.batchUUID(stream)
    }
}

/// The beginning of a stream.
package struct StreamBeginning: Sendable, Hashable {
    package var position: Int64
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp
}

/// The events of one stream in a run of the log, with the states before and after them.
package struct StreamRun<State: StreamState>: Sendable {
    package struct Step: Sendable {
        package var position: Int64
        package var occurredAt: Timestamp
        package var fact: State.Fact
    }

    package let tenant: String
    package let id: UUID128
    package let beginning: StreamBeginning
    package let before: State
    package var after: State
    /// At least one step, in order.
    package var steps: [Step] = []

    package var lastPosition: Int64 { steps.last?.position ?? beginning.position }
}

package typealias PaymentRun = StreamRun<TransactionState>
typealias BatchRun = StreamRun<BatchState>
