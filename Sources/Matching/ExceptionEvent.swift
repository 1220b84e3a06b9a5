package import Canonical
import Payments
package import Redaction

/// The actions of operators on an exception: the events of its `exception/<uuid>` stream. The reconciliation's stream
/// records that the exception was raised, changed its evidence or was cleared.
package enum ExceptionEvent: LedgerEvent {
    /// The assignee was set or removed.
    case assigned(ExceptionAssignment)
    /// A note was added.
    case noted(ExceptionNote)
    /// A resolution was proposed that another operator must approve.
    case resolutionProposed(ResolutionProposal)
    case resolutionRejected(ResolutionRejection)
    case resolved(ResolutionDecision)
    case reopened(ExceptionNote)

    /// The names of the event types, as stored.
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

    package var payload: any Encodable {
        switch self {
        case .assigned(let payload): payload
        case .noted(let payload), .reopened(let payload): payload
        case .resolutionProposed(let payload): payload
        case .resolutionRejected(let payload): payload
        case .resolved(let payload): payload
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

/// The assignee of an exception.
package struct ExceptionAssignment: Sendable, Hashable, Codable {
    /// An operator or team; nil for no assignee.
    package var assignee: String?
    package var reason: String

    package init(assignee: String?, reason: Reason) {
        self.assignee = assignee
        self.reason = reason.text
    }
}

/// An operator's note on an exception, or the reason for reopening it.
package struct ExceptionNote: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: Reason) {
        self.reason = reason.text
    }
}

/// The resolution of an exception.
package struct ExceptionResolution: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Lines and movements belong together, although no rule matches them: they match from the next run on.
        case matched
        /// The money is written off or accepted.
        case writtenOff = "written-off"
        /// A correction was recorded elsewhere.
        case corrected
        /// The difference is only a matter of time.
        case timing
    }

    package var kind: Kind
    /// The lines of a manual match. A match has one line with several movements, or one movement with several lines.
    package var lines: [UUID128]?
    /// The movements of a manual match.
    package var movements: [MovementName]?
    /// The correction: a transaction, a ticket, another statement.
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

/// One movement of money in the ledger.
package struct MovementName: Sendable, Hashable, Codable {
    package var transaction: UUID128
    /// The movement within the payment, as in the members of batches.
    package var movement: String

    package init(transaction: UUID128, movement: String) {
        self.transaction = transaction
        self.movement = movement
    }
}

/// A resolution that waits for approval.
package struct ResolutionProposal: Sendable, Hashable, Codable {
    /// The name that its approval must have; nil for proposals that are too old to be approved.
    package var id: UUID128?
    /// The position of the evidence it is based on.
    package var evidence: Int64
    package var resolution: ExceptionResolution
    package var reason: String
    /// The holder of the proposing key; nil if not known.
    package var holder: String?

    package init(
        id: UUID128? = nil,
        evidence: Int64,
        resolution: ExceptionResolution,
        reason: Reason,
        holder: String? = nil
    ) {
        self.id = id
        self.evidence = evidence
        self.resolution = resolution
        self.reason = reason.text
        self.holder = holder
    }
}

/// The rejection of a proposal.
package struct ResolutionRejection: Sendable, Hashable, Codable {
    package var evidence: Int64
    package var reason: String

    package init(evidence: Int64, reason: Reason) {
        self.evidence = evidence
        self.reason = reason.text
    }
}

/// The resolution of an exception. The event's actor resolved or approved it.
package struct ResolutionDecision: Sendable, Hashable, Codable {
    /// The position of the evidence it is based on. If the exception is reported with changed evidence, it is open
    /// again.
    package var evidence: Int64
    package var resolution: ExceptionResolution
    package var reason: String
    /// The proposer; nil if no approval was needed.
    package var proposedBy: String?
    /// The approved proposal; nil if no approval was needed.
    package var proposal: UUID128?
    /// The holder of the deciding key; nil if not known.
    package var holder: String?
    /// What one operator wrote off without an approval, in minor units without its sign; nil if nothing.
    package var given: Int64?
    /// The currency of `given`.
    package var currency: String?

    package init(
        evidence: Int64,
        resolution: ExceptionResolution,
        reason: Reason,
        proposedBy: String? = nil,
        proposal: UUID128? = nil,
        holder: String? = nil,
        given: Int64? = nil,
        currency: String? = nil
    ) {
        self.evidence = evidence
        self.resolution = resolution
        self.reason = reason.text
        self.proposedBy = proposedBy
        self.proposal = proposal
        self.holder = holder
        self.given = given
        self.currency = currency
    }
}
