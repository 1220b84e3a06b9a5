package import Canonical

/// One event as the log holds it.
package struct RecordedEvent: Sendable, Hashable {
    /// From 1, gapless, in commit order.
    package var position: Int64
    package var id: UUID128
    package var tenant: String
    package var stream: String
    /// From 1, gapless within the stream.
    package var version: Int64
    package var type: String
    package var schema: Int
    /// The clock of the device or vendor.
    package var occurredAt: Timestamp
    /// The clock of the ledger; never decreases along positions.
    package var recordedAt: Timestamp
    /// Who brought it in: an API key's id, or a component of the ledger.
    package var actor: String
    /// The request that brought it in.
    package var correlation: String
    /// The event it was read from.
    package var causation: UUID128?
    /// The payload, byte for byte as appended: one compact JSON value.
    package var data: String

    package init(
        position: Int64,
        id: UUID128,
        tenant: String,
        stream: String,
        version: Int64,
        type: String,
        schema: Int,
        occurredAt: Timestamp,
        recordedAt: Timestamp,
        actor: String,
        correlation: String,
        causation: UUID128?,
        data: String
    ) {
        self.position = position
        self.id = id
        self.tenant = tenant
        self.stream = stream
        self.version = version
        self.type = type
        self.schema = schema
        self.occurredAt = occurredAt
        self.recordedAt = recordedAt
        self.actor = actor
        self.correlation = correlation
        self.causation = causation
        self.data = data
    }

    /// The record line: the event's canonical form, one line of JSON with a fixed key order and no spaces, `data`
    /// verbatim. Exports are made of these lines, and evidence is computed over them.
    package var recordLine: String {
        func quoted(_ text: String) -> String { JSONValue.string(text).text }
        var line = "{\"position\":\(position),\"id\":\"\(id)\",\"tenant\":\(quoted(tenant))"
        line += ",\"stream\":\(quoted(stream)),\"version\":\(version),\"type\":\(quoted(type)),\"schema\":\(schema)"
        line += ",\"occurredAt\":\"\(occurredAt.rfc3339)\",\"recordedAt\":\"\(recordedAt.rfc3339)\""
        line += ",\"actor\":\(quoted(actor)),\"correlation\":\(quoted(correlation))"
        line += ",\"causation\":\(causation.map { "\"\($0)\"" } ?? "null"),\"data\":\(data)}"
        return line
    }
}
