import Canonical
import Payments

/// The state that the events of one kind of stream fold to.
protocol StreamState: Sendable {
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
    static func fact(folding text: String, type: String, schema: Int) -> Fact? { nil }
}

extension TransactionState: StreamState {
    mutating func fold(_ fact: TransactionEvent, at: Timestamp) { Lifecycle.evolve(&self, fact, at: at) }

    static func fact(folding text: String, type: String, schema: Int) -> TransactionEvent? {
        TransactionEvent(folding: text, type: type, schema: schema)
    }

    static func id(of stream: String) -> UUID128? {
        StreamName.transactionID(stream).flatMap { UUID128($0) }
    }
}

extension BatchState: StreamState {
    mutating func fold(_ fact: BatchEvent, at: Timestamp) { evolve(fact) }

    static func id(of stream: String) -> UUID128? {
        StreamName.batchID(stream).flatMap { UUID128($0) }
    }
}

/// The beginning of a stream.
struct StreamBeginning: Sendable, Hashable {
    var position: Int64
    var occurredAt: Timestamp
    var recordedAt: Timestamp
}

/// The events of one stream in a run of the log, with the states before and after them.
struct StreamRun<State: StreamState>: Sendable {
    struct Step: Sendable {
        var position: Int64
        var occurredAt: Timestamp
        var fact: State.Fact
    }

    let tenant: String
    let id: UUID128
    let beginning: StreamBeginning
    let before: State
    var after: State
    /// At least one step, in order.
    var steps: [Step] = []

    var lastPosition: Int64 { steps.last?.position ?? beginning.position }
}

typealias PaymentRun = StreamRun<TransactionState>
typealias BatchRun = StreamRun<BatchState>
