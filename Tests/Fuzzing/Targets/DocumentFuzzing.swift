import Canonical
import Payments
import Redaction
import Vendors

/// The form of a body.
enum DocumentForm: String {
    case json
    /// A JSON string with the text that some SDKs print.
    case text
}

/// One vendor's adapter. An input is a line with the kind, then the body; an unknown kind is mapped to a known one.
struct DocumentFuzzing: Sendable {
    let adapter: any VendorAdapter
    let form: DocumentForm

    func seeds(_ examples: [FuzzExample]) -> [[UInt8]] {
        examples.filter { $0.vendor == adapter.vendor }.compactMap { example in
            let isText = example.body.string != nil
            switch form {
            case .json: return isText ? nil : Array("\(example.kind)\n\(example.body.text)".utf8)
            case .text: return Array("\(example.kind)\n\(example.body.string ?? example.body.text)".utf8)
            }
        }
    }

    func run(_ input: [UInt8]) -> String? {
        let line = input.prefix { $0 != 0x0A }
        let rest = Array(input.dropFirst(line.count + 1))
        let kind = kind(of: line)
        let body: JSONValue
        switch form {
        case .json:
            guard let parsed = try? JSONValue(parsing: rest) else { return nil }
            body = parsed
        case .text: body = .string(String(decoding: rest, as: UTF8.self))
        }
        let schema = adapter.redactionSchema(for: kind)
        let document = Scrubber(schema: schema).scrub(UnscrubbedDocument(body))
        let observation: Observation
        do {
            observation = try adapter.interpret(document, kind: kind, context: .init())
        } catch {
            return error.detail.isEmpty ? "a refusal has no detail" : nil
        }
        return check(observation)
    }

    private func kind(of line: some Collection<UInt8>) -> String {
        let name = String(decoding: line, as: UTF8.self)
        if adapter.kinds.contains(name) { return name }
        // FNV-1a: the same for the same name in every run.
        let hash = line.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return adapter.kinds.isEmpty ? name : adapter.kinds[Int(hash % UInt64(adapter.kinds.count))]
    }

    private func check(_ observation: Observation) -> String? {
        do {
            switch observation.subject {
            case .transaction(let events):
                guard try events.allSatisfy(isStorable) else { return "an event is read back as another" }
                let reported = Lifecycle.decide(events, after: [], policy: observation.policy)
                guard Lifecycle.decide(events, after: reported, policy: observation.policy).isEmpty else {
                    return "a repeated document adds a fact"
                }
                let state = TransactionState(folding: reported)
                guard state.captured >= 0, state.authorized >= 0 else { return "money below zero" }
                _ = state.status
            case .batch(_, let events):
                guard try events.allSatisfy(isStorable) else { return "an event is read back as another" }
                let reported = BatchState.decide(events, after: [])
                _ = BatchState(folding: reported).status
            case .device(_, let events, _):
                guard try events.allSatisfy(isStorable) else { return "an event is read back as another" }
            case .checkout(_, let events, _):
                guard try events.allSatisfy(isStorable) else { return "an event is read back as another" }
            case .unplaced: break
            }
            _ = observation.keys.map(\.text)
            return nil
        } catch {
            return "an event cannot be stored"
        }
    }

    private func isStorable<Event: LedgerEvent & Equatable>(_ event: Event) throws -> Bool {
        try Event(type: event.type, schema: event.schema, data: event.data()) == event
    }
}
