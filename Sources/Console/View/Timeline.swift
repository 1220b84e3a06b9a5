import Canonical
import EventLog
import Payments
import Projections

/// The events of one payment in three lanes: reader, gateway, and the state of the ledger.
struct Timeline: Sendable {
    private enum Lane: String {
        case reader, gateway, state
    }

    private let entries: [PageValue]

    init(_ events: [RecordedEvent], in zone: Zone) {
        var entries: [PageValue] = []
        // Nil from the first event that this build cannot fold.
        var state: TransactionState? = TransactionState()
        for event in events {
            let data = (try? JSONValue(parsing: event.data.utf8)) ?? .null
            let before = state.flatMap { $0.version == 0 ? nil : $0.status }
            if var folded = state, let fact = try? TransactionEvent(type: event.type, schema: event.schema, data: data)
            {
                Lifecycle.evolve(&folded, fact)
                state = folded
            } else {
                state = nil
            }
            let status = state.flatMap { $0.status == before ? nil : $0.status.rawValue }
            let lane = Self.lane(event.type, data)
            entries.append(
                .members([
                    "lane": .text(lane.rawValue), "laneName": .text(Wording.sentence(lane.rawValue)),
                    "title": .text(Wording.sentence(event.type)), "detail": .given(Self.detail(event.type, data)),
                    "time": Cell.time(event.occurredAt, in: zone).value, "position": "\(event.position)",
                    "href": .text(Address.event(event.position)),
                    "status": status.map { Cell.status($0).value },
                ])
            )
        }
        self.entries = entries
    }

    var value: PageValue { .list(entries) }

    private static let ofState: Set<String> = [
        TransactionEvent.Name.anomalyRaised.rawValue, TransactionEvent.Name.anomalyCleared.rawValue,
        TransactionEvent.Name.keysLinked.rawValue,
    ]

    private static func lane(_ type: String, _ data: JSONValue) -> Lane {
        if ofState.contains(type) { return .state }
        if DeviceEventName(rawValue: type) != nil { return .reader }
        switch data["evidence"]?.string ?? data["verdict"]?["evidence"]?.string {
        case "reader": return .reader
        case "gateway", "settlement": return .gateway
        default: break
        }
        let isReported = type == TransactionEvent.Name.documentReceived.rawValue || type.hasSuffix("Requested")
        return isReported ? .reader : .gateway
    }

    /// The most important data of an event, in one line.
    private static func detail(_ type: String, _ data: JSONValue) -> String? {
        var words: [String] = []
        if type == TransactionEvent.Name.documentReceived.rawValue {
            words = [data["vendor"]?.string.map(Wording.vendor), data["kind"]?.string].compactMap(\.self)
            let count = data["redactions"]?.array?.count ?? 0
            if count > 0 { words.append(count == 1 ? "1 redaction" : "\(count) redactions") }
            return words.joined(separator: ", ")
        }
        if let amount = money(data) { words.append(amount) }
        if let response = data["response"] {
            words += [response["code"]?.string, response["message"]?.string].compactMap(\.self)
        }
        words += ["outcome", "kind", "explanation", "reason"].compactMap { data[$0]?.string }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func money(_ data: JSONValue) -> String? {
        for name in ["amount", "total", "authorized", "approved"] {
            if let text = Wording.money(data[name]) { return text }
            if let text = Wording.money(data[name]?["total"]) { return text }
        }
        return Wording.money(data["amounts"]?["total"])
    }
}
