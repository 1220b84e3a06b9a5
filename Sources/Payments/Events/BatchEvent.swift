package import Canonical

/// What can happen to one settlement batch: the events of a `batch/<id>` stream.
package enum BatchEvent: LedgerEvent {
    /// A vendor document arrived; what follows in the same append was read from it.
    case documentReceived(DocumentReceived)
    case batchCloseRequested(BatchClosing)
    case batchClosed(BatchClosing)
    case batchCloseFailed(BatchClosing)
    /// The host's totals differ from ours.
    case batchOutOfBalance(BatchImbalance)
    case anomalyRaised(Anomaly)

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .documentReceived: "DocumentReceived"
        case .batchCloseRequested: "BatchCloseRequested"
        case .batchClosed: "BatchClosed"
        case .batchCloseFailed: "BatchCloseFailed"
        case .batchOutOfBalance: "BatchOutOfBalance"
        case .anomalyRaised: "AnomalyRaised"
        }
    }

    package func data() throws -> JSONValue {
        let encoder = JSONValueEncoder()
        return switch self {
        case .documentReceived(let payload): try encoder.encode(payload)
        case .batchCloseRequested(let payload): try encoder.encode(payload)
        case .batchClosed(let payload): try encoder.encode(payload)
        case .batchCloseFailed(let payload): try encoder.encode(payload)
        case .batchOutOfBalance(let payload): try encoder.encode(payload)
        case .anomalyRaised(let payload): try encoder.encode(payload)
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1 else { throw UnknownEvent(type: type, schema: schema) }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch type {
        case "DocumentReceived": self = .documentReceived(try read(DocumentReceived.self))
        case "BatchCloseRequested": self = .batchCloseRequested(try read(BatchClosing.self))
        case "BatchClosed": self = .batchClosed(try read(BatchClosing.self))
        case "BatchCloseFailed": self = .batchCloseFailed(try read(BatchClosing.self))
        case "BatchOutOfBalance": self = .batchOutOfBalance(try read(BatchImbalance.self))
        case "AnomalyRaised": self = .anomalyRaised(try read(Anomaly.self))
        default: throw UnknownEvent(type: type, schema: schema)
        }
    }
}
