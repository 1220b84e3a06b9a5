import Canonical
import Payments
import Redaction
import Vendors

/// A vendor's document under `Tests/VendorsTests/Fixtures`, and what the conformance tests compare of its reading.
struct RecordedDocument {
    let kind: String
    let body: JSONValue
    private let context: DocumentContext
    private let adapter: any VendorAdapter

    /// Nil for a file that is no recorded document.
    init?(_ file: JSONValue, of adapter: any VendorAdapter) {
        guard let kind = file["kind"]?.string, let body = file["body"], file["expect"] != nil else { return nil }
        self.kind = kind
        self.body = body
        self.adapter = adapter
        context = DocumentContext(
            merchant: file["context"]?["merchant"]?.string,
            terminal: file["context"]?["terminal"]?.string,
            namesPayment: file["context"]?["namesPayment"] == true
        )
    }

    /// Everything that is compared, with another body.
    func compared(_ body: JSONValue) -> [String] {
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        var compared = document.redactions.map { "\($0.path) \($0.rule.rawValue) \($0.action.rawValue)" }.sorted()
        let observation: Observation
        do {
            observation = try adapter.interpret(document, kind: kind, context: context)
        } catch {
            return compared + [error.code.rawValue]
        }
        var events: [TransactionEvent] = []
        switch observation.subject {
        case .transaction(let found):
            events = found
            compared += found.map { event in
                if case .anomalyRaised(let anomaly) = event { anomaly.kind.rawValue } else { event.type }
            }
        case .batch(let batch, let found):
            compared.append(batch.text)
            compared += found.map { event in
                if case .anomalyRaised(let anomaly) = event { anomaly.kind.rawValue } else { event.type }
            }
        case .device(_, let found, let raised): compared += found.map(\.type) + raised.map(\.kind.rawValue)
        case .checkout(_, let found, let raised): compared += found.map(\.type) + raised.map(\.kind.rawValue)
        case .unplaced(let raised): compared += raised.map(\.kind.rawValue)
        }
        compared += observation.keys.map(\.text)
        compared.append(observation.occurredAt?.description ?? "")
        let facts = Lifecycle.decide(events, after: [], policy: observation.policy)
        let state = TransactionState(folding: facts)
        compared.append(facts.isEmpty ? "" : state.status.rawValue)
        let amounts = Self.amounts(of: events)
        let figures: [Int64?] = [
            state.authorization.requested, state.captured, state.credited, amounts?.total.value, amounts?.tip?.value,
        ]
        return compared + figures.map { figure in figure.map { "\($0)" } ?? "" }
    }

    /// The amounts of the last fact about money.
    private static func amounts(of events: [TransactionEvent]) -> Amounts? {
        events.reversed().lazy.compactMap { event -> Amounts? in
            switch event {
            case .captured(let capture): capture.amounts
            case .tipAdjusted(let adjustment): adjustment.amounts
            case .tenderApplied(let tender): tender.amounts
            case .cashDispensed(let dispense): Amounts(total: dispense.dispensed)
            case .authorizationApproved(let approval), .partiallyApproved(let approval), .creditApproved(let approval):
                approval.amounts
            default: nil
            }
        }.first
    }
}
