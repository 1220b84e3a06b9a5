package import Canonical
import Payments

/// Where a plan stands.
package enum ReplayStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its items are not all there yet.
    case drafted
    /// It waits to be approved.
    case planned
    case approved, rejected, running, paused, stopped, completed

    /// True once nothing of it is attempted any more.
    package var isOver: Bool { self == .rejected || self == .stopped || self == .completed }
}

/// A plan of what is asked of gateways again, as its events tell it.
package struct ReplayPlan: Sendable, Hashable {
    /// One of its items, and what became of it.
    package struct Item: Sendable, Hashable {
        package var planned: ReplayItem
        package var attempt: ReplayAttempt?
        package var end: ReplayItemEnd?

        /// True where it is to be asked of a gateway.
        package var isActionable: Bool { planned.disposition == .resubmit }
    }

    package private(set) var version: Int64 = 0
    package private(set) var planning: ReplayPlanning?
    /// By number.
    package private(set) var items: [Int64: Item] = [:]
    package private(set) var status = ReplayStatus.drafted
    package private(set) var approval: ReplayApproval?
    /// Why it was rejected or stopped, or what was said last.
    package private(set) var note: String?
    /// How many items are to be attempted and have not ended.
    package private(set) var openCount = 0

    package init() {}

    package init(folding events: some Sequence<ReplayEvent>) {
        for event in events { fold(event) }
    }

    /// Takes in an event. Total: one that cannot follow those before it changes nothing but the version. In particular
    /// nothing is running that was not approved.
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

    /// True once every item is there, and they come to the totals.
    package var isWhole: Bool {
        guard let planning, planning.items == Int64(items.count) else { return false }
        return planning.totals == ReplayTotal.of(items.values.map(\.planned))
    }

    /// What is to be attempted and has not ended, by number.
    package var openItems: [Item] {
        items.values.filter { $0.isActionable && $0.end == nil }.sorted { $0.planned.number < $1.planned.number }
    }

    /// What is to be attempted, by number.
    package var actionableItems: [Item] {
        items.values.filter(\.isActionable).sorted { $0.planned.number < $1.planned.number }
    }

    package func isExpired(at time: Timestamp) -> Bool { planning.map { time >= $0.expiresAt } ?? false }

    /// How many items ended in which way.
    package var ends: [ReplayEndCount] {
        ReplayItemEnd.End.allCases.compactMap { end in
            let count = items.values.count { $0.end?.end == end }
            return count == 0 ? nil : ReplayEndCount(end: end, count: Int64(count))
        }
    }
}

/// How small a plan is carried out without another person.
package struct ReplayPolicy: Sendable, Hashable, Codable {
    /// In minor units, all items together.
    package struct Limit: Sendable, Hashable, Codable {
        package var currency: String
        package var most: Int64

        package init(currency: String, most: Int64) {
            self.currency = currency
            self.most = most
        }
    }

    /// How long what went without another person counts, in seconds.
    package static let dailySeconds: Int64 = 86_400

    /// The most items that are attempted; 0 where every plan needs another person.
    package var items: Int64
    /// In other currencies every plan needs one.
    package var limits: [Limit]
    /// The most that all plans of a tenant together may come to within 24 hours. In a currency that is left out it is what
    /// one plan may come to.
    package var daily: [Limit]

    package init(items: Int64 = 0, limits: [Limit] = [], daily: [Limit] = []) {
        self.items = items
        self.limits = limits
        self.daily = daily
    }

    /// True where a plan that attempts this is small enough. An item without an amount is not.
    package func allows(_ items: [ReplayItem]) -> Bool {
        guard !items.isEmpty, Int64(items.count) <= self.items, let sums = Self.sums(items) else { return false }
        return sums.allSatisfy { currency, sum in
            limits.contains { $0.currency == currency.alpha && sum <= $0.most }
        }
    }

    /// True where a plan that attempts this is small enough together with what went without another person before.
    ///
    /// - Parameter earlier: Whatever was to be attempted of these, whether or not it was.
    package func allows(_ items: [ReplayItem], after earlier: [ReplayTotal]) -> Bool {
        guard let sums = Self.sums(items) else { return false }
        return sums.allSatisfy { currency, sum in
            let limit = (daily + limits).first { $0.currency == currency.alpha }
            guard var rest = limit?.most.subtractingReportingOverflow(sum) else { return false }
            for total in earlier where total.currency == currency.alpha && total.disposition == .resubmit {
                // What is beyond 64 bits is beyond every limit.
                guard let amount = total.amount, amount >= 0, !rest.overflow else { return false }
                rest = rest.partialValue.subtractingReportingOverflow(amount)
            }
            return !rest.overflow && rest.partialValue >= 0
        }
    }

    /// What items come to, in minor units; nil where that is not known, or beyond 64 bits.
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
