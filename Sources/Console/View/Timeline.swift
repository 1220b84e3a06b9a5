import Canonical
import EventLog
import Intake
import Payments
import Projections

/// The events of one payment in three lanes: reader, gateway, and the state of the ledger. Events that this build cannot
/// read have no detail.
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
            let before = state.flatMap { $0.version == 0 ? nil : $0.status }
            let fact = try? TransactionEvent(event)
            if var folded = state, let fact {
                Lifecycle.evolve(&folded, fact)
                state = folded
            } else {
                state = nil
            }
            let status = state.flatMap { $0.status == before ? nil : $0.status.rawValue }
            let summary = fact.map(EventSummary.init)
            let lane = Self.lane(event.type, summary?.evidence)
            entries.append(
                .members([
                    "lane": .text(lane.rawValue), "laneName": .text(Wording.sentence(lane.rawValue)),
                    "title": .text(Wording.sentence(event.type)), "detail": .given(summary?.line),
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
        TransactionEvent.Name.keysLinked.rawValue, TransactionEvent.Name.batchAssigned.rawValue,
    ]

    private static func lane(_ type: String, _ evidence: Evidence?) -> Lane {
        if ofState.contains(type) { return .state }
        // The host's answer: its checks of the card, or the data it sent to the chip.
        if type == DeviceEventName.authorizationAnswered.rawValue { return .gateway }
        if DeviceEventName(rawValue: type) != nil { return .reader }
        switch evidence {
        case .reader: return .reader
        case .relayed, .gateway, .settlement: return .gateway
        case nil: break
        }
        let isReported = type == TransactionEvent.Name.documentReceived.rawValue || type.hasSuffix("Requested")
        return isReported ? .reader : .gateway
    }
}
