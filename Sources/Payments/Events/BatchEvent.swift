package import Canonical

/// The events of one settlement batch, in a `batch/<id>` stream.
package enum BatchEvent: LedgerEvent {
    /// A vendor document arrived; the events after it in the same append were read from it.
    case documentReceived(DocumentReceived)
    case batchCloseRequested(BatchClosing)
    case batchClosed(BatchClosing)
    case batchCloseFailed(BatchClosing)
    /// The host's totals differ from the ledger's.
    case batchOutOfBalance(BatchImbalance)
    /// The ledger found that the batch is part of the batch of its account.
    case batchLinked(BatchLink)
    case anomalyRaised(Anomaly)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case documentReceived = "DocumentReceived"
        case batchCloseRequested = "BatchCloseRequested"
        case batchClosed = "BatchClosed"
        case batchCloseFailed = "BatchCloseFailed"
        case batchOutOfBalance = "BatchOutOfBalance"
        case batchLinked = "BatchLinked"
        case anomalyRaised = "AnomalyRaised"
    }

    /// The event types that others can report. A link hides a batch from lists, so only the ledger records it.
    package static let reportedTypes: [String] = Name.allCases.filter { $0 != .batchLinked }.map(\.rawValue)

    package var schema: Int { 1 }

    package var type: String { name.rawValue }

    private var name: Name {
        switch self {
        case .documentReceived: .documentReceived
        case .batchCloseRequested: .batchCloseRequested
        case .batchClosed: .batchClosed
        case .batchCloseFailed: .batchCloseFailed
        case .batchOutOfBalance: .batchOutOfBalance
        case .batchLinked: .batchLinked
        case .anomalyRaised: .anomalyRaised
        }
    }

    package var payload: any Encodable {
        switch self {
        case .documentReceived(let payload): payload
        case .batchCloseRequested(let payload): payload
        case .batchClosed(let payload): payload
        case .batchCloseFailed(let payload): payload
        case .batchOutOfBalance(let payload): payload
        case .batchLinked(let payload): payload
        case .anomalyRaised(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1, let name = Name(rawValue: type) else { throw UnknownEvent(type: type, schema: schema) }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch name {
        case .documentReceived: self = .documentReceived(try read(DocumentReceived.self))
        case .batchCloseRequested: self = .batchCloseRequested(try read(BatchClosing.self))
        case .batchClosed: self = .batchClosed(try read(BatchClosing.self))
        case .batchCloseFailed: self = .batchCloseFailed(try read(BatchClosing.self))
        case .batchOutOfBalance: self = .batchOutOfBalance(try read(BatchImbalance.self))
        case .batchLinked: self = .batchLinked(try read(BatchLink.self))
        case .anomalyRaised: self = .anomalyRaised(try read(Anomaly.self))
        }
    }
}
