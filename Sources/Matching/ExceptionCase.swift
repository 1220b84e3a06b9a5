package import Canonical
import Payments
package import Redaction

/// The status of an exception.
package enum ExceptionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    case open
    /// An assignee investigates it.
    case assigned
    /// A resolution is proposed, and another operator must approve it.
    case proposed
    /// Resolved by an operator.
    case resolved
    /// Explained by later evidence.
    case cleared

    /// True while neither evidence nor an operator has explained its money.
    package var isOpen: Bool { self == .open || self == .assigned || self == .proposed }
}

/// An exception as operators process it: its evidence, its assignee and its resolution.
package struct ExceptionCase: Sendable, Hashable {
    /// The position of the last event that reported it with changed evidence.
    package var evidence: Int64
    package var status: ExceptionStatus
    package var assignee: String?
    package var proposal: ResolutionProposal?
    package var proposedBy: String?
    package var resolution: ExceptionResolution?
    /// The number of times it was reopened after it was resolved.
    package var reopenings: Int32
    /// The amount that does not match in minor units; nil if it does not fit into 64 bits.
    package var amount: Int64?
    package var currency: String?

    package init(
        evidence: Int64,
        status: ExceptionStatus = .open,
        assignee: String? = nil,
        proposal: ResolutionProposal? = nil,
        proposedBy: String? = nil,
        resolution: ExceptionResolution? = nil,
        reopenings: Int32 = 0,
        amount: Int64?,
        currency: String?
    ) {
        self.evidence = evidence
        self.status = status
        self.assignee = assignee
        self.proposal = proposal
        self.proposedBy = proposedBy
        self.resolution = resolution
        self.reopenings = reopenings
        self.amount = amount
        self.currency = currency
    }

    private var waiting: ExceptionStatus { assignee == nil ? .open : .assigned }

    /// Folds an operator's action. A decision based on outdated evidence changes nothing.
    package mutating func fold(_ event: ExceptionEvent, by actor: String) {
        switch event {
        case .assigned(let reported):
            assignee = reported.assignee
            if status == .open || status == .assigned { status = waiting }
        case .noted: return
        case .resolutionProposed(let reported):
            guard reported.evidence == evidence, status.isOpen else { return }
            status = .proposed
            proposal = reported
            proposedBy = actor
        case .resolutionRejected(let reported):
            guard reported.evidence == evidence, status == .proposed else { return }
            withdraw()
            status = waiting
        case .resolved(let reported):
            guard reported.evidence == evidence, status.isOpen else { return }
            withdraw()
            resolution = reported.resolution
            status = .resolved
        case .reopened:
            guard status == .resolved else { return }
            resolution = nil
            status = waiting
            reopenings += 1
        }
    }

    private mutating func withdraw() {
        proposal = nil
        proposedBy = nil
    }
}

/// An operator's action on an exception.
package enum ExceptionAction: Sendable, Hashable {
    /// Nil removes the assignee.
    case assign(String?)
    case note
    /// Resolves it, or proposes the resolution if another operator must approve it.
    case resolve(ExceptionResolution)
    /// Approves the proposal with this id.
    case approve(UUID128)
    case reject
    case reopen
}

/// The reason an action is refused.
package enum ExceptionRefusal: String, Error, Sendable, Hashable {
    /// It is already resolved or cleared.
    case ended = "exception-ended"
    /// No resolution is proposed.
    case notProposed = "not-proposed"
    /// The proposer cannot approve the proposal.
    case ownProposal = "own-proposal"
    /// The holder of the proposer's or the approver's key is not known: both may be one operator.
    case unknownHolder = "unknown-holder"
    /// Another proposal replaced the one that the approval names.
    case proposalReplaced = "proposal-replaced"
    /// It is not resolved.
    case notResolved = "not-resolved"
    /// The lines and movements of a manual match have different sums, do not exist, or are several on both sides.
    case unbalanced = "unbalanced-match"
}

extension ExceptionCase {
    /// The event to record for an action.
    ///
    /// - Parameters:
    ///   - actor: The acting API key and its holder.
    ///   - proposal: The id for a new proposal.
    ///   - rules: Contain the amounts above which another operator must approve.
    ///   - earlier: The amounts in the exception's currency that the holder wrote off alone in the last 24 hours.
    ///
    /// - Throws: `ExceptionRefusal`.
    package func decide(
        _ action: ExceptionAction,
        by actor: KeyHolder,
        proposal id: UUID128,
        reason: Reason,
        rules: MatchingRules,
        earlier: [Int64] = []
    ) throws(ExceptionRefusal) -> ExceptionEvent {
        switch action {
        case .assign(let assignee):
            guard status.isOpen else { throw .ended }
            return .assigned(ExceptionAssignment(assignee: assignee, reason: reason))
        case .note: return .noted(ExceptionNote(reason: reason))
        case .resolve(let resolution):
            guard status.isOpen else { throw .ended }
            let given = given(by: resolution)
            guard rules.needsApproval(amount, currency, given: given, by: actor, after: earlier) else {
                return .resolved(
                    ResolutionDecision(
                        evidence: evidence,
                        resolution: resolution,
                        reason: reason,
                        holder: actor.holder,
                        given: given,
                        currency: given == nil ? nil : currency
                    )
                )
            }
            return .resolutionProposed(
                ResolutionProposal(
                    id: id,
                    evidence: evidence,
                    resolution: resolution,
                    reason: reason,
                    holder: actor.holder
                )
            )
        case .approve(let wanted):
            guard let proposal, status == .proposed else { throw .notProposed }
            guard proposal.id == wanted else { throw .proposalReplaced }
            let proposer = KeyHolder(actor: proposedBy, holder: proposal.holder)
            switch actor.refusal(toApproveFor: proposer) {
            case .ownProposal?: throw .ownProposal
            case .unknownHolder?: throw .unknownHolder
            case nil: break
            }
            return .resolved(
                ResolutionDecision(
                    evidence: evidence,
                    resolution: proposal.resolution,
                    reason: reason,
                    proposedBy: proposedBy,
                    proposal: wanted,
                    holder: actor.holder
                )
            )
        case .reject:
            guard status == .proposed else { throw .notProposed }
            return .resolutionRejected(ResolutionRejection(evidence: evidence, reason: reason))
        case .reopen:
            guard status == .resolved else { throw .notResolved }
            return .reopened(ExceptionNote(reason: reason))
        }
    }

    /// The amount that a resolution accepts without a match, without its sign; nil for a match by hand, which explains it,
    /// and for nothing.
    private func given(by resolution: ExceptionResolution) -> Int64? {
        guard resolution.kind != .matched, let amount, amount != 0 else { return nil }
        return Int64(clamping: amount.magnitude)
    }
}

extension MatchingRules {
    /// The period over which the amounts that one operator writes off are summed, in seconds.
    package static let dailySeconds: Int64 = 86_400

    /// True if another operator must approve the resolution of an exception. Amounts beyond 64 bits always need
    /// approval, and so does money that an unknown operator writes off.
    ///
    /// - Parameters:
    ///   - given: What the resolution writes off; the limit applies to its sum with `earlier`.
    func needsApproval(
        _ amount: Int64?,
        _ currency: String?,
        given: Int64?,
        by actor: KeyHolder,
        after earlier: [Int64]
    ) -> Bool {
        guard let amount else { return true }
        let limit = Int64(clamping: (approvals.first { $0.currency == currency }?.above ?? 0).magnitude)
        guard let given else { return amount.magnitude > limit.magnitude }
        return actor.person == nil || !DailySum.allows(given, after: earlier, most: limit)
    }
}
