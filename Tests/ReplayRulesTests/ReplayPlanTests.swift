import Canonical
import DaybookTestKit
import Payments
import Redaction
import ReplayRules
import Testing

/// Permissions for a plan's actions, and the plan's status after them.
@Suite struct ReplayPlanTests {
    private static let ann = ReplayActor(name: "ann", holder: "person-1")
    private static let bob = ReplayActor(name: "bob", holder: "person-2")
    private let planner = ReplayAuthority(ann, mayPlan: true, mayApprove: true)
    private let approver = ReplayAuthority(bob, mayApprove: true)
    private let expiry = sentAt.after(3600)

    private func payment(_ number: Int64) -> UUID128 {
        UUID128(high: 0x8000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    private func item(_ number: Int64, _ name: Disposition.Name = .resubmit, _ amount: Int64? = 1000) -> ReplayItem {
        ReplayItem(
            number: number,
            transaction: payment(number),
            version: 7,
            operation: .sale,
            disposition: name,
            rule: "iso.05",
            evidence: [3],
            amount: amount.map { Money($0, .usd) }
        )
    }

    private func planning(_ items: [ReplayItem]) -> ReplayEvent {
        .planned(
            ReplayPlanning(
                filter: "status=declined",
                reason: "nightly",
                planner: Self.ann,
                book: RuleBookReference(edition: "1", day: "2026-11-02", digest: "sha256:x"),
                covers: 40,
                plannedAt: sentAt,
                expiresAt: expiry,
                items: Int64(items.count),
                totals: ReplayTotal.of(items)
            )
        )
    }

    private func plan(_ items: [ReplayItem]) -> ReplayPlan {
        ReplayPlan(folding: [planning(items)] + ReplayItems.chunks(items).map { .itemsPlanned($0) })
    }

    private func versions(_ plan: ReplayPlan) -> [UUID128: Int64] {
        Dictionary(plan.items.values.map { ($0.planned.transaction, $0.planned.version) }, uniquingKeysWith: { $1 })
    }

    /// Performs an action, nil for the completion, and folds the recorded event.
    private func act(
        _ action: ReplayAction?,
        _ plan: inout ReplayPlan,
        by authority: ReplayAuthority? = nil,
        at time: Timestamp = sentAt,
        policy: ReplayPolicy = ReplayPolicy()
    ) throws(ReplayRefusal) {
        guard let action else { return plan.fold(try plan.complete(by: authority ?? planner)) }
        plan.fold(
            try plan.decide(
                action,
                by: authority ?? planner,
                reason: "because",
                at: time,
                versions: versions(plan),
                policy: policy
            )
        )
    }

    private func refusal(
        _ action: ReplayAction?,
        _ plan: ReplayPlan,
        by authority: ReplayAuthority? = nil,
        at time: Timestamp = sentAt,
        policy: ReplayPolicy = ReplayPolicy()
    ) -> ReplayRefusal? {
        var plan = plan
        do {
            try act(action, &plan, by: authority, at: time, policy: policy)
            return nil
        } catch {
            return error
        }
    }

    @Test("Keys with unknown holders may belong to one operator")
    func unknownHolders() throws {
        let plan = plan([item(1)])
        let nobody = ReplayAuthority(ReplayActor(name: "key:2"), mayApprove: true)
        #expect(refusal(.approve, plan, by: nobody) == .unknownHolder)
        #expect(refusal(.approve, plan, by: approver) == nil)
        #expect(refusal(.approve, plan, by: ReplayAuthority(Self.ann, mayApprove: true)) == .ownPlan)
        let table: [(ReplayActor, ReplayActor, ReplayRefusal?)] = [
            (ReplayActor(name: "a", holder: "x"), ReplayActor(name: "b", holder: "y"), nil),
            (ReplayActor(name: "a", holder: "x"), ReplayActor(name: "b", holder: "x"), .ownPlan),
            (ReplayActor(name: "a", holder: "x"), ReplayActor(name: "a", holder: "y"), .ownPlan),
            (ReplayActor(name: "a"), ReplayActor(name: "a"), .ownPlan),
            (ReplayActor(name: "a"), ReplayActor(name: "b", holder: "y"), .unknownHolder),
            (ReplayActor(name: "a", holder: "x"), ReplayActor(name: "b"), .unknownHolder),
            (ReplayActor(name: "key:1"), ReplayActor(name: "cli:root"), .unknownHolder),
        ]
        for (planner, approver, expected) in table {
            #expect(planner.refusal(of: approver) == expected, "\(planner) and \(approver)")
        }
    }

    @Test("Many small plans together need an approver, as one large plan does")
    func dailyPolicy() {
        func spent(_ amount: Int64?, _ currency: String = "USD", _ disposition: Disposition.Name = .resubmit)
            -> ReplayTotal
        {
            ReplayTotal(disposition: disposition, currency: currency, count: 1, amount: amount)
        }
        let usd = ReplayPolicy.Limit(currency: "USD", most: 5000)
        let plain = ReplayPolicy(items: 5, limits: [usd])
        let daily = ReplayPolicy(items: 5, limits: [usd], daily: [.init(currency: "USD", most: 8000)])
        let table: [(ReplayPolicy, [ReplayTotal], Bool)] = [
            // Without a daily limit, all plans together have the limit of one plan.
            (plain, [], true), (plain, [spent(4000)], true), (plain, [spent(4001)], false),
            (plain, [spent(2000), spent(2000)], true), (plain, [spent(2000), spent(2001)], false),
            (daily, [spent(5000), spent(2000)], true), (daily, [spent(5000), spent(2001)], false),
            // Other currencies, and items that were not to be resubmitted, do not count.
            (plain, [spent(9000, "EUR")], true), (plain, [spent(9000, "USD", .needsPerson)], true),
            // Beyond 64 bits is beyond every limit.
            (plain, [spent(nil)], false), (plain, [spent(.max), spent(.max), spent(.max)], false),
            (plain, [spent(-5000)], false),
            (ReplayPolicy(items: 5, limits: [usd], daily: [.init(currency: "USD", most: 0)]), [], false),
            (ReplayPolicy(items: 5, limits: [], daily: [usd]), [], true),
        ]
        for (policy, earlier, isAllowed) in table {
            #expect(policy.allows([item(1)], after: earlier) == isAllowed, "\(policy.daily) after \(earlier)")
        }
        let huge = ReplayPolicy(items: 5, limits: [.init(currency: "USD", most: .max)])
        #expect(huge.allows([item(1, .resubmit, .max)], after: []))
        #expect(!huge.allows([item(1, .resubmit, .max)], after: [spent(1)]))
        #expect(!huge.allows([item(1, .resubmit, .max), item(2, .resubmit, 1)], after: []))
    }

    @Test func fromThePlanToTheEnd() throws {
        var plan = plan([item(1), item(2), item(3, .never), item(4, .waitUntil)])
        #expect(plan.status == .planned && plan.actionableItems.count == 2)
        #expect(refusal(.start, plan) == .notApproved)
        try act(.approve, &plan, by: approver)
        #expect(plan.status == .approved && plan.approval?.approver == Self.bob && plan.approval?.byPolicy == false)
        #expect(refusal(.approve, plan, by: approver) == .alreadyApproved)
        #expect(refusal(.reject, plan, by: approver) == .alreadyApproved)
        #expect(throws: ReplayRefusal.notRunning) { try plan.attempt(1, version: 7, reference: "r", at: sentAt) }
        try act(.start, &plan)
        #expect(refusal(.start, plan) == .alreadyStarted)
        plan.fold(try plan.attempt(1, version: 7, reference: "r1", at: sentAt))
        #expect(throws: ReplayRefusal.itemAttempted) { try plan.attempt(1, version: 7, reference: "r", at: sentAt) }
        #expect(throws: ReplayRefusal.itemMovedOn) { try plan.attempt(2, version: 8, reference: "r", at: sentAt) }
        #expect(throws: ReplayRefusal.notActionable) { try plan.attempt(3, version: 7, reference: "r", at: sentAt) }
        #expect(throws: ReplayRefusal.unknownItem) { try plan.attempt(9, version: 7, reference: "r", at: sentAt) }
        #expect(throws: ReplayRefusal.expired) { try plan.attempt(2, version: 7, reference: "r", at: expiry) }
        #expect(throws: ReplayRefusal.itemNotAttempted) { try plan.end(2, .posted) }
        #expect(refusal(nil, plan) == .itemsOpen)
        plan.fold(try plan.end(1, .posted, version: 9))
        #expect(throws: ReplayRefusal.itemEnded) { try plan.end(1, .declined) }
        #expect(throws: ReplayRefusal.itemEnded) { try plan.attempt(1, version: 9, reference: "r", at: sentAt) }
        plan.fold(try plan.end(2, .movedOn, version: 8))
        try act(nil, &plan)
        #expect(plan.status == .completed && plan.status.isOver)
        #expect(plan.ends == [ReplayEndCount(end: .posted, count: 1), ReplayEndCount(end: .movedOn, count: 1)])
        for action in [ReplayAction.approve, .reject, .start, .resume, .stop, .pause, nil] {
            let reported = refusal(action, plan, by: ReplayAuthority(Self.bob, mayPlan: true, mayApprove: true))
            #expect(reported == .over, "\(action)")
        }
    }

    @Test func onlyAnotherOperatorApproves() throws {
        let plan = plan([item(1)])
        #expect(refusal(.approve, plan) == .ownPlan)
        let secondKey = ReplayAuthority(ReplayActor(name: "ann-2", holder: "person-1"), mayApprove: true)
        #expect(refusal(.approve, plan, by: secondKey) == .ownPlan)
        #expect(refusal(.approve, plan, by: ReplayAuthority(Self.bob, mayPlan: true)) == .noRight)
        #expect(refusal(.approve, plan, by: approver) == nil)
        #expect(refusal(.reject, plan, by: ReplayAuthority(Self.bob)) == .noRight)
        #expect(refusal(.reject, plan) == nil)
    }

    @Test func expiredAndOutdatedPlansAreNotApproved() throws {
        var plan = plan([item(1), item(2)])
        #expect(refusal(.approve, plan, by: approver, at: expiry) == .expired)
        #expect(refusal(.approve, plan, by: approver, at: expiry.adding(microseconds: -1)) == nil)
        var other = versions(plan)
        other[payment(2)] = 8
        #expect(plan.movedOn(other) == [2])
        #expect(throws: ReplayRefusal.movedOn) {
            try plan.decide(.approve, by: approver, reason: "x", at: sentAt, versions: other)
        }
        other[payment(2)] = nil
        #expect(plan.movedOn(other) == [2])
        try act(.approve, &plan, by: approver)
        #expect(refusal(.start, plan, at: expiry) == .expired)
        try act(.start, &plan)
        try act(.pause, &plan)
        #expect(refusal(.resume, plan, at: expiry) == .expired)
        // A plan that has started may be stopped at any time.
        #expect(refusal(.stop, plan, at: expiry) == nil)
    }

    @Test func pausedResumedStopped() throws {
        var plan = plan([item(1), item(2)])
        #expect(refusal(.pause, plan) == .notRunning && refusal(.resume, plan) == .notPaused)
        #expect(refusal(.stop, plan) == .notApproved)
        try act(.approve, &plan, by: approver)
        #expect(refusal(.pause, plan) == .notRunning)
        try act(.start, &plan)
        #expect(refusal(.resume, plan) == .notPaused)
        plan.fold(try plan.attempt(1, version: 7, reference: "r", at: sentAt))
        try act(.pause, &plan)
        #expect(refusal(.pause, plan) == .notRunning && refusal(.start, plan) == .alreadyStarted)
        #expect(throws: ReplayRefusal.notRunning) { try plan.attempt(2, version: 7, reference: "r", at: sentAt) }
        try act(.resume, &plan)
        try act(.stop, &plan)
        #expect(plan.status == .stopped)
        // A running item gets its result; nothing else is attempted.
        plan.fold(try plan.end(1, .unknown))
        #expect(plan.items[1]?.end?.end == .unknown)
        #expect(throws: ReplayRefusal.over) { try plan.attempt(2, version: 7, reference: "r", at: sentAt) }
        #expect(refusal(.resume, plan) == .over && refusal(.stop, plan) == .over)
    }

    @Test func onlyACompletePlanIsApproved() throws {
        let items = (1...1200).map { item(Int64($0)) }
        let chunks = ReplayItems.chunks(items)
        #expect(chunks.map(\.items.count) == [500, 500, 200])
        var plan = ReplayPlan(folding: [planning(items)])
        #expect(refusal(.approve, ReplayPlan(), by: approver) == .incomplete)
        #expect(refusal(.reject, ReplayPlan(), by: approver) == .incomplete)
        for chunk in chunks {
            #expect(plan.status == .drafted && refusal(.approve, plan, by: approver) == .incomplete)
            plan.fold(.itemsPlanned(chunk))
        }
        #expect(plan.status == .planned)
        // Items that do not add up to the totals do not complete the plan.
        var other = items
        other[0].amount = Money(1001, .usd)
        #expect(
            ReplayPlan(folding: [planning(items)] + ReplayItems.chunks(other).map { .itemsPlanned($0) }).status
                == .drafted
        )
        #expect(refusal(.approve, self.plan([item(1, .never)]), by: approver) == .nothingToDo)
    }

