package import Canonical

/// Somebody who works on plans.
package struct ReplayActor: Sendable, Hashable, Codable {
    /// The credential, as events name it.
    package var name: String
    /// The person or team that holds it, where that is known: one person with two keys is one person.
    package var holder: String?

    package init(name: String, holder: String? = nil) {
        self.name = name
        self.holder = holder
    }

    /// Why somebody cannot approve what this one has planned: both have to be known, and to be different people.
    ///
    /// - Returns: Nil where they certainly are.
    package func refusal(of approver: ReplayActor) -> ReplayRefusal? {
        if name.hasSameUTF8(as: approver.name) { return .ownPlan }
        guard let holder, let theirs = approver.holder else { return .unknownHolder }
        return holder.hasSameUTF8(as: theirs) ? .ownPlan : nil
    }
}

/// By which rules a plan was made.
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
}

/// What a plan is about, who made it, and by which rules: the payload of `ReplayPlanned`.
package struct ReplayPlanning: Sendable, Hashable, Codable {
    /// What was looked for, as it was asked: `status=declined&merchant=8846`; nil where payments were named.
    package var filter: String?
    /// The payments that were named.
    package var transactions: [UUID128]?
    package var reason: String
    package var planner: ReplayActor
    package var book: RuleBookReference
    /// The payments are judged by everything up to this position.
    package var covers: Int64
    package var plannedAt: Timestamp
    /// From then on nothing of it is approved, started or attempted.
    package var expiresAt: Timestamp
    /// How many items there are.
    package var items: Int64
    package var totals: [ReplayTotal]

    package init(
        filter: String? = nil,
        transactions: [UUID128]? = nil,
        reason: String,
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
        self.reason = reason
        self.planner = planner
        self.book = book
        self.covers = covers
        self.plannedAt = plannedAt
        self.expiresAt = expiresAt
        self.items = items
        self.totals = totals
    }
}

/// A plan may be carried out: the payload of `ReplayApproved`.
package struct ReplayApproval: Sendable, Hashable, Codable {
    package var reason: String
    package var approver: ReplayActor
    /// True where no second person was needed, because the plan is as small as the policy allows.
    package var byPolicy: Bool

    package init(reason: String, approver: ReplayActor, byPolicy: Bool) {
        self.reason = reason
        self.approver = approver
        self.byPolicy = byPolicy
    }
}

/// Why somebody did something to a plan. Who, is the actor of the event.
package struct ReplayNote: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
