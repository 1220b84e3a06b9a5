package import Canonical

/// What happens around one tenant: the events of a `tenant/<id>` stream.
package enum TenantEvent: LedgerEvent {
    /// A document could not be read; this is its trace.
    case intakeRefused(IntakeRefusal)
    /// An API key was made for the tenant.
    case keyIssued(KeyIssue)
    /// An API key was withdrawn.
    case keyRevoked(KeyIssue)

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .intakeRefused: "IntakeRefused"
        case .keyIssued: "KeyIssued"
        case .keyRevoked: "KeyRevoked"
        }
    }

    package func data() throws -> JSONValue {
        let encoder = JSONValueEncoder()
        return switch self {
        case .intakeRefused(let payload): try encoder.encode(payload)
        case .keyIssued(let payload): try encoder.encode(payload)
        case .keyRevoked(let payload): try encoder.encode(payload)
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1 else { throw UnknownEvent(type: type, schema: schema) }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch type {
        case "IntakeRefused": self = .intakeRefused(try read(IntakeRefusal.self))
        case "KeyIssued": self = .keyIssued(try read(KeyIssue.self))
        case "KeyRevoked": self = .keyRevoked(try read(KeyIssue.self))
        default: throw UnknownEvent(type: type, schema: schema)
        }
    }
}
