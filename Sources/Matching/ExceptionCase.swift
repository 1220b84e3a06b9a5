import Canonical
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
    /// The unexplained amount in minor units; nil if it does not fit into 64 bits.
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
    case approve
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
    /// It is not resolved.
    case notResolved = "not-resolved"
    /// The lines and movements of a manual match have different sums, do not exist, or are several on both sides.
    case unbalanced = "unbalanced-match"
}

extension ExceptionCase {
    /// The event to record for an action.
    ///
    /// - Parameters:
    ///   - actor: The name of the acting API key.
    ///   - holder: The holder of the key, if known.
    ///   - rules: Contain the amounts above which another operator must approve.
    ///
    /// - Throws: `ExceptionRefusal`.
    package func decide(
        _ action: ExceptionAction,
        by actor: String,
        holder: String? = nil,
        reason: Reason,
        rules: MatchingRules
    ) throws(ExceptionRefusal) -> ExceptionEvent {
        switch action {
        case .assign(let assignee):
            guard status.isOpen else { throw .ended }
            return .assigned(ExceptionAssignment(assignee: assignee, reason: reason))
        case .note: return .noted(ExceptionNote(reason: reason))
        case .resolve(let resolution):
            guard status.isOpen else { throw .ended }
            guard rules.needsApproval(amount, currency) else {
                return .resolved(ResolutionDecision(evidence: evidence, resolution: resolution, reason: reason))
            }
            return .resolutionProposed(
                ResolutionProposal(evidence: evidence, resolution: resolution, reason: reason, holder: holder)
            )
        case .approve:
            guard let proposal, status == .proposed else { throw .notProposed }
            guard proposedBy != actor, !Self.isOne(proposal.holder, holder) else { throw .ownProposal }
            return .resolved(
                ResolutionDecision(
                    evidence: evidence,
                    resolution: proposal.resolution,
                    reason: reason,
                    proposedBy: proposedBy
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
}

extension ExceptionCase {
    /// True if two keys are known to belong to the same holder. The comparison of names ignores case.
    private static func isOne(_ holder: String?, _ other: String?) -> Bool {
        guard let holder, let other else { return false }
        return holder.lowercased() == other.lowercased()
    }
}

extension MatchingRules {
    /// True if another operator must approve the resolution of an exception. Amounts beyond 64 bits always need
    /// approval.
    package func needsApproval(_ amount: Int64?, _ currency: String?) -> Bool {
        guard let amount else { return true }
        let limit = approvals.first { $0.currency == currency }?.above ?? 0
        return amount.magnitude > limit.magnitude
    }
}
