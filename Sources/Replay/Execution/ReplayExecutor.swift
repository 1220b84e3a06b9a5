import Canonical
import EventLog
import Gateways
import Intake
import Payments
import Projections
import ReplayRules
import Vendors

/// Executes one item of a plan: queries the gateway for the payment, judges the payment again, and submits it once.
///
/// Nothing is locked. An item is executed only after `GatewayCallSent` is appended to the payment's stream, at a
/// version after which there are only the judged events and this item's own. So of two workers, one succeeds.
struct ReplayExecutor: Sendable {
    static let actor = "process:replay"

    /// An item with the data of its plan.
    struct Work: Sendable {
        var tenant: String
        var plan: UUID128
        var item: ReplayItem
        var book: RuleBookReference
        var expiresAt: Timestamp
        /// Reads the current status of the plan.
        var status: @Sendable () async throws -> ReplayStatus
        /// The number of times that a worker has begun the item.
        var tries: Int
    }

    enum Result: Sendable, Hashable {
        case ended(ReplayItemEnd.End, rule: String?, detail: String?, version: Int64)
        /// No result yet.
        case later(Timestamp)
    }

    private static let pauseSeconds: Int64 = 30
    /// The longest pause between two unanswered queries.
    private static let longestPauseSeconds: Int64 = 300

    let reader: EventReader
    let caller: GatewayCaller
    let gateways: GatewayRegistry
    let vault: CardVault
    let orderDuplicates: OrderDuplicates
    let readModels: ReadModels
    let asksOnlyStandIns: Bool
    let clock: any WallClock

    /// - Throws: `AppendError`, or the errors of reading: then the result is unknown, and the item is executed again
    ///   later.
    func execute(_ work: Work) async throws -> Result {
        let before = try await snapshot(work)
        if let end = Self.end(before) { return end }
        if let halt = try await halt(before, work) { return halt }
        guard clock.now() < work.expiresAt else { return end(.needsPerson, .expired, before) }
        guard before.isOurs else {
            let rule = before.hasOtherCard ? ReplayRule.otherCard.rawValue : nil
            return .ended(.movedOn, rule: rule, detail: nil, version: before.version)
        }
        guard let book = book(work.book) else { return end(.needsPerson, .otherRules, before) }
        if let obstacle = judge(before, work, book) { return obstacle }
        let judge = ReplayJudge(gateways: gateways, book: book, time: clock.now())
        let gateway: any PaymentGateway
        switch judge.way(to: work.item.operation, before.state, before.facts) {
        case .success(let found): gateway = found
        case .failure(let rule): return end(.needsPerson, rule, before)
        }
        if gateway.support(for: .find) == .supported {
            if let result = try await lookUp(before, work, gateway) { return result }
        }
        let found = try await snapshot(work)
        guard found.isOurs, found.attempt == before.attempt else { return later(1) }
        if let obstacle = self.judge(found, work, book) { return obstacle }
        var claims: [String] = []
        if work.item.operation.isPayment {
            // The names are read before the search for duplicates. A payment that the search misses has then taken
            // one of them, and the append fails.
            claims = try await orderDuplicates.claims(found.state, tenant: work.tenant)
            if let result = try await orderDuplicates(of: work, found, book) { return result }
        }
        // The query took time, and an operator may have stopped the plan meanwhile.
        if let halt = try await halt(found, work) { return halt }
        return try await act(found, work, gateway, claims)
    }

    /// Checks whether the order was paid on another stream, according to all events in the log.
    ///
    /// - Returns: Nil when it was not.
    private func orderDuplicates(of work: Work, _ snapshot: ReplaySnapshot, _ book: RuleBook) async throws -> Result? {
        let head = try await reader.head()
        guard try await readModels.wait(for: "transactions", toReach: head, timeout: .seconds(10)) else {
            return later(1)
        }
        let id = work.item.transaction
        let found = try await orderDuplicates.rulings(against: [id], tenant: work.tenant, book: book, now: clock.now())
        guard let ruling = found[id] else { return nil }
        return .ended(.needsPerson, rule: ruling.rule, detail: nil, version: snapshot.version)
    }

