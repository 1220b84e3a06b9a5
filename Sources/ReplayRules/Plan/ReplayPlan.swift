package import Canonical
import Payments

/// The status of a plan.
package enum ReplayStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its items are not complete.
    case drafted
    /// It waits for approval.
    case planned
    case approved, rejected, running, paused, stopped, completed

    /// True once no further items are attempted.
    package var isOver: Bool { self == .rejected || self == .stopped || self == .completed }
}

/// A replay plan, folded from its events.
package struct ReplayPlan: Sendable, Hashable {
    /// One item and its result.
    package struct Item: Sendable, Hashable {
        package var planned: ReplayItem
        package var attempt: ReplayAttempt?
        package var end: ReplayItemEnd?

        /// True if it is to be sent to a gateway.
        package var isActionable: Bool { planned.disposition == .resubmit }
    }

    package private(set) var version: Int64 = 0
    package private(set) var planning: ReplayPlanning?
    /// The items by number.
    package private(set) var items: [Int64: Item] = [:]
    package private(set) var status = ReplayStatus.drafted
    package private(set) var approval: ReplayApproval?
    /// The reason of the last rejection, start, pause, resumption or stop.
    package private(set) var note: String?
    /// The number of items that are to be attempted and have not ended.
    package private(set) var openCount = 0

    package init() {}

    package init(folding events: some Sequence<ReplayEvent>) {
        for event in events { fold(event) }
    }

    /// Folds an event. Total: an event that cannot follow the earlier ones changes only the version. In particular, a
    /// plan that was not approved never runs.
    package mutating func fold(_ event: ReplayEvent) {
        version += 1
        switch event {
        case .planned(let reported): if planning == nil { planning = reported }
        case .itemsPlanned(let reported):
            guard status == .drafted, planning != nil else { break }
            for item in reported.items where items[item.number] == nil {
                items[item.number] = Item(planned: item)
                if item.disposition == .resubmit { openCount += 1 }
            }
        case .approved(let reported):
            guard status == .planned else { break }
            approval = reported
            status = .approved
        case .rejected(let reported): move(to: .rejected, from: [.drafted, .planned], reported)
        case .started(let reported): move(to: .running, from: [.approved], reported)
        case .paused(let reported): move(to: .paused, from: [.running], reported)
        case .resumed(let reported): move(to: .running, from: [.paused], reported)
        case .stopped(let reported): move(to: .stopped, from: [.approved, .running, .paused], reported)
        case .itemAttempted(let reported):
            guard status == .running, let item = items[reported.item], item.isActionable, item.end == nil,
                item.attempt == nil, item.planned.transaction == reported.transaction
            else { break }
            items[reported.item]?.attempt = reported
        case .itemEnded(let reported):
            guard status == .running || status == .paused || status == .stopped, let item = items[reported.item],
                item.isActionable, item.end == nil, item.planned.transaction == reported.transaction
            else { break }
            items[reported.item]?.end = reported
            openCount -= 1
        case .completed: if status == .running, openCount == 0 { status = .completed }
        }
        if status == .drafted, isWhole { status = .planned }
    }

    private mutating func move(to next: ReplayStatus, from: [ReplayStatus], _ reported: ReplayNote) {
        guard from.contains(status) else { return }
        status = next
        note = reported.reason
    }

    /// True once all items are present and add up to the totals.
    package var isWhole: Bool {
        guard let planning, planning.items == Int64(items.count) else { return false }
        return planning.totals == ReplayTotal.of(items.values.map(\.planned))
    }

    /// The items that are to be attempted and have not ended, ordered by number.
    package var openItems: [Item] {
        items.values.filter { $0.isActionable && $0.end == nil }.sorted { $0.planned.number < $1.planned.number }
    }

    /// The items that are to be attempted, ordered by number.
    package var actionableItems: [Item] {
        items.values.filter(\.isActionable).sorted { $0.planned.number < $1.planned.number }
    }

    package func isExpired(at time: Timestamp) -> Bool { planning.map { time >= $0.expiresAt } ?? false }

    /// The number of items per result.
    package var ends: [ReplayEndCount] {
        ReplayItemEnd.End.allCases.compactMap { end in
            let count = items.values.count { $0.end?.end == end }
            return count == 0 ? nil : ReplayEndCount(end: end, count: Int64(count))
        }
    }
}

/// The largest plan that is executed without an approver.
package struct ReplayPolicy: Sendable, Hashable, Codable {
    /// The limit for the sum of all items, in minor units.
    package struct Limit: Sendable, Hashable, Codable {
        package var currency: String
        package var most: Int64

        package init(currency: String, most: Int64) {
            self.currency = currency
            self.most = most
        }
    }

    /// The period over which plans approved by policy are summed, in seconds.
    package static let dailySeconds: Int64 = 86_400

    /// The largest number of items to attempt; 0 if every plan needs an approver.
    package var items: Int64
    /// In currencies without a limit every plan needs an approver.
    package var limits: [Limit]
    /// The limits for the sum of all of a tenant's plans within 24 hours. A currency without a daily limit has the
    /// limit of one plan.
    package var daily: [Limit]

    package init(items: Int64 = 0, limits: [Limit] = [], daily: [Limit] = []) {
        self.items = items
        self.limits = limits
        self.daily = daily
    }

    /// True if a plan that attempts these items is within the limits. An item without an amount never is.
    package func allows(_ items: [ReplayItem]) -> Bool {
        guard !items.isEmpty, Int64(items.count) <= self.items, let sums = Self.sums(items) else { return false }
        return sums.allSatisfy { currency, sum in
            limits.contains { $0.currency == currency.alpha && sum <= $0.most }
        }
    }

    /// True if a plan that attempts these items is within the limits together with the earlier plans approved by
    /// policy.
    ///
    /// - Parameter earlier: The totals of those plans. Items to be attempted count whether or not they were attempted.
    package func allows(_ items: [ReplayItem], after earlier: [ReplayTotal]) -> Bool {
        guard let sums = Self.sums(items) else { return false }
        return sums.allSatisfy { currency, sum in
            guard let limit = (daily + limits).first(where: { $0.currency == currency.alpha }) else { return false }
            let parts = earlier.filter { $0.currency == currency.alpha && $0.disposition == .resubmit }
            // An amount beyond 64 bits is beyond every limit.
            return DailySum.allows(sum, after: parts.map { $0.amount ?? .max }, most: limit.most)
        }
    }

    /// The sums per currency in minor units; nil if an item has no amount or a negative one, or if a sum does not fit
    /// into 64 bits.
    private static func sums(_ items: [ReplayItem]) -> [Currency: Int64]? {
        var sums: [Currency: Int64] = [:]
        for item in items {
            guard let amount = item.amount, amount.value >= 0 else { return nil }
            let sum = sums[amount.currency, default: 0].addingReportingOverflow(amount.value)
            guard !sum.overflow else { return nil }
            sums[amount.currency] = sum.partialValue
        }
        return sums
    }
}
