package import Canonical
package import Redaction

/// A user of replay plans.
package struct ReplayActor: Sendable, Hashable, Codable {
    /// The name of the credential, as in events.
    package var name: String
    /// The operator or team that holds the key, if known: two keys of one holder are one operator.
    package var holder: String?

    package init(name: String, holder: String? = nil) {
        self.name = name
        self.holder = holder
    }

    /// The reason an approver cannot approve this planner's plan. Both holders must be known and different.
    ///
    /// - Returns: Nil if the holders are proven to be different operators.
    package func refusal(of approver: ReplayActor) -> ReplayRefusal? {
        switch approver.keyHolder.refusal(toApproveFor: keyHolder) {
        case .ownProposal?: .ownPlan
        case .unknownHolder?: .unknownHolder
        case nil: nil
        }
    }

    private var keyHolder: KeyHolder { KeyHolder(actor: name, holder: holder) }
}

/// The rules a plan was made with.
package struct RuleBookReference: Sendable, Hashable, Codable {
    package var edition: String
    /// `2026-03-01`.
    package var day: String
    package var digest: String
    /// `rule=value`.
    package var overrides: [String]

    package init(edition: String, day: String, digest: String, overrides: [String] = []) {
        self.edition = edition
        self.day = day
        self.digest = digest
        self.overrides = overrides
    }

    package init(_ book: RuleBook) {
        self.init(
            edition: RuleBook.edition,
            day: book.day.description,
            digest: book.digest,
            overrides: book.overrides
        )
    }

    /// The rules themselves; nil when this build's rules of that day differ.
    ///
    /// - Parameter queriesOnlyStandIns: True if no real gateway is called.
    package func book(queriesOnlyStandIns: Bool) -> RuleBook? {
        guard let day = Timestamp(rfc3339: "\(day)T00:00:00Z"),
            let book = try? RuleBook(asOf: day, overriding: overrides, queriesOnlyStandIns: queriesOnlyStandIns),
            book.digest == digest
        else { return nil }
        return book
    }
}

/// The scope, planner and rules of a plan: the payload of `ReplayPlanned`.
package struct ReplayPlanning: Sendable, Hashable, Codable {
    /// The search filter as submitted: `status=declined&merchant=8846`; nil if payments were named.
    package var filter: String?
    /// The payments that were named; nil if there was a filter.
    package var transactions: [UUID128]?
    package var reason: String
    package var planner: ReplayActor
    package var book: RuleBookReference
    /// The payments are judged by every event up to this position.
    package var covers: Int64
    package var plannedAt: Timestamp
    /// From this time on, nothing of the plan is approved, started or attempted.
    package var expiresAt: Timestamp
    /// The number of items.
    package var items: Int64
    package var totals: [ReplayTotal]

    package init(
        filter: String? = nil,
        transactions: [UUID128]? = nil,
        reason: Reason,
        planner: ReplayActor,
        book: RuleBookReference,
        covers: Int64,
        plannedAt: Timestamp,
        expiresAt: Timestamp,
        items: Int64,
        totals: [ReplayTotal]
    ) {
        self.filter = filter
        self.transactions = transactions
        self.reason = reason.text
        self.planner = planner
        self.book = book
        self.covers = covers
        self.plannedAt = plannedAt
        self.expiresAt = expiresAt
        self.items = items
        self.totals = totals
    }
}

/// A plan may be executed: the payload of `ReplayApproved`.
package struct ReplayApproval: Sendable, Hashable, Codable {
    package var reason: String
    package var approver: ReplayActor
    /// True if no approver was needed, because the plan is within the policy's limits.
    package var byPolicy: Bool

    package init(reason: Reason, approver: ReplayActor, byPolicy: Bool) {
        self.reason = reason.text
        self.approver = approver
        self.byPolicy = byPolicy
    }
}

/// The reason for an action on a plan. The event's actor performed it.
package struct ReplayNote: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: Reason) {
        self.reason = reason.text
    }
}
