package import Canonical

/// An event before it has a place in the log.
package struct ProposedEvent: Sendable, Hashable {
    package var id: UUID128
    package var type: String
    package var schema: Int
    package var occurredAt: Timestamp
    package var actor: String
    package var correlation: String
    package var causation: UUID128?
    /// One canonical JSON value, as docs/log-format.md has it; stored as it is. The log takes no other.
    package var data: String
    package var source: EventSource

    package init(
        id: UUID128,
        type: String,
        schema: Int,
        occurredAt: Timestamp,
        actor: String,
        correlation: String,
        causation: UUID128? = nil,
        data: String,
        source: EventSource = EventSource()
    ) {
        self.id = id
        self.type = type
        self.schema = schema
        self.occurredAt = occurredAt
        self.actor = actor
        self.correlation = correlation
        self.causation = causation
        self.data = data
        self.source = source
    }
}

/// What an event's data was encoded from, if that is known, so that whoever follows the log in the same process need
/// not decode it. It is no part of the event: events are equal whatever they were made from.
package struct EventSource: Sendable, Hashable {
    package let value: (any Sendable)?

    package init(_ value: (any Sendable)? = nil) {
        self.value = value
    }

    package static func == (_: EventSource, _: EventSource) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension ProposedEvent {
    /// Whether the data is one canonical JSON value: anything else could tear a record line apart.
    var isCanonical: Bool {
        var data = data
        return data.withUTF8 { bytes in
            var scan = CanonicalScan(bytes)
            return scan.value() && scan.isAtEnd
        }
    }
}

/// Under which key an item is remembered, and for which request the key stands. Both are SHA-256 digests.
package struct IdempotencyKey: Sendable, Hashable {
    package var key: [UInt8]
    package var request: [UInt8]

    package init(key: [UInt8], request: [UInt8]) {
        self.key = key
        self.request = request
    }
}

/// What one request appends to one stream, whole or not at all.
package struct AppendItem: Sendable, Hashable {
    /// What the stream's version must be.
    package enum Expectation: Sendable, Hashable {
        case any
        /// Exactly this version; 0 for a new stream.
        case version(Int64)
    }

    package var tenant: String
    package var stream: String
    package var expected: Expectation
    package var idempotency: [IdempotencyKey]
    /// Names to lead to this stream from now on.
    package var references: [String]
    package var events: [ProposedEvent]
    /// True when it was decided by what this process remembers of the log. Should the log turn out to be another, nothing
    /// of it is appended, and the answer is `claimed`.
    package var isFromMemory: Bool

    package init(
        tenant: String,
        stream: String,
        expected: Expectation,
        idempotency: [IdempotencyKey] = [],
        references: [String] = [],
        events: [ProposedEvent],
        isFromMemory: Bool = false
    ) {
        self.tenant = tenant
        self.stream = stream
        self.expected = expected
        self.idempotency = idempotency
        self.references = references
        self.events = events
        self.isFromMemory = isFromMemory
    }

    /// About how much of a batch this takes.
    var byteCount: Int { events.reduce(256) { $0 + $1.data.utf8.count + 256 } }
}

/// What became of an item.
package enum AppendResult: Sendable, Hashable {
    /// Durable at these positions.
    case appended(AppendedRange)
    /// The same request was appended before, at these positions.
    case duplicate(AppendedRange)
    /// The idempotency key stands for another request.
    case mismatch
    /// A reference key leads to another stream, or the log is another than was remembered: look it up again.
    case claimed
    /// The stream has this version, not the expected one.
    case conflict(actual: Int64)
}

/// A run of positions in one stream.
package struct AppendedRange: Sendable, Hashable {
    package var firstPosition: Int64
    package var count: Int

    package init(firstPosition: Int64, count: Int) {
        self.firstPosition = firstPosition
        self.count = count
    }

    package var lastPosition: Int64 { firstPosition + Int64(count) - 1 }
    package var positions: [Int64] { (0..<Int64(count)).map { firstPosition + $0 } }
}

/// Why an item was not appended.
package struct AppendError: Error, Hashable {
    package enum Code: String, Sendable, Hashable {
        /// The queue is full; nothing was appended; try again later.
        case queueFull
        /// The log is closing; nothing was appended.
        case shuttingDown
        /// The item is larger than a batch may be; nothing was appended.
        case itemTooLarge
        /// The data of an event is not one canonical JSON value, so that its record line could not be read back; nothing
        /// was appended.
        case notCanonical
        /// The database refused the item, or it has no events; nothing was appended.
        case refused
        /// Whether the item is in the log is not known.
        case outcomeUnknown
    }

    package var code: Code
    /// The SQLSTATE, where the database gave one.
    package var sqlState: String?

    package init(_ code: Code, sqlState: String? = nil) {
        self.code = code
        self.sqlState = sqlState
    }
}
