package import Canonical
package import EventLog

/// One event, with the members of its record line. Lists and single events are served as the line itself, and are read
/// by this type.
package struct EventJSON: Codable, Sendable, Hashable {
    package var position: Int64
    package var id: UUID128
    package var tenant: String
    package var stream: String
    package var version: Int64
    package var type: String
    package var schema: Int64
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp
    package var actor: String
    package var correlation: String
    /// The event from which it was derived.
    @Nullable package var causation: UUID128?
    /// On the first event of a request: the keys that the request claims.
    @Nullable package var claims: ClaimsJSON?
    package var data: JSONValue

    package init(_ event: RecordedEvent) throws {
        self = try JSONValueDecoder().decode(Self.self, parsing: event.recordLine)
    }
}

/// The keys that a request claims.
package struct ClaimsJSON: Codable, Sendable, Hashable {
    /// The number of events of the request.
    package var events: Int64
    /// Digests of idempotency keys and of their requests, in hexadecimal.
    package var idempotency: JSONObject
    package var references: [String]
}