    @Test(arguments: [
        (2, 2000, "USD", ReplayRefusal?.none), (1, 2000, "USD", .abovePolicy), (2, 1999, "USD", .abovePolicy),
        (2, 2000, "EUR", .abovePolicy), (0, 2000, "USD", .abovePolicy),
    ])
    func smallPlansNeedNoApprover(items: Int64, most: Int64, currency: String, expected: ReplayRefusal?) {
        let policy = ReplayPolicy(items: items, limits: [.init(currency: currency, most: most)])
        let plan = plan([item(1), item(2), item(3, .never, 1_000_000)])
        #expect(refusal(.approveByPolicy, plan, policy: policy) == expected)
        #expect(refusal(.approveByPolicy, plan, by: approver, policy: policy) == .noRight)
        #expect(refusal(.approveByPolicy, plan, at: expiry, policy: policy) == .expired)
    }

    @Test func amountsBeyondEveryLimit() {
        let policy = ReplayPolicy(items: 9, limits: [.init(currency: "USD", most: .max)])
        #expect(!policy.allows([item(1, .resubmit, .max), item(2, .resubmit, .max)]))
        #expect(!policy.allows([item(1, .resubmit, .min), item(2, .resubmit, .max)]))
        #expect(!policy.allows([item(1, .resubmit, nil)]))
        #expect(!policy.allows([]))
        let totals = ReplayTotal.of([item(1, .resubmit, .max), item(2, .resubmit, .max), item(3, .never, nil)])
        #expect(totals.map(\.count) == [1, 2] && totals.allSatisfy { $0.amount == nil })
    }

