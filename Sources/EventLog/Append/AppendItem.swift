package import Canonical

/// An event before it has a position in the log.
package struct ProposedEvent: Sendable, Hashable {
    package var id: UUID128
    package var type: String
    package var schema: Int
    package var occurredAt: Timestamp
    package var actor: String
    package var correlation: String
    package var causation: UUID128?
    /// One canonical JSON value as defined in docs/log-format.md, stored as is. The log accepts no other data.
    package var data: String {
        didSet { source.isEncoded = false }
    }
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
        // The source may be that of another event.
        self.source.isEncoded = false
    }

    /// Sets the data to the canonical text of a value. Text that was stored before is checked like any other data.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package mutating func encode(_ value: some Encodable) throws {
        data = try value.jsonText()
        source.isEncoded = !(value is StoredJSON)
    }
}

/// The value an event's data was encoded from, if known, so that a follower in the same process need not decode it. It
/// is not part of the event: events are equal whatever their source.
package struct EventSource: Sendable, Hashable {
    package let value: (any Sendable)?
    /// True if the data was encoded by `encode`, so that its form need not be checked.
    fileprivate var isEncoded = false

    package init(_ value: (any Sendable)? = nil) {
        self.value = value
    }

    package static func == (_: EventSource, _: EventSource) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension ProposedEvent {
    /// Whether the data is one canonical JSON value. Any other text could break a record line apart.
    var isCanonical: Bool {
        if source.isEncoded { return true }
        var data = data
        return data.withUTF8 { bytes in
            var scan = CanonicalScan(bytes)
            return scan.value() && scan.isAtEnd
        }
    }
}

/// The key an item is stored under, and the request the key stands for. Both are SHA-256 digests.
package struct IdempotencyKey: Sendable, Hashable {
    package var key: [UInt8]
    package var request: [UInt8]

    package init(key: [UInt8], request: [UInt8]) {
        self.key = key
        self.request = request
    }
}

/// The events that one request appends to one stream: all of them or none.
package struct AppendItem: Sendable, Hashable {
    /// The version the stream must have.
    package enum Expectation: Sendable, Hashable {
        case any
        /// Exactly this version; 0 for a new stream.
        case version(Int64)
    }

    package var tenant: String
    package var stream: String
    package var expected: Expectation
    package var idempotency: [IdempotencyKey]
    /// Reference keys that lead to this stream from now on.
    package var references: [String]
    package var events: [ProposedEvent]
    /// True when the item was decided from what this process remembers of the log. If the log proves to be another one,
    /// nothing of the item is appended and the result is `claimed`.
    package var isFromMemory: Bool
    /// The version that the stream must not exceed with this item; nil for no limit. A duplicate is a duplicate on a
    /// full stream, too.
    package var versionLimit: Int64?

    package init(
        tenant: String,
        stream: String,
        expected: Expectation,
        idempotency: [IdempotencyKey] = [],
        references: [String] = [],
        events: [ProposedEvent],
        isFromMemory: Bool = false,
        versionLimit: Int64? = nil
    ) {
        self.tenant = tenant
        self.stream = stream
        self.expected = expected
        self.idempotency = idempotency
        self.references = references
        self.events = events
        self.isFromMemory = isFromMemory
        self.versionLimit = versionLimit
    }

    /// The approximate number of bytes this takes of a batch.
    var byteCount: Int { events.reduce(256) { $0 + $1.data.utf8.count + 256 } }
}

/// The outcome of an item.
package enum AppendResult: Sendable, Hashable {
    /// Durable at these positions.
    case appended(AppendedRange)
    /// The same request was appended before, at these positions.
    case duplicate(AppendedRange)
    /// The idempotency key already stands for another request.
    case mismatch
    /// A reference key leads to another stream, or the log is not the one that was remembered: look the stream up
    /// again.
    case claimed
    /// The stream has the version `actual`, not the expected one.
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
        /// The data of an event is not one canonical JSON value, so its record line could not be read back; nothing was
        /// appended.
        case notCanonical
        /// The database refused the item, or it has no events; nothing was appended.
        case refused
        /// The log has not been compared with its evidence; nothing was appended; try again later.
        case logUnproven
        /// The log lacks or contradicts something that is known of it; nothing was appended. An operator must decide.
        case logContradicted
        /// The clock of this process is ahead of the clock of the database; nothing was appended.
        case clockAhead
        /// The database would answer a commit before it is durable; nothing was appended.
        case notDurable
        /// The stream would exceed the item's version limit; nothing was appended.
        case streamFull
        /// It is unknown whether the item is in the log.
        case outcomeUnknown
    }

    package var code: Code
    /// The SQLSTATE, if the database returned one.
    package var sqlState: String?

    package init(_ code: Code, sqlState: String? = nil) {
        self.code = code
        self.sqlState = sqlState
    }
}
