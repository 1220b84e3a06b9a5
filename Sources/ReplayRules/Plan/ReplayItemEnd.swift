package import Canonical

/// An item is about to be sent to a gateway: the payload of `ReplayItemAttempted`.
package struct ReplayAttempt: Sendable, Hashable, Codable {
    package var item: Int64
    package var transaction: UUID128
    /// The version of the payment's stream just before the attempt: the version that was judged.
    package var version: Int64
    /// The correlation of the item's events on the payment's stream.
    package var reference: String

    package init(item: Int64, transaction: UUID128, version: Int64, reference: String) {
        self.item = item
        self.transaction = transaction
        self.version = version
        self.reference = reference
    }
}

/// The result of an item: the payload of `ReplayItemEnded`.
package struct ReplayItemEnd: Sendable, Hashable, Codable {
    package enum End: String, Sendable, Hashable, Codable, CaseIterable {
        case posted, declined
        case alreadyPosted = "already-posted"
        /// The payment has new events since it was judged.
        case movedOn = "moved-on"
        case needsPerson = "needs-person"
        /// It was sent, and the outcome is unknown. The gateway is queried; the item is not resubmitted.
        case unknown
    }

    package var item: Int64
    package var transaction: UUID128
    package var end: End
    /// The version of the payment's stream at the end.
    package var version: Int64?
    /// The deciding rule, if there is one.
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

/// Every item to be attempted has ended: the payload of `ReplayCompleted`.
package struct ReplayCompletion: Sendable, Hashable, Codable {
    package var ends: [ReplayEndCount]

    package init(ends: [ReplayEndCount]) {
        self.ends = ends
    }
}

/// The number of items with one result.
package struct ReplayEndCount: Sendable, Hashable, Codable {
    package var end: ReplayItemEnd.End
    package var count: Int64

    package init(end: ReplayItemEnd.End, count: Int64) {
        self.end = end
        self.count = count
    }
}