    /// In any order of steps by any operator, nothing runs or is attempted without an approval.
    @Test func onlyApprovedItemsAreExecuted() throws {
        var random = SeededGenerator.forTest()
        let people = [planner, approver, ReplayAuthority(Self.ann, mayPlan: true), ReplayAuthority(Self.bob)]
        let actions: [ReplayAction?] = [.approve, .approveByPolicy, .reject, .start, .pause, .resume, .stop, nil]
        let small = ReplayPolicy(items: 5, limits: [.init(currency: "USD", most: 5000)])
        var ran = 0
        for _ in 0..<400 {
            var plan = plan([item(1), item(2), item(3, .never)])
            var wasApproved = false
            for _ in 0..<20 {
                let time = sentAt.after(Int64.random(in: 0...4000, using: &random))
                let action = try #require(actions.randomElement(using: &random))
                let authority = try #require(people.randomElement(using: &random))
                let policy = Bool.random(using: &random) ? small : ReplayPolicy()
                let before = plan.status
                if refusal(action, plan, by: authority, at: time, policy: policy) == nil {
                    try act(action, &plan, by: authority, at: time, policy: policy)
                    if action == .approve {
                        #expect(authority.actor == Self.bob && before == .planned && time < expiry)
                        wasApproved = true
                    }
                    if action == .approveByPolicy { wasApproved = true }
                }
                let number = Int64.random(in: 1...3, using: &random)
                if let event = try? plan.attempt(number, version: 7, reference: "r", at: time) { plan.fold(event) }
                if let event = try? plan.end(number, .needsPerson) { plan.fold(event) }
                if plan.status == .running { ran += 1 }
                let isTouched = plan.status == .running || plan.items.values.contains { $0.attempt != nil }
                #expect(!isTouched || wasApproved, "seed \(random.seed)")
                #expect(plan.items[3]?.attempt == nil)
            }
        }
        #expect(ran > 50)
    }

