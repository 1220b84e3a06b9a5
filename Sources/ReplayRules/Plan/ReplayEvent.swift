package import Canonical
import Payments

/// The events of a replay plan: a `replay/<uuid>` stream.
package enum ReplayEvent: LedgerEvent {
    case planned(ReplayPlanning)
    /// A part of the items, at most `ReplayItems.limit`.
    case itemsPlanned(ReplayItems)
    case approved(ReplayApproval)
    case rejected(ReplayNote)
    case started(ReplayNote)
    case paused(ReplayNote)
    case resumed(ReplayNote)
    /// No further items are attempted.
    case stopped(ReplayNote)
    /// An item is about to be sent to a gateway; recorded before it is sent.
    case itemAttempted(ReplayAttempt)
    case itemEnded(ReplayItemEnd)
    case completed(ReplayCompletion)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case planned = "ReplayPlanned"
        case itemsPlanned = "ReplayItemsPlanned"
        case approved = "ReplayApproved"
        case rejected = "ReplayRejected"
        case started = "ReplayStarted"
        case paused = "ReplayPaused"
        case resumed = "ReplayResumed"
        case stopped = "ReplayStopped"
        case itemAttempted = "ReplayItemAttempted"
        case itemEnded = "ReplayItemEnded"
        case completed = "ReplayCompleted"
    }

    package var schema: Int { 1 }

    package var name: Name {
        switch self {
        case .planned: .planned
        case .itemsPlanned: .itemsPlanned
        case .approved: .approved
        case .rejected: .rejected
        case .started: .started
        case .paused: .paused
        case .resumed: .resumed
        case .stopped: .stopped
        case .itemAttempted: .itemAttempted
        case .itemEnded: .itemEnded
        case .completed: .completed
        }
    }

    package var type: String { name.rawValue }

    package var payload: any Encodable {
        switch self {
        case .planned(let payload): payload
        case .itemsPlanned(let payload): payload
        case .approved(let payload): payload
        case .rejected(let payload), .started(let payload), .paused(let payload), .resumed(let payload),
            .stopped(let payload):
            payload
        case .itemAttempted(let payload): payload
        case .itemEnded(let payload): payload
        case .completed(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1, let name = Name(rawValue: type) else { throw UnknownEvent(type: type, schema: schema) }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch name {
        case .planned: self = .planned(try read(ReplayPlanning.self))
        case .itemsPlanned: self = .itemsPlanned(try read(ReplayItems.self))
        case .approved: self = .approved(try read(ReplayApproval.self))
        case .rejected: self = .rejected(try read(ReplayNote.self))
        case .started: self = .started(try read(ReplayNote.self))
        case .paused: self = .paused(try read(ReplayNote.self))
        case .resumed: self = .resumed(try read(ReplayNote.self))
        case .stopped: self = .stopped(try read(ReplayNote.self))
        case .itemAttempted: self = .itemAttempted(try read(ReplayAttempt.self))
        case .itemEnded: self = .itemEnded(try read(ReplayItemEnd.self))
        case .completed: self = .completed(try read(ReplayCompletion.self))
        }
    }
}
