package import Canonical
package import Intake
package import Payments

/// A change that waits for another operator.
package struct ProposalJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var change: ChangeProposal.Change
    /// The stream that the change is recorded on.
    package var subject: String
    /// The version of the subject that the change was made for.
    package var version: Int64
    /// What is changed, in the form of the command.
    package var request: JSONValue
    package var reason: String
    package var by: String
    package var holder: String?
    package var at: Timestamp
    package var position: Int64

    package init(_ proposal: Proposals.Proposal) {
        let proposed = proposal.proposed
        id = proposed.id
        change = proposed.change
        subject = proposed.subject
        version = proposed.version
        request = proposed.request
        reason = proposed.reason
        by = proposal.by
        holder = proposed.holder
        at = proposal.at
        position = proposal.position
    }
}

/// The open proposals, oldest first.
package struct ProposalsJSON: Codable, Sendable, Hashable {
    package var proposals: [ProposalJSON]

    package init(_ proposals: [Proposals.Proposal]) {
        self.proposals = proposals.map(ProposalJSON.init)
    }
}
