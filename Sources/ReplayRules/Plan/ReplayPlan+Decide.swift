package import Canonical
import Payments
package import Redaction

/// An action of a user on a plan.
package enum ReplayAction: Sendable, Hashable {
    case approve
    /// The planner approves alone, if the policy allows the plan's size.
    case approveByPolicy
    case reject
    case start, pause, resume, stop
}

/// A user and the user's permissions.
package struct ReplayAuthority: Sendable, Hashable {
    package var actor: ReplayActor
    /// May make plans and execute them.
    package var mayPlan: Bool
    /// May approve the plans of others.
    package var mayApprove: Bool

    package init(_ actor: ReplayActor, mayPlan: Bool = false, mayApprove: Bool = false) {
        self.actor = actor
        self.mayPlan = mayPlan
        self.mayApprove = mayApprove
    }
}

/// The reason an action is refused. The raw values are stable.
package enum ReplayRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// There is no such plan, or its items are not complete.
    case incomplete = "replay-incomplete"
    /// The actor does not have the permission.
    case noRight = "replay-no-right"
    /// The planner cannot approve the plan.
    case ownPlan = "replay-own-plan"
    /// The holder of the planner's or the approver's key is not known: both may be the same operator.
    case unknownHolder = "replay-unknown-holder"
    /// The plan is larger than the policy allows without an approver, or its rules are overridden.
    case abovePolicy = "replay-above-policy"
    /// The plan is too large together with the plans approved by policy in the last 24 hours.
    case aboveDailyPolicy = "replay-above-daily-policy"
    case alreadyApproved = "replay-already-approved"
    case alreadyStarted = "replay-already-started"
    /// It was rejected, stopped or completed.
    case over = "replay-over"
    case expired = "replay-expired"
    /// Payments have new events since they were judged.
    case movedOn = "replay-moved-on"
    /// No item may be resubmitted.
    case nothingToDo = "replay-nothing-to-do"
    case notApproved = "replay-not-approved"
    case notRunning = "replay-not-running"
    case notPaused = "replay-not-paused"
    /// Items are still open.
    case itemsOpen = "replay-items-open"
    case unknownItem = "replay-unknown-item"
    /// The item is not to be attempted.
    case notActionable = "replay-not-actionable"
    case itemAttempted = "replay-item-attempted"
    case itemNotAttempted = "replay-item-not-attempted"
    case itemEnded = "replay-item-ended"
    /// The payment has new events since it was judged.
    case itemMovedOn = "replay-item-moved-on"
}

extension ReplayPlan {
    /// The event to record for an action.
    ///
    /// - Parameters:
    ///   - time: The current time by the ledger's clock.
    ///   - versions: The current versions of the payments' streams; a missing one counts as moved on. Used only for
    ///     approvals.
    ///   - policy: The limits for plans without an approver.
    ///   - earlier: The totals of plans approved by policy in the last 24 hours.
    ///
    /// - Throws: `ReplayRefusal`.
    package func decide(
        _ action: ReplayAction,
        by authority: ReplayAuthority,
        reason: Reason,
        at time: Timestamp,
        versions: [UUID128: Int64] = [:],
        policy: ReplayPolicy = ReplayPolicy(),
        earlier: [ReplayTotal] = []
    ) throws(ReplayRefusal) -> ReplayEvent {
        switch action {
        case .approve:
            guard authority.mayApprove else { throw .noRight }
            try checkApproval(at: time, versions)
            guard let planner = planning?.planner else { throw .incomplete }
            if let refusal = planner.refusal(of: authority.actor) { throw refusal }
            return .approved(ReplayApproval(reason: reason, approver: authority.actor, byPolicy: false))
        case .approveByPolicy:
            guard authority.mayPlan else { throw .noRight }
            try checkApproval(at: time, versions)
            guard Person(authority.actor.holder) != nil else { throw .unknownHolder }
            let wanted = actionableItems.map(\.planned)
            // Overridden rules are a change that another operator must see.
            guard policy.allows(wanted), planning?.book.overrides.isEmpty ?? false else { throw .abovePolicy }
            guard policy.allows(wanted, after: earlier) else { throw .aboveDailyPolicy }
            return .approved(ReplayApproval(reason: reason, approver: authority.actor, byPolicy: true))
        case .reject:
            guard authority.mayApprove || authority.mayPlan else { throw .noRight }
            guard !status.isOver else { throw .over }
            guard planning != nil else { throw .incomplete }
            guard status == .planned || status == .drafted else { throw .alreadyApproved }
            return .rejected(ReplayNote(reason: reason))
        case .start:
            try check(authority, at: time)
            guard status != .running, status != .paused else { throw .alreadyStarted }
            guard status == .approved, approval != nil else { throw .notApproved }
            return .started(ReplayNote(reason: reason))
        case .pause:
            guard authority.mayPlan || authority.mayApprove else { throw .noRight }
            guard status == .running else { throw status.isOver ? .over : .notRunning }
            return .paused(ReplayNote(reason: reason))
        case .resume:
            try check(authority, at: time)
            guard status == .paused else { throw .notPaused }
            return .resumed(ReplayNote(reason: reason))
        case .stop:
            guard authority.mayPlan || authority.mayApprove else { throw .noRight }
            guard !status.isOver else { throw .over }
            guard [.approved, .running, .paused].contains(status) else { throw .notApproved }
            return .stopped(ReplayNote(reason: reason))
        }
    }

