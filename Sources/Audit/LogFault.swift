/// Something that is wrong with a log.
package struct LogFault: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The line is no record line.
        case line
        /// A position that should be there is not.
        case missing
        /// An event, row or tile that nothing in the log accounts for.
        case extra
        /// A line has another position than its place says.
        case position
        /// The versions of a stream are not 1, 2, 3.
        case version
        /// An event is recorded earlier than the one before it.
        case time
        /// An item is not whole, or claims what was claimed before.
        case claims
        /// The stored event does not give the leaf that was stored for it.
        case record
        /// The stored leaf is not that of the event, which the tile confirms.
        case leaf
        /// A tile of the tree is not there, or has other hashes than the log gives.
        case tile
        /// The head is not where the log ends.
        case head
        /// A row of `ledger.streams` is not what the log gives.
        case stream
        /// A row of `ledger.idempotency` is not what the log gives.
        case idempotency
        /// A row of `ledger.reference_keys` is not what the log gives.
        case reference
        /// The lines do not give the root that a checkpoint states.
        case root
        /// A checkpoint is not what it should be in itself.
        case checkpoint
        /// A checkpoint is not signed by the log's key.
        case signature
        /// A checkpoint states more events than there are.
        case truncated
        /// A row of a read model is not what the events fold to.
        case readModel = "read-model"
    }

    package var kind: Kind
    /// Of the event it is about, or the first of them.
    package var position: Int64
    /// What is wrong, in words, without any payload.
    package var detail: String

    package init(_ kind: Kind, at position: Int64, _ detail: String) {
        self.kind = kind
        self.position = position
        self.detail = detail
    }
}

/// The faults found so far. All are counted; so many are kept that a wholly broken log still fits into memory.
package struct FaultLog: Sendable, Hashable {
    package static let limit = 10_000

    /// The first `limit` faults, as they were found.
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