    /// The result of an item without a call when its plan is not running.
    private func halt(_ snapshot: ReplaySnapshot, _ work: Work) async throws -> Result? {
        switch try await work.status() {
        case .running: nil
        case .paused: later()
        default: end(.needsPerson, .stopped, snapshot)
        }
    }

    // MARK: Judgement

    private func snapshot(_ work: Work) async throws -> ReplaySnapshot {
        let history = try await reader.stream(StreamName.transaction(work.item.transaction), of: work.tenant)
        return try ReplaySnapshot(history, plan: work.plan, item: work.item)
    }

    /// The result of an item that has made a call.
    private static func end(_ snapshot: ReplaySnapshot) -> Result? {
        func ended(_ end: ReplayItemEnd.End, _ rule: ReplayRule? = nil, _ detail: String? = nil) -> Result {
            .ended(end, rule: rule?.rawValue, detail: detail, version: snapshot.version)
        }
        switch snapshot.attempt {
        case .none, .notSent: return nil
        // The sender of the call has ended, or has lost its lease. The call is queried and not repeated.
        case .open: return ended(.unknown, nil, GatewayCaller.abandoned)
        case .unanswered(let failure): return ended(.unknown, nil, failure)
        case .answered(let verdict, let code):
            switch verdict {
            case .approved?, .partiallyApproved?: return ended(.posted, nil, code)
            case .declined?: return ended(.declined, nil, code)
            case .refused?, .notPosted?: return ended(.needsPerson, .refused, code)
            case .pending?, .ambiguous?, .unknown?, nil: return ended(.unknown, nil, code)
            }
        }
    }

    /// The rules of the plan's day; nil when this build's rules differ.
    private func book(_ reference: RuleBookReference) -> RuleBook? {
        guard let day = Timestamp(rfc3339: "\(reference.day)T00:00:00Z"),
            let book = try? RuleBook(
                asOf: day,
                overriding: reference.overrides,
                asksOnlyStandIns: asksOnlyStandIns
            ), book.digest == reference.digest
        else { return nil }
        return book
    }

    /// The reason against submitting it now; nil when there is none.
    private func judge(_ snapshot: ReplaySnapshot, _ work: Work, _ book: RuleBook) -> Result? {
        let item = work.item
        let evidence = PaymentEvidence(
            folding: snapshot.facts,
            wanted: ReplayRequest(item.operation, amount: item.amount, tip: item.tip),
            codes: VendorAdapters.code
        )
        let ruling = classify(evidence, at: clock.now(), book: book)
        switch ruling.disposition {
        case .resubmit: return nil
        case .alreadyPosted: return .ended(.alreadyPosted, rule: ruling.rule, detail: nil, version: snapshot.version)
        case .waitUntil(let time) where time < work.expiresAt: return .later(max(time, clock.now()))
        case .waitUntil, .never, .needsPerson:
            return .ended(.needsPerson, rule: ruling.rule, detail: nil, version: snapshot.version)
        }
    }

    private func end(_ end: ReplayItemEnd.End, _ rule: ReplayRule, _ snapshot: ReplaySnapshot) -> Result {
        .ended(end, rule: rule.rawValue, detail: nil, version: snapshot.version)
    }

    private func later(_ seconds: Int64 = pauseSeconds) -> Result {
        .later(clock.now().adding(microseconds: seconds * 1_000_000))
    }

    private func sender(_ work: Work) -> Sender {
        Sender(
            tenant: work.tenant,
            actor: Self.actor,
            correlation: ReplayReference.text(work.plan, work.item.number, .work)
        )
    }

    // MARK: Calls

