package import Composition
package import EventLog

extension Ledger {
    /// Reads and makes cursors of the present epoch of the log while `body` runs.
    package func inPresentEpoch<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let epoch = try await log.logGuard.epochOfRequests(from: log.pool)
        return try await Cursor.$epoch.withValue(epoch, operation: body)
    }

    /// The position that a client names, in the present epoch.
    ///
    /// - Throws: `other-epoch`; `position-beyond-end`, since no wait would help.
    package func known(_ named: EpochPosition) async throws -> Int64 {
        if named.epoch == log.logGuard.epoch?.number, named.position <= appended.position { return named.position }
        // Another server may have appended it, or noticed the new epoch first.
        let head = try await evidence.head()
        return try named.position(in: head.epoch.number, upTo: head.position)
    }
}

extension EpochPosition {
    /// The beginning of the log, in every epoch.
    package var isBeginning: Bool { epoch == 0 && position == 0 }

    /// The position in a log that is in an epoch and ends at a position.
    ///
    /// - Throws: `other-epoch`; `position-beyond-end`.
    package func position(in epoch: Int64, upTo end: Int64) throws(Refusal) -> Int64 {
        guard self.epoch == epoch else { throw .otherEpoch }
        guard position <= end else { throw .beyondEnd(end) }
        return position
    }
}

extension ParameterReader {
    /// A position of the log, with its epoch.
    ///
    /// - Throws: `invalid-parameter`.
    package mutating func position(_ name: String) throws(Refusal) -> EpochPosition? {
        guard let text = try text(name) else { return nil }
        guard let position = EpochPosition(text) else {
            throw Self.invalid(name, "is a position of the log, such as 4711, or 1-4711 in epoch 1")
        }
        return position
    }
}
