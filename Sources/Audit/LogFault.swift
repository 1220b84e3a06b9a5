/// A fault in a log.
package struct LogFault: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The line is not a record line.
        case line
        /// An expected position is missing.
        case missing
        /// An event, row or tile that nothing in the log explains.
        case extra
        /// A line has a position that does not match its place.
        case position
        /// The versions of a stream are not 1, 2, 3.
        case version
        /// An event is recorded earlier than the one before it.
        case time
        /// An item is incomplete, or claims what was already claimed.
        case claims
        /// The stored event does not give its stored leaf.
        case record
        /// The stored leaf is not that of the event, and the tile confirms the event.
        case leaf
        /// A tile of the tree is missing, or has other hashes than the log gives.
        case tile
        /// The head does not match the end of the log.
        case head
        /// A row of `ledger.streams` does not match the log.
        case stream
        /// A row of `ledger.idempotency` does not match the log.
        case idempotency
        /// A row of `ledger.reference_keys` does not match the log.
        case reference
        /// The lines do not give the root that a checkpoint states.
        case root
        /// A checkpoint is invalid in itself.
        case checkpoint
        /// A checkpoint is not signed by the log's key.
        case signature
        /// A checkpoint states more events than the log has.
        case truncated
        /// A row of a read model does not match the fold of the events.
        case readModel = "read-model"
    }

    package var kind: Kind
    /// The position of the event concerned, or of the first one.
    package var position: Int64
    /// The fault in words, without any payload.
    package var detail: String

    package init(_ kind: Kind, at position: Int64, _ detail: String) {
        self.kind = kind
        self.position = position
        self.detail = detail
    }
}

/// The faults found so far. All are counted; the number kept is limited, so that even a completely broken log fits into
/// memory.
package struct FaultLog: Sendable, Hashable {
    package static let limit = 10_000

    /// The first `limit` faults, in the order in which they were found.
    package private(set) var faults: [LogFault] = []
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ fault: LogFault) {
        count += 1
        if faults.count < Self.limit { faults.append(fault) }
    }

    package mutating func add(_ kind: LogFault.Kind, at position: Int64, _ detail: @autoclosure () -> String) {
        count += 1
        if faults.count < Self.limit { faults.append(LogFault(kind, at: position, detail())) }
    }

    package mutating func add(_ other: FaultLog) {
        for fault in other.faults { add(fault) }
        count += other.count - other.faults.count
    }
}
