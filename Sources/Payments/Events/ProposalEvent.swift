package import Canonical

/// A change that waits for another operator: the events of a `proposal/<uuid>` stream. There is one stream per subject
/// and kind of change; its newest proposal replaces the earlier ones.
///
/// The approval of a proposal is recorded by the change itself, on the subject's stream, as a `ChangeApproval`.
package enum ProposalEvent: LedgerEvent {
    case proposed(ChangeProposal)
    case rejected(ChangeRejection)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case proposed = "ChangeProposed"
        case rejected = "ChangeRejected"
    }

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .proposed: Name.proposed.rawValue
        case .rejected: Name.rejected.rawValue
        }
    }

    package var payload: any Encodable {
        switch self {
        case .proposed(let payload): payload
        case .rejected(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .proposed: self = .proposed(try stored.payload())
        case .rejected: self = .rejected(try stored.payload())
        }
    }
}

/// A proposed change.
package struct ChangeProposal: Sendable, Hashable, Codable {
    package enum Change: String, Sendable, Hashable, Codable, CaseIterable {
        /// The outcome of something in doubt, by testimony.
        case endDoubt = "end-doubt"
        case changeRules = "change-rules"
        case withdrawStatement = "withdraw-statement"
        /// A card token for a payment that another operator reported.
        case keepCardToken = "keep-card-token"
        /// The outcome of a chargeback's dispute.
        case closeDispute = "close-dispute"
    }

    /// The name that its approval must have.
    package var id: UUID128
    package var change: Change
    /// The stream that the change is recorded on.
    package var subject: String
    /// The version of the subject that the change was made for. Rules count their own changes.
    package var version: Int64
    /// What is changed, in the form of the command.
    package var request: JSONValue
    package var reason: String
    /// The holder of the proposing key; nil if not known.
    package var holder: String?

    package init(
        id: UUID128,
        change: Change,
        subject: String,
        version: Int64,
        request: JSONValue,
        reason: String,
        holder: String?
    ) {
        self.id = id
        self.change = change
        self.subject = subject
        self.version = version
        self.request = request
        self.reason = reason
        self.holder = holder
    }
}

/// The rejection of a proposal, by any operator.
package struct ChangeRejection: Sendable, Hashable, Codable {
    package var proposal: UUID128
    package var reason: String

    package init(proposal: UUID128, reason: String) {
        self.proposal = proposal
        self.reason = reason
    }
}

/// The two operators behind a change. The actor of the event approved it.
package struct ChangeApproval: Sendable, Hashable, Codable {
    package var proposal: UUID128
    /// The key of the proposer.
    package var proposedBy: String
    /// The holders of both keys, who are two persons.
    package var proposer: String
    package var approver: String
    /// The approver's reason.
    package var reason: String

    package init(proposal: UUID128, proposedBy: String, proposer: String, approver: String, reason: String) {
        self.proposal = proposal
        self.proposedBy = proposedBy
        self.proposer = proposer
        self.approver = approver
        self.reason = reason
    }
}
