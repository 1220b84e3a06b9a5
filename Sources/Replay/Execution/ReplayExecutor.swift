import Canonical
import EventLog
import Gateways
import Intake
import Payments
import Projections
import ReplayRules

/// Carries out one item of a plan: looks the payment up, judges it again, and asks for it once.
///
/// Nothing here is locked. What lets it act is that `GatewayCallSent` gets onto the payment's stream at a version up to
/// which there is nothing but what was judged and what this item has asked: of two workers one gets it in.
struct ReplayExecutor: Sendable {
    static let actor = "process:replay"

    /// An item, and what its plan says.
    struct Work: Sendable {
        var tenant: String
        var plan: UUID128
        var item: ReplayItem
        var book: RuleBookReference
        var expiresAt: Timestamp
        /// How the plan stands at the moment.
        var status: @Sendable () async throws -> ReplayStatus
        /// How often somebody has begun with it.
        var tries: Int
    }

    enum Result: Sendable, Hashable {
        case ended(ReplayItemEnd.End, rule: String?, detail: String?, version: Int64)
        /// Nothing can be said yet.
        case later(Timestamp)
    }

    private static let pauseSeconds: Int64 = 30
    /// Between two questions that nobody answers.
    private static let longestPauseSeconds: Int64 = 300

    let reader: EventReader
    let caller: GatewayCaller
    let gateways: GatewayRegistry
    let vault: CardVault
    let orderDuplicates: OrderDuplicates
    let readModels: ReadModels
    let asksOnlyStandIns: Bool
    let clock: any WallClock

    /// - Throws: `AppendError`, or what reading throws: then nothing is known, and it is carried out again later.
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
            // Before the siblings are looked for: who is not among them then cannot take a name that was free before.
            claims = try await orderDuplicates.claims(found.state, tenant: work.tenant)
            if let result = try await orderDuplicates(of: work, found, book) { return result }
        }
        // Looking it up took its time, and somebody may have said stop.
        if let halt = try await halt(found, work) { return halt }
        return try await act(found, work, gateway, claims)
    }

    /// Whether the order was paid under another stream, by everything that is in the log now.
    ///
    /// - Returns: Nil where it was not.
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

    /// What comes of an item that has not acted where its plan does not run.
    private func halt(_ snapshot: ReplaySnapshot, _ work: Work) async throws -> Result? {
        switch try await work.status() {
        case .running: nil
        case .paused: later()
        default: end(.needsPerson, .stopped, snapshot)
        }
    }

    // MARK: Judging

    private func snapshot(_ work: Work) async throws -> ReplaySnapshot {
        let history = try await reader.stream(StreamName.transaction(work.item.transaction), of: work.tenant)
        return try ReplaySnapshot(history, plan: work.plan, item: work.item)
    }

    /// How the item ended, where a call of it was made.
    private static func end(_ snapshot: ReplaySnapshot) -> Result? {
        func ended(_ end: ReplayItemEnd.End, _ rule: ReplayRule? = nil, _ detail: String? = nil) -> Result {
            .ended(end, rule: rule?.rawValue, detail: detail, version: snapshot.version)
        }
        switch snapshot.attempt {
        case .none, .notSent: return nil
        // Whoever sent it is gone, or holds nothing any more: it is looked up, and not made again.
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

    /// The rules of the plan's day; nil where this build has others.
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

    /// What speaks against asking for it now; nil where nothing does.
    private func judge(_ snapshot: ReplaySnapshot, _ work: Work, _ book: RuleBook) -> Result? {
        let item = work.item
        let evidence = PaymentEvidence(
            folding: snapshot.facts,
            wanted: ReplayRequest(item.operation, amount: item.amount, tip: item.tip)
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

    // MARK: Asking

    /// Asks what the gateway has of the payment before anything is done.
    ///
    /// - Returns: Nil where nothing it says speaks against going on.
    private func lookUp(_ snapshot: ReplaySnapshot, _ work: Work, _ gateway: any PaymentGateway) async throws -> Result? {
        let state = snapshot.state
        let call = GatewayCall(
            .find,
            reference: CallReference(ReplayReference.text(work.plan, work.item.number, .find, snapshot.finds + 1))
                .text(at: gateway),
            original: OriginalPayment(state, sent: snapshot.payment, at: snapshot.facts.first?.at ?? clock.now()),
            amount: state.requested.flatMap { state.money($0) }
        )
        // What it does not have it need not have: nothing is concluded from that.
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(work.item.transaction),
            version: snapshot.version,
            sought: SoughtPayment(
                state,
                sent: snapshot.payment,
                begunAt: snapshot.begunAt,
                invoice: gateway.vendor == .bridgepay ? call.soughtInvoice : nil,
                account: gateway.merchantAccount
            )
        )
        guard let outcome = try await caller.call(call, at: gateway, subject, sender: sender(work)) else {
            return later(1)
        }
        switch outcome {
        case .notSent(let failure):
            // Without a name it cannot be looked up, by anybody: then nobody can tell whether it was made already.
            if failure.code == .incomplete || failure.code == .unsupported {
                return snapshot.wasNeverSent ? nil : end(.needsPerson, .lookupUnclear, snapshot)
            }
            return unanswered(snapshot)
        case .unanswered: return unanswered(snapshot)
        case .answered(let answer):
            switch answer.verdict {
            case .approved, .partiallyApproved, .declined: return nil
            case .notPosted:
                // A follow-up needs something that it follows.
                return work.item.operation.isPayment ? nil : end(.needsPerson, .lookupUnclear, snapshot)
            case .pending: return unanswered(snapshot)
            case .ambiguous, .unknown, .refused: return end(.needsPerson, .lookupUnclear, snapshot)
            }
        }
    }

    /// Nobody says anything about the payment: that passes, or the plan expires.
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
            // What was approved is the card that was there, and no other one.
            guard let approved = item.card, approved == held.digest else { return end(.needsPerson, .otherCard, snapshot) }
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

    /// What is asked for of a follow-up: of a tip adjustment and a capture the whole new amount.
    private static func amount(_ item: ReplayItem, _ state: TransactionState) -> Money? {
        switch item.operation {
        case .tipAdjustment:
            let open = state.countedCaptures.last(where: \.isOpen)
            guard let open, let tip = item.tip else { return item.amount }
            let base = open.net.subtractingReportingOverflow(open.tip)
            let total = base.partialValue.addingReportingOverflow(tip.value)
            return base.overflow || total.overflow ? nil : state.money(total.partialValue)
        case .capture: return item.amount ?? state.money(state.authorized)
        case .refund:
            return item.amount ?? state.money(PaymentBalance(state, approvedAt: nil).refundable)
        default: return item.amount
        }
    }
}
