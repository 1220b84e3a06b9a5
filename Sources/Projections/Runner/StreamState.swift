import Canonical
import Payments

/// What the events of one kind of stream fold to.
protocol StreamState: Sendable {
    associatedtype Fact: LedgerEvent

    init()
    /// How many events have been folded.
    var version: Int64 { get }
    /// The fact as far as folding needs it, read straight from its text; nil where only `Fact.init` can tell.
    static func fact(folding text: String, type: String, schema: Int) -> Fact?
    /// - Parameter at: When the event happened, by its envelope.
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

/// How a stream began.
struct StreamBeginning: Sendable, Hashable {
    var position: Int64
    var occurredAt: Timestamp
    var recordedAt: Timestamp
}

/// What a run of the log says about one stream: its events, and what it folds to before and after them.
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
    /// At least one, in order.
    var steps: [Step] = []

    var lastPosition: Int64 { steps.last?.position ?? beginning.position }
}

typealias PaymentRun = StreamRun<TransactionState>
typealias BatchRun = StreamRun<BatchState>
