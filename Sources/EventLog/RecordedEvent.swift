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
    /// The time by the clock of the device or vendor.
    package var occurredAt: Timestamp
    /// The time by the clock of the ledger; never decreases with the position.
    package var recordedAt: Timestamp
    /// The id of the API key, or the component of the ledger, that recorded it.
    package var actor: String
    /// The request that recorded it.
    package var correlation: String
    /// The event it was derived from.
    package var causation: UUID128?
    /// On the first event of an item that holds keys: the keys as JSON (`Claims`).
    package var claims: String?
    /// The payload, byte for byte as appended: one compact JSON value.
    package var data: String
    /// Known only for an event that this process has just written.
    package var source: EventSource

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
        claims: String? = nil,
        data: String,
        source: EventSource = EventSource()
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
        self.claims = claims
        self.data = data
        self.source = source
    }

    /// The record line, without the line feed.
    package var recordLine: String {
        var bytes: [UInt8] = []
        appendRecordLine(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the record line, without the line feed: the event's canonical form, one line of JSON with a fixed key
    /// order and no spaces, `claims` and `data` verbatim. Exports consist of these lines, and the leaves of the Merkle
    /// tree are their hashes.
    package func appendRecordLine(to bytes: inout [UInt8]) {
        func append(_ text: StaticString) {
            bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        append("{\"position\":")
        bytes.append(decimal: position)
        append(",\"id\":\"")
        id.append(to: &bytes)
        append("\",\"tenant\":")
        JSONValue.appendQuoted(tenant, to: &bytes)
        append(",\"stream\":")
        JSONValue.appendQuoted(stream, to: &bytes)
        append(",\"version\":")
        bytes.append(decimal: version)
        append(",\"type\":")
        JSONValue.appendQuoted(type, to: &bytes)
        append(",\"schema\":")
        bytes.append(decimal: Int64(schema))
        append(",\"occurredAt\":\"")
        occurredAt.appendRFC3339(to: &bytes)
        append("\",\"recordedAt\":\"")
        recordedAt.appendRFC3339(to: &bytes)
        append("\",\"actor\":")
        JSONValue.appendQuoted(actor, to: &bytes)
        append(",\"correlation\":")
        JSONValue.appendQuoted(correlation, to: &bytes)
        if let causation {
            append(",\"causation\":\"")
            causation.append(to: &bytes)
            append("\",\"claims\":")
        } else {
            append(",\"causation\":null,\"claims\":")
        }
        bytes.append(contentsOf: (claims ?? "null").utf8)
        append(",\"data\":")
        bytes.append(contentsOf: data.utf8)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension [RecordedEvent] {
    /// The approximate memory of the events, in bytes.
    package var byteCount: Int {
        // Accessed by index: copying an event out of the array would retain and release a dozen strings.
        indices.reduce(0) { $0 + self[$1].data.utf8.count + 256 }
    }
}

extension [UInt8] {
    mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var magnitude = value.magnitude
        let start = count
        repeat {
            append(UInt8(0x30 + magnitude % 10))
            magnitude /= 10
        } while magnitude > 0
        self[start...].reverse()
    }
}
