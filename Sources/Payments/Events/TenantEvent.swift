package import Canonical

/// The events of one tenant that belong to no other stream: a `tenant/<id>` stream.
package enum TenantEvent: LedgerEvent {
    /// A vendor document arrived whose subject is unknown.
    case documentReceived(DocumentReceived)
    case anomalyRaised(Anomaly)
    /// A document could not be read. This event keeps its trace.
    case intakeRefused(IntakeRefusal)
    /// A record that was already in the log was resubmitted under a different key. The new key leads to the first
    /// answer.
    case requestRepeated(RequestRepeat)
    /// An API key was created for the tenant.
    case keyIssued(KeyIssue)
    /// An API key was revoked.
    case keyRevoked(KeyIssue)
    /// An operator acknowledged an anomaly.
    case anomalyAcknowledged(AnomalyAcknowledgement)
    /// An operator set a merchant's time zone and the start of its business day.
    case merchantDescribed(MerchantDescription)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case documentReceived = "DocumentReceived"
        case anomalyRaised = "AnomalyRaised"
        case intakeRefused = "IntakeRefused"
        case requestRepeated = "RequestRepeated"
        case keyIssued = "KeyIssued"
        case keyRevoked = "KeyRevoked"
        case anomalyAcknowledged = "AnomalyAcknowledged"
        case merchantDescribed = "MerchantDescribed"
    }

    package var schema: Int { 1 }

    package var type: String { name.rawValue }

    private var name: Name {
        switch self {
        case .documentReceived: .documentReceived
        case .anomalyRaised: .anomalyRaised
        case .intakeRefused: .intakeRefused
        case .requestRepeated: .requestRepeated
        case .keyIssued: .keyIssued
        case .keyRevoked: .keyRevoked
        case .anomalyAcknowledged: .anomalyAcknowledged
        case .merchantDescribed: .merchantDescribed
        }
    }

    package var payload: any Encodable {
        switch self {
        case .documentReceived(let payload): payload
        case .anomalyRaised(let payload): payload
        case .intakeRefused(let payload): payload
        case .requestRepeated(let payload): payload
        case .keyIssued(let payload): payload
        case .keyRevoked(let payload): payload
        case .anomalyAcknowledged(let payload): payload
        case .merchantDescribed(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .documentReceived: self = .documentReceived(try stored.payload())
        case .anomalyRaised: self = .anomalyRaised(try stored.payload())
        case .intakeRefused: self = .intakeRefused(try stored.payload())
        case .requestRepeated: self = .requestRepeated(try stored.payload())
        case .keyIssued: self = .keyIssued(try stored.payload())
        case .keyRevoked: self = .keyRevoked(try stored.payload())
        case .anomalyAcknowledged: self = .anomalyAcknowledged(try stored.payload())
        case .merchantDescribed: self = .merchantDescribed(try stored.payload())
        }
    }
}
