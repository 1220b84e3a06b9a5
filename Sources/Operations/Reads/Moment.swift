import Access
package import Canonical
package import Composition
package import EventLog
import Intake
import Payments
package import Projections

extension Ledger {
    /// The position of a list of the past that continues: the one of its cursor, which must fit the requested moment. A
    /// time in the future meant the end of the log when the list began.
    ///
    /// - Throws: `Refusal` with `invalid-cursor` for a cursor of another position, or `position-beyond-end`; errors of
    ///   reading the log.
    package func position(of moment: Moment, goingOnAt cursor: Cursor) async throws -> Int64 {
        guard let position = cursor.asOf else { throw Cursor.invalid }
        let end = try await self.position(of: moment)
        guard position == end || moment.asked != nil && position < end else { throw Cursor.invalid }
        return position
    }
}

extension Ledger {
    /// A payment as it was at a moment, folded from its events; nil if there were none.
    ///
    /// - Throws: `position-beyond-end`; errors of reading the log; the error of an event that this build cannot fold.
    package func transaction(
        _ id: UUID128,
        of tenant: String,
        at moment: Moment
    ) async throws -> TransactionView? {
        let events = try await events(of: id, of: tenant, at: moment)
        guard let first = events.first, let last = events.last else { return nil }
        return TransactionView(
            id: id,
            state: try TransactionState(folding: events.map(TransactionEvent.init)),
            firstPosition: first.position,
            lastPosition: last.position,
            occurredAt: first.occurredAt,
            recordedAt: first.recordedAt
        )
    }
}

extension Ledger {
    /// The events of a payment up to a moment.
    ///
    /// - Throws: `position-beyond-end`; errors of reading the log.
    func events(of id: UUID128, of tenant: String, at moment: Moment) async throws -> [RecordedEvent] {
        if case .position = moment { _ = try await position(of: moment) }
        return try await reader.stream(StreamName.transaction(id), of: tenant).filter(moment.contains)
    }

    /// The position of a moment.
    ///
    /// - Throws: `Refusal` with `position-beyond-end`, since no wait would help; errors of reading the log.
    package func position(of moment: Moment) async throws -> Int64 {
        switch moment {
        case .position(let asked):
            // Another server may have appended it.
            let end = asked <= appended.position ? asked : try await reader.head()
            guard asked <= end else { throw Refusal.beyondEnd(end) }
            return asked
        case .time(let time): return try await reader.position(recordedUpTo: time)
        }
    }
}

/// A point in the log, given as a time or a position.
package enum Moment: Sendable, Hashable {
    case time(Timestamp)
    case position(Int64)

    /// The requested time; nil for a position.
    package var asked: Timestamp? {
        switch self {
        case .time(let time): time
        case .position: nil
        }
    }

    /// Reads `as_of` or `as_of_position`. A position without an epoch is one of the log as it is now.
    ///
    /// - Throws: `invalid-parameter`, `other-epoch`.
    package init?(_ query: inout ParameterReader) throws(Refusal) {
        let time = try query.time("as_of")
        let position = try query.position("as_of_position")
        switch (time, position) {
        case (let time?, nil): self = .time(time)
        case (nil, let position?):
            guard [0, Cursor.epoch].contains(position.epoch) else { throw .otherEpoch }
            self = .position(position.position)
        case (nil, nil): return nil
        case (.some, .some): throw ParameterReader.invalid("as_of_position", "cannot be combined with as_of")
        }
    }

    package func contains(_ event: RecordedEvent) -> Bool {
        contains(position: event.position, recordedAt: event.recordedAt)
    }

    package func contains(position: Int64, recordedAt: Timestamp) -> Bool {
        switch self {
        case .time(let time): recordedAt <= time
        case .position(let last): position <= last
        }
    }
}
