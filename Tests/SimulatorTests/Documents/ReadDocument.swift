import Canonical
import Payments
import Redaction
import Vendors

@testable import Projections

/// What the ledger makes of one document: its facts, and what a person sees of them.
struct ReadDocument {
    /// What a document has beside its events: the names by which its payment and its repeats are found, the time that
    /// it states, and whether it is about a test system.
    static let marks = ["key", "identity", "time", "test"]

    /// The facts as stored, by their type, and the marks; empty if the document was refused.
    private(set) var facts: [(type: String, text: String)] = []
    /// The views by name.
    private(set) var views: [String: String] = [:]
    private(set) var refusal: Refusal?
    /// The places where a value was removed or changed before the document was read.
    let redactions: [RedactedPlace]

    init(_ sample: DocumentRows.Sample, body: JSONValue, by adapter: any VendorAdapter) throws {
        let document = Scrubber(schema: adapter.redactionSchema(for: sample.kind)).scrub(UnscrubbedDocument(body))
        redactions = document.redactions
        let context = DocumentContext(
            terminal: sample.terminal,
            device: sample.device,
            namesPayment: sample.transaction != nil
        )
        let observation: Observation
        do {
            observation = try adapter.interpret(document, kind: sample.kind, context: context)
        } catch {
            refusal = error
            return
        }
        let received = DocumentReceived(
            vendor: adapter.vendor,
            kind: sample.kind,
            document: .null,
            redactions: [],
            terminal: sample.terminal,
            device: sample.device,
            reference: sample.transaction,
            isTest: observation.isTest
        )
        var anomalies: [Anomaly] = []
        switch observation.subject {
        case .transaction(let events): try take(received, events, observation.policy)
        case .batch(_, let events):
            for event in events { facts.append((event.type, try event.data().text)) }
            views["batch"] = try BatchState(folding: events).jsonValue().text
        case .device(let reader, let events, let found):
            anomalies = found
            try take(reader, events)
            if context.namesPayment { try take(received, events.map { .device($0) }, observation.policy) }
        case .checkout(let checkout, let events, let found):
            anomalies = found
            var view = CheckoutView(checkout.digest, vendor: adapter.vendor, at: .earliest, position: 1)
            for event in events {
                facts.append((event.type, try event.data().text))
                view.fold(event, of: nil, at: .earliest, position: 1)
            }
            views["checkout"] = try view.jsonValue().text
        case .unplaced(let found): anomalies = found
        }
        for anomaly in anomalies { facts.append(("AnomalyRaised", "\(anomaly.kind.rawValue) \(anomaly.explanation)")) }
        if !anomalies.isEmpty { views["anomaly"] = anomalies.map(\.explanation).joined() }
        try take(marksOf: observation)
    }

    private mutating func take(marksOf observation: Observation) throws {
        for (asked, events) in observation.ifAsked.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            for event in events {
                let text = try event.data().text
                facts.append((event.type, "if asked \(asked): \(text)"))
            }
        }
        if !observation.keys.isEmpty { facts.append(("key", observation.keys.map(\.text).joined(separator: " "))) }
        if let identity = observation.identity { facts.append(("identity", "\(identity)")) }
        if let time = observation.occurredAt { facts.append(("time", time.description)) }
        if let isTest = observation.isTest { facts.append(("test", String(isTest))) }
    }

    private mutating func take(
        _ received: DocumentReceived,
        _ events: [TransactionEvent],
        _ policy: LifecyclePolicy
    ) throws {
        let decided = Lifecycle.decide([.documentReceived(received)] + events, after: [], policy: policy)
        for event in decided {
            if case .documentReceived = event { continue }
            facts.append((event.type, try event.data().text))
        }
        let state = TransactionState(folding: decided)
        let id = UUID128(high: 0, low: 1)
        let view = TransactionView(
            id: id,
            state: state,
            firstPosition: 1,
            lastPosition: 1,
            occurredAt: .earliest,
            recordedAt: .earliest
        )
        views["payment"] = view.json.text
        views["receipt"] = Receipt(state, transaction: id, firstSeen: .earliest).json.text
        let raised = state.anomalies.map { "\($0.kind.rawValue) \($0.explanation)" }
        if !raised.isEmpty { views["anomaly"] = raised.joined() }
        let flagged = decided.compactMap {
            if case .anomalyRaised(let anomaly) = $0 { anomaly.kind.rawValue } else { nil }
        }
        if !flagged.isEmpty { views["anomaly", default: ""] += flagged.joined() }
    }

    private mutating func take(_ reader: ReaderReference?, _ events: [DeviceEvent]) throws {
        let name = reader ?? ReaderReference(vendor: .handpoint, serial: ReaderReference.unidentified)
        var view = ReaderView(name, at: .earliest, position: 1)
        for event in events {
            facts.append((event.type, try event.data().text))
            view.fold(event, of: nil, isOpen: false, at: .earliest, position: 1)
        }
        views["reader"] = try view.jsonValue().text
    }

    /// The kinds of secrets that were removed at a place or in it, and how.
    func removals(at pointer: String) -> [String] {
        redactions.filter { $0.path == pointer || $0.path.hasPrefix(pointer + "/") }
            .map { "\($0.rule.rawValue) \($0.action.rawValue)" }
    }

    /// The types of facts that differ, and the marks.
    func differences(from other: ReadDocument) -> [String] {
        let known = Set(other.facts.map { "\($0.type)\n\($0.text)" })
        let own = Set(facts.map { "\($0.type)\n\($0.text)" })
        let new = facts.filter { !known.contains("\($0.type)\n\($0.text)") }.map(\.type)
        let gone = other.facts.filter { !own.contains("\($0.type)\n\($0.text)") }.map(\.type)
        var types: [String] = []
        for type in new + gone where !types.contains(type) { types.append(type) }
        return types
    }

    /// The members of the facts that the other document's facts do not have, with their values, and the types of facts
    /// that only the other has: `Declined.response.code "05"`, `no Captured`.
    func changes(from other: ReadDocument) -> [String] {
        let types = Set(other.facts.map(\.type)).subtracting(facts.map(\.type))
        return Set(members).subtracting(other.members).sorted() + types.sorted().map { "no \($0)" }
    }

    private var members: [String] {
        facts.flatMap { fact -> [String] in
            // Marks are no JSON.
            guard let value = try? JSONValue(parsing: fact.text) else { return ["\(fact.type) \(fact.text)"] }
            return [fact.type] + Self.members(of: value, at: fact.type)
        }
    }

    private static func members(of value: JSONValue, at path: String) -> [String] {
        if let object = value.object {
            return object.members.flatMap { members(of: $0.value, at: "\(path).\($0.key)") }
        }
        if let array = value.array { return array.flatMap { members(of: $0, at: path) } }
        return ["\(path) \(value.text)"]
    }

    /// The names of the views that differ.
    func shown(unlike other: ReadDocument) -> [String] {
        ["payment", "receipt", "reader", "batch", "checkout", "anomaly"].filter { views[$0] != other.views[$0] }
    }
}
