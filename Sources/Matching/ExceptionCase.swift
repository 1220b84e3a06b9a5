import Canonical
import Payments

/// Where an exception stands.
package enum ExceptionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    case open
    /// Somebody looks into it.
    case assigned
    /// An end is proposed, and another person has to approve it.
    case proposed
    /// Brought to its end by people.
    case resolved
    /// Explained by what came later.
    case cleared

    /// True while its money is explained by nothing and nobody.
    package var isOpen: Bool { self == .open || self == .assigned || self == .proposed }
}

/// An exception as people work it: what evidence there is, who looks into it, and how it ended.
package struct ExceptionCase: Sendable, Hashable {
    /// The position at which it was last told with other evidence.
    package var evidence: Int64
    package var status: ExceptionStatus
    package var assignee: String?
    package var proposal: ResolutionProposal?
    package var proposedBy: String?
    package var resolution: ExceptionResolution?
    /// How often it was open again after it had ended.
    package var reopenings: Int32
    /// Minor units that nobody has explained; nil where they are beyond 64 bits.
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

    /// Takes in what somebody did. What was decided on older evidence than there is changes nothing.
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

/// What somebody wants to do about an exception.
package enum ExceptionAction: Sendable, Hashable {
    /// Nil gives it back.
    case assign(String?)
    case note
    /// Ends it, or proposes the end where another person has to approve it.
    case resolve(ExceptionResolution)
    case approve
    case reject
    case reopen
}

/// Why somebody cannot do that.
package enum ExceptionRefusal: String, Error, Sendable, Hashable {
    /// It has come to an end before.
    case ended = "exception-ended"
    /// Nothing is proposed.
    case notProposed = "not-proposed"
    /// Whoever proposed it cannot approve it.
    case ownProposal = "own-proposal"
    /// It is open.
    case notResolved = "not-resolved"
    /// Lines and movements of a match by hand do not come to the same money, or are not there, or are several on both sides.
    case unbalanced = "unbalanced-match"
}

extension ExceptionCase {
    /// What is recorded when somebody does something.
    ///
    /// - Parameters:
    ///   - actor: Who does it.
    ///   - holder: The person behind that, where it is known.
    ///   - rules: Say above which amount another person has to approve.
    /// - Throws: `ExceptionRefusal`.
    package func decide(
        _ action: ExceptionAction,
        by actor: String,
        holder: String? = nil,
        reason: String,
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
    /// Whether two keys are known to be one person's, in whatever case the name is written.
    private static func isOne(_ holder: String?, _ other: String?) -> Bool {
        guard let holder, let other else { return false }
        return holder.lowercased() == other.lowercased()
    }
}

extension MatchingRules {
    /// Whether another person has to approve the end of an exception. Money beyond 64 bits always does.
    package func needsApproval(_ amount: Int64?, _ currency: String?) -> Bool {
        guard let amount else { return true }
        let limit = approvals.first { $0.currency == currency }?.above ?? 0
        return amount.magnitude > limit.magnitude
    }
}
