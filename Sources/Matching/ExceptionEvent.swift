package import Canonical
import Payments

/// What people do about an exception: the events of its `exception/<uuid>` stream. That it was raised, told with other
/// evidence, or cleared is told by the reconciliation's own stream.
package enum ExceptionEvent: LedgerEvent {
    /// Somebody is to look into it, or nobody any more.
    case assigned(ExceptionAssignment)
    /// A remark.
    case noted(ExceptionNote)
    /// An end that another person has to approve.
    case resolutionProposed(ResolutionProposal)
    case resolutionRejected(ResolutionRejection)
    case resolved(ResolutionDecision)
    case reopened(ExceptionNote)

    /// The names of the event types, as they are stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case assigned = "ExceptionAssigned"
        case noted = "ExceptionNoted"
        case resolutionProposed = "ResolutionProposed"
        case resolutionRejected = "ResolutionRejected"
        case resolved = "ExceptionResolved"
        case reopened = "ExceptionReopened"
    }

    package var schema: Int { 1 }

    package var name: Name {
        switch self {
        case .assigned: .assigned
        case .noted: .noted
        case .resolutionProposed: .resolutionProposed
        case .resolutionRejected: .resolutionRejected
        case .resolved: .resolved
        case .reopened: .reopened
        }
    }

    package var type: String { name.rawValue }

    package func data() throws -> JSONValue {
        let encoder = JSONValueEncoder()
        return switch self {
        case .assigned(let payload): try encoder.encode(payload)
        case .noted(let payload), .reopened(let payload): try encoder.encode(payload)
        case .resolutionProposed(let payload): try encoder.encode(payload)
        case .resolutionRejected(let payload): try encoder.encode(payload)
        case .resolved(let payload): try encoder.encode(payload)
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .assigned: self = .assigned(try stored.payload())
        case .noted: self = .noted(try stored.payload())
        case .resolutionProposed: self = .resolutionProposed(try stored.payload())
        case .resolutionRejected: self = .resolutionRejected(try stored.payload())
        case .resolved: self = .resolved(try stored.payload())
        case .reopened: self = .reopened(try stored.payload())
        }
    }
}

/// Who is to look into an exception.
package struct ExceptionAssignment: Sendable, Hashable, Codable {
    /// A person or team; nil for nobody.
    package var assignee: String?
    package var reason: String

    package init(assignee: String?, reason: String) {
        self.assignee = assignee
        self.reason = reason
    }
}

/// What somebody says about an exception.
package struct ExceptionNote: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// How an exception comes to its end.
package struct ExceptionResolution: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Lines and movements belong together, although no rule says so: they do from the next run on.
        case matched
        /// The money is given up, or taken.
        case writtenOff = "written-off"
        /// Something else was recorded that puts it right.
        case corrected
        /// Only a matter of time.
        case timing
    }

    package var kind: Kind
    /// Of a match by hand: the lines. Either one line, or one movement, with the others.
    package var lines: [UUID128]?
    /// Of a match by hand: the movements.
    package var movements: [MovementName]?
    /// What puts it right: a transaction, a ticket, another statement.
    package var correction: String?

    package init(
        _ kind: Kind,
        lines: [UUID128]? = nil,
        movements: [MovementName]? = nil,
        correction: String? = nil
    ) {
        self.kind = kind
        self.lines = lines
        self.movements = movements
        self.correction = correction
    }
}

/// A piece of money of the ledger.
package struct MovementName: Sendable, Hashable, Codable {
    package var transaction: UUID128
    /// The piece within the payment, as in the members of batches.
    package var movement: String

    package init(transaction: UUID128, movement: String) {
        self.transaction = transaction
        self.movement = movement
    }
}

/// An end that waits for another person.
package struct ResolutionProposal: Sendable, Hashable, Codable {
    /// The position of the evidence it is about.
    package var evidence: Int64
    package var resolution: ExceptionResolution
    package var reason: String
    /// The person the proposing key belongs to; nil where that is not known.
    package var holder: String?

    package init(evidence: Int64, resolution: ExceptionResolution, reason: String, holder: String? = nil) {
        self.evidence = evidence
        self.resolution = resolution
        self.reason = reason
        self.holder = holder
    }
}

/// A proposal that is not taken.
package struct ResolutionRejection: Sendable, Hashable, Codable {
    package var evidence: Int64
    package var reason: String

    package init(evidence: Int64, reason: String) {
        self.evidence = evidence
        self.reason = reason
    }
}

/// The end of an exception. Who resolved or approved it is the actor of the event.
package struct ResolutionDecision: Sendable, Hashable, Codable {
    /// The position of the evidence it is about: told anew with other evidence, the exception is open again.
    package var evidence: Int64
    package var resolution: ExceptionResolution
    package var reason: String
    /// Who proposed it; nil where no approval was needed.
    package var proposedBy: String?

    package init(evidence: Int64, resolution: ExceptionResolution, reason: String, proposedBy: String? = nil) {
        self.evidence = evidence
        self.resolution = resolution
        self.reason = reason
        self.proposedBy = proposedBy
    }
}