    /// The event to record when every item of a running plan has ended. The executor completes plans.
    ///
    /// - Throws: `ReplayRefusal`.
    package func complete(by authority: ReplayAuthority) throws(ReplayRefusal) -> ReplayEvent {
        guard authority.mayPlan else { throw .noRight }
        guard status == .running else { throw status.isOver ? .over : .notRunning }
        guard openCount == 0 else { throw .itemsOpen }
        return .completed(ReplayCompletion(ends: ends))
    }

    /// The checks for starting and resuming.
    private func check(_ authority: ReplayAuthority, at time: Timestamp) throws(ReplayRefusal) {
        guard authority.mayPlan || authority.mayApprove else { throw .noRight }
        guard planning != nil else { throw .incomplete }
        guard !status.isOver else { throw .over }
        guard !isExpired(at: time) else { throw .expired }
    }

    private func checkApproval(at time: Timestamp, _ versions: [UUID128: Int64]) throws(ReplayRefusal) {
        guard !status.isOver else { throw .over }
        guard status != .drafted else { throw .incomplete }
        guard status == .planned else { throw .alreadyApproved }
        guard !isExpired(at: time) else { throw .expired }
        guard !actionableItems.isEmpty else { throw .nothingToDo }
        guard movedOn(versions).isEmpty else { throw .movedOn }
    }

    /// The numbers of the items to be attempted whose payments have other versions now, ascending.
    package func movedOn(_ versions: [UUID128: Int64]) -> [Int64] {
        actionableItems.map(\.planned).filter { versions[$0.transaction] != $0.version }.map(\.number)
    }

    /// The event to record before an item is sent to a gateway. Each item is attempted only once, whatever the result.
    ///
    /// - Parameters:
    ///   - version: The current version of the payment's stream.
    ///   - reference: The correlation of the item's events on the payment's stream.
    ///
    /// - Throws: `ReplayRefusal`.
    package func attempt(
        _ number: Int64,
        version: Int64,
        reference: String,
        at time: Timestamp
    ) throws(ReplayRefusal) -> ReplayEvent {
        guard !status.isOver else { throw .over }
        guard approval != nil else { throw .notApproved }
        guard status == .running else { throw .notRunning }
        guard !isExpired(at: time) else { throw .expired }
        guard let item = items[number] else { throw .unknownItem }
        guard item.isActionable else { throw .notActionable }
        guard item.end == nil else { throw .itemEnded }
        guard item.attempt == nil else { throw .itemAttempted }
        guard item.planned.version == version else { throw .itemMovedOn }
        return .itemAttempted(
            ReplayAttempt(item: number, transaction: item.planned.transaction, version: version, reference: reference)
        )
    }

    /// The event to record for the result of an item, which may be unknown. It also ends an item that was running when
    /// the plan was stopped.
    ///
    /// - Throws: `ReplayRefusal`.
    package func end(
        _ number: Int64,
        _ end: ReplayItemEnd.End,
        version: Int64? = nil,
        rule: String? = nil,
        detail: String? = nil
    ) throws(ReplayRefusal) -> ReplayEvent {
        guard status != .completed, status != .rejected else { throw .over }
        guard [.running, .paused, .stopped].contains(status) else {
            throw approval == nil ? .notApproved : .notRunning
        }
        guard let item = items[number] else { throw .unknownItem }
        guard item.isActionable else { throw .notActionable }
        guard item.end == nil else { throw .itemEnded }
        let needsAttempt = end == .posted || end == .declined || end == .unknown
        guard !needsAttempt || item.attempt != nil else { throw .itemNotAttempted }
        return .itemEnded(
            ReplayItemEnd(
                item: number,
                transaction: item.planned.transaction,
                end: end,
                version: version,
                rule: rule,
                detail: detail
            )
        )
    }
}
