package import Canonical

/// An item is about to be asked of a gateway: the payload of `ReplayItemAttempted`.
package struct ReplayAttempt: Sendable, Hashable, Codable {
    package var item: Int64
    package var transaction: UUID128
    /// The version of the payment's stream just before: it is the one that was judged.
    package var version: Int64
    /// By which the gateway knows this attempt and no other.
    package var reference: String

    package init(item: Int64, transaction: UUID128, version: Int64, reference: String) {
        self.item = item
        self.transaction = transaction
        self.version = version
        self.reference = reference
    }
}

/// What became of an item: the payload of `ReplayItemEnded`.
package struct ReplayItemEnd: Sendable, Hashable, Codable {
    package enum End: String, Sendable, Hashable, Codable, CaseIterable {
        case posted, declined
        case alreadyPosted = "already-posted"
        /// The payment was told of since it was judged.
        case movedOn = "moved-on"
        case needsPerson = "needs-person"
        /// It was asked for, and nobody knows what came of it. It is looked up, and not asked for again.
        case unknown
    }

    package var item: Int64
    package var transaction: UUID128
    package var end: End
    /// The version of the payment's stream by then.
    package var version: Int64?
    /// The rule by which it ended, where one decided.
    package var rule: String?
    package var detail: String?

    package init(
        item: Int64,
        transaction: UUID128,
        end: End,
        version: Int64? = nil,
        rule: String? = nil,
        detail: String? = nil
    ) {
        self.item = item
        self.transaction = transaction
        self.end = end
        self.version = version
        self.rule = rule
        self.detail = detail
    }
}

/// Everything that was to be attempted has ended: the payload of `ReplayCompleted`.
package struct ReplayCompletion: Sendable, Hashable, Codable {
    package var ends: [ReplayEndCount]

    package init(ends: [ReplayEndCount]) {
        self.ends = ends
    }
}

/// How many items ended in one way.
package struct ReplayEndCount: Sendable, Hashable, Codable {
    package var end: ReplayItemEnd.End
    package var count: Int64

    package init(end: ReplayItemEnd.End, count: Int64) {
        self.end = end
        self.count = count
    }
}