    /// Events in any order, even one that a log cannot have, run nothing without an approval.
    @Test func noOrderOfEventsExecutesUnapprovedItems() {
        var random = SeededGenerator.forTest()
        let note = ReplayNote(reason: "x")
        let attempt = ReplayAttempt(item: 1, transaction: payment(1), version: 7, reference: "r")
        let end = ReplayItemEnd(item: 1, transaction: payment(1), end: .posted)
        let events: [ReplayEvent] = [
            planning([item(1)]), .itemsPlanned(ReplayItems(items: [item(1)])), .started(note), .paused(note),
            .resumed(note), .itemAttempted(attempt), .itemEnded(end), .completed(ReplayCompletion(ends: [])),
            .rejected(note), .stopped(note),
        ]
        for _ in 0..<500 {
            let order = (0..<30).compactMap { _ in events.randomElement(using: &random) }
            let plan = ReplayPlan(folding: order)
            #expect([.drafted, .planned, .rejected].contains(plan.status), "seed \(random.seed)")
            #expect(plan.items.values.allSatisfy { $0.attempt == nil && $0.end == nil })
            #expect(plan.version == 30)
        }
    }

    @Test func codesOfRefusalsAreStable() {
        #expect(
            ReplayRefusal.allCases.map(\.rawValue) == [
                "replay-incomplete", "replay-no-right", "replay-own-plan", "replay-unknown-holder",
                "replay-above-policy", "replay-above-daily-policy",
                "replay-already-approved", "replay-already-started", "replay-over", "replay-expired", "replay-moved-on",
                "replay-nothing-to-do", "replay-not-approved", "replay-not-running", "replay-not-paused",
                "replay-items-open", "replay-unknown-item", "replay-not-actionable", "replay-item-attempted",
                "replay-item-not-attempted", "replay-item-ended", "replay-item-moved-on",
            ]
        )
    }

    @Test func streams() {
        let id = payment(5)
        #expect(StreamName.replayID(StreamName.replay(id)) == id)
        #expect(StreamName.replay(id) == "replay/\(id)")
        #expect(StreamName.replayID("exception/\(id)") == nil && StreamName.replayID("replay/x") == nil)
    }
}