    /// Queries the gateway for the payment before anything is submitted.
    ///
    /// - Returns: Nil when the answer permits to continue.
    private func lookUp(_ snapshot: ReplaySnapshot, _ work: Work, _ gateway: any PaymentGateway) async throws -> Result?
    {
        let state = snapshot.state
        let call = GatewayCall(
            .find,
            reference: CallReference(ReplayReference.text(work.plan, work.item.number, .find, snapshot.finds + 1))
                .text(at: gateway),
            original: OriginalPayment(state, sent: snapshot.payment, at: snapshot.facts.first?.at ?? clock.now()),
            amount: state.requested.flatMap { state.money($0) }
        )
        // The gateway need not have the payment, so nothing follows from a report that it does not.
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(work.item.transaction),
            version: snapshot.version,
            sought: SoughtPayment(
                state,
                sent: snapshot.payment,
                begunAt: snapshot.begunAt,
                invoice: VendorAdapters.adapter(of: gateway.vendor).findsByInvoice ? call.soughtInvoice : nil,
                account: gateway.merchantAccount
            )
        )
        guard let outcome = try await caller.call(call, at: gateway, subject, sender: sender(work)) else {
            return later(1)
        }
        switch outcome {
        case .notSent(let failure):
            // Without a name the payment cannot be queried at any gateway, so it is impossible to determine whether
            // it was already made.
            if failure.code == .incomplete || failure.code == .unsupported {
                return snapshot.wasNeverSent ? nil : end(.needsPerson, .lookupUnclear, snapshot)
            }
            return unanswered(snapshot)
        case .unanswered: return unanswered(snapshot)
        case .answered(let answer):
            switch answer.verdict {
            case .approved, .partiallyApproved, .declined: return nil
            case .notPosted:
                // A follow-up requires the original payment at the gateway.
                return work.item.operation.isPayment ? nil : end(.needsPerson, .lookupUnclear, snapshot)
            case .pending: return unanswered(snapshot)
            case .ambiguous, .unknown, .refused: return end(.needsPerson, .lookupUnclear, snapshot)
            }
        }
    }

    /// The query was not answered. It is repeated until it is, or the plan expires.
    private func unanswered(_ snapshot: ReplaySnapshot) -> Result {
        later(snapshot.finds < 8 ? 1 << Int64(snapshot.finds) : Self.longestPauseSeconds)
    }

    private func act(
        _ snapshot: ReplaySnapshot,
        _ work: Work,
        _ gateway: any PaymentGateway,
        _ claims: [String]
    ) async throws -> Result {
        let item = work.item
        guard let operation = item.operation.call else { return end(.needsPerson, .unsupported, snapshot) }
        let reference = CallReference(ReplayReference.text(work.plan, item.number, .attempt, snapshot.attempts + 1))
            .text(at: gateway)
        var call = GatewayCall(operation, reference: reference)
        if item.operation.isPayment {
            guard let held = try await vault.token(of: item.transaction, tenant: work.tenant) else {
                return end(.needsPerson, .noToken, snapshot)
            }
            // The approval is for the card at that time and for no other one.
            guard let approved = item.card, approved == held.digest else {
                return end(.needsPerson, .otherCard, snapshot)
            }
            call.token = held.token
            call.amount = item.amount
        } else {
            let state = snapshot.state
            call.original = OriginalPayment(state, sent: snapshot.payment, at: snapshot.facts.first?.at ?? clock.now())
            call.original.amount = state.money(state.captured > 0 ? state.captured : state.authorized)
            call.amount = Self.amount(item, state)
            call.tip = item.tip
        }
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(item.transaction),
            version: snapshot.version,
            claims: claims
        )
        guard let outcome = try await caller.call(call, at: gateway, subject, sender: sender(work)) else {
            return later(1)
        }
        if case .notSent(let failure) = outcome {
            switch failure.code {
            case .unsupported, .incomplete, .addressRefused, .tlsFailed:
                return .ended(
                    .needsPerson,
                    rule: ReplayRule.incomplete.rawValue,
                    detail: failure.code.rawValue,
                    version: snapshot.version + 2
                )
            default: return later()
            }
        }
        let after = try await self.snapshot(work)
        return Self.end(after) ?? later(1)
    }

    /// The amount of a follow-up: for a tip adjustment and a capture, the whole new amount.
    private static func amount(_ item: ReplayItem, _ state: TransactionState) -> Money? {
        switch item.operation {
        case .followUp(.tipAdjustment):
            let open = state.countedCaptures.last(where: \.isOpen)
            guard let open, let tip = item.tip else { return item.amount }
            let base = open.net.subtractingReportingOverflow(open.tip)
            let total = base.partialValue.addingReportingOverflow(tip.value)
            return base.overflow || total.overflow ? nil : state.money(total.partialValue)
        case .followUp(.capture): return item.amount ?? state.money(state.authorized)
        case .followUp(.refund):
            return item.amount ?? state.money(PaymentBalance(state, approvedAt: nil).refundable)
        default: return item.amount
        }
    }
}
