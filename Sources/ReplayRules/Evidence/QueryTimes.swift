import Canonical
import Payments

/// The times at which Daybook's queries about a payment were recorded, before they were sent. The time of a record may
/// be some seconds ahead of the clocks; an earlier time of the sender counts.
///
/// What a query proves, it proves about the payment at that time, and not when its answer arrived.
struct QueryTimes {
    private var times: [Int64: Timestamp] = [:]

    /// - Parameter facts: Every event of the payment's stream, in order.
    init(_ facts: [RecordedFact]) {
        var sent: [String: Timestamp] = [:]
        var answered: (at: Timestamp, query: Timestamp)?
        for fact in facts {
            switch fact.event {
            case .gateway(let event) where event.report.operation == .find:
                switch event.name {
                case .callSent: sent[event.report.reference] = min(fact.at, event.report.at ?? fact.at)
                case .callAnswered:
                    let query = sent[event.report.reference] ?? fact.at
                    answered = (fact.at, query)
                    times[fact.position] = query
                case .callFailed, .callTimedOut: break
                }
            case .outcomeResolved(let resolution) where resolution.testimony == nil:
                // An answer and its facts are appended together, and so have one time.
                if let answered, answered.at == fact.at { times[fact.position] = answered.query }
            // A document begins another append, which may have the same time.
            case .documentReceived: answered = nil
            default: break
            }
        }
    }

    /// The time of the query that led to this event; nil for other events.
    subscript(fact: RecordedFact) -> Timestamp? { times[fact.position] }
}
