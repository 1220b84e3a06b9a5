import Canonical
import EventLog
import Gateways
import Intake
import Payments
import ReplayRules

@testable import Replay

/// A conversation with the machine of one item: each event, and the expected action in words.
struct ItemTranscript: Sendable, CustomStringConvertible {
    var description: String
    var item: ReplayItem
    var gateways: [any PaymentGateway]
    var book: RuleBook?
    var at: Timestamp
    var expiresAt: Timestamp
    var exchange: [(event: ReplayItemMachine.Event, action: String)]

    init(
        _ description: String,
        item: ReplayItem = Sample.sale,
        gateways: [any PaymentGateway] = [Sample.gateway],
        book: RuleBook? = Sample.book,
        at: Timestamp = Sample.now,
        expiresAt: Timestamp = Sample.expiresAt,
        _ exchange: [(event: ReplayItemMachine.Event, action: String)]
    ) {
        self.description = description
        self.item = item
        self.gateways = gateways
        self.book = book
        self.at = at
        self.expiresAt = expiresAt
        self.exchange = exchange
    }

    func machine() -> ReplayItemMachine {
        let work = ReplayItemMachine.Work(
            tenant: "acme",
            plan: Sample.plan,
            item: item,
            terms: ReplayItemMachine.Terms(book: book, expiresAt: expiresAt)
        )
        return ReplayItemMachine(
            work,
            gateways: GatewayRegistry(gateways.map { .init($0, tenant: "acme", accounts: [Sample.account]) })
        )
    }

    /// The actions of the machine in words.
    func actions() -> [String] {
        var machine = machine()
        return exchange.map { Self.text(machine.handle($0.event, at: at), at: at) }
    }

    static func text(_ action: ReplayItemMachine.Action, at now: Timestamp) -> String {
        switch action {
        case .takeSnapshot: "snapshot"
        case .readStatus: "status"
        case .readClaims: "claims"
        case .findOrderDuplicates: "duplicates"
        case .readToken: "token"
        case .call(let call, let gateway, let subject): text(call, gateway, subject)
        case .finish(.later(let time)):
            "later \((time.microsecondsSince1970 - now.microsecondsSince1970) / 1_000_000)"
        case .finish(.ended(let end, let rule, let detail, let version)):
            "\(end.rawValue) \(rule ?? "-") \(detail ?? "-") v\(version)"
        }
    }

    /// `sale attempt-1 10.00 v3 with-token claims a,b`
    private static func text(
        _ call: GatewayCall,
        _ gateway: GatewayAccount,
        _ subject: GatewayCaller.Subject
    ) -> String {
        let names = [ReplayReference.Purpose.find, .recall].flatMap { purpose in
            (1...12).map { (ReplayReference.text(Sample.plan, 1, purpose, $0), "\(purpose.rawValue)-\($0)") }
        }
        let operations: [ReplayOperation] = [.sale, .capture, .tipAdjustment, .void, .refund]
        let attempts = operations.flatMap { operation in
            (1...3).map { (ReplayReference.attempt("acme", Sample.item(operation), $0), "attempt-\($0)") }
        }
        let name = (names + attempts).first { $0.0 == call.reference }?.1 ?? "?"
        let parts = [
            call.operation.rawValue, name, call.amount.map { "\($0.value)" } ?? "-", "v\(subject.version)",
            call.tip.map { "tip \($0.value)" }, call.token.map { _ in "with-token" },
            subject.sought.map { _ in "compared" },
            subject.claims.isEmpty ? nil : "claims \(subject.claims.joined(separator: ","))",
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}

/// A gateway that is never called.
struct SilentGateway: PaymentGateway {
    var name = "main"
    var vendor = Vendor.bridgepay
    var unsupported: [GatewayOperation] = []
    var takesPresentedCards = false
    var findsCalls = false
    var longestCallMilliseconds: Int64 { 1_000 }

    func findsByReference(_: GatewayOperation) -> Bool { findsCalls }

    func support(for operation: GatewayOperation) -> GatewaySupport {
        unsupported.contains(operation) ? .unsupported("a test") : .supported
    }

    func call(_: GatewayCall, by _: ContinuousClock.Instant) async -> GatewayOutcome {
        .notSent(GatewayFailure(.unsupported, "a test"))
    }
}

/// The payment, item and events of the transcripts.
enum Sample {
    /// 2026-11-02T12:00:00Z
    static let requestedAt = Timestamp(microsecondsSince1970: 1_793_620_800_000_000)
    static let now = requestedAt.adding(microseconds: 2 * 86_400_000_000)
    /// While follow-ups are in time.
    static let soon = requestedAt.adding(microseconds: 3_600_000_000)
    static let expiresAt = now.adding(microseconds: 86_400_000_000)
    static let plan = UUID128(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let payment = UUID128(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)
    static let card = "hmac-sha256:1"
    static let account = "320001"
    static let gateway = SilentGateway()
    static let amount = Money(1_000, .usd)
    private static let approval = Approval(
        amounts: Amounts(total: amount),
        evidence: .gateway,
        response: Response(),
        references: References()
    )
    static let request = PaymentRequest(amounts: Amounts(total: amount))

    static let book = try? RuleBook(asOf: now)

    /// A sale that the gateway declined for a reason that permits another attempt.
    static let declined: [TransactionEvent] = [document, .saleRequested(request), .declined(verdict("D03"))]
    /// A sale that Daybook requested and did not send.
    static let neverSent: [TransactionEvent] = [
        .saleRequested(request), call(.callSent, "first", .sale), call(.callFailed, "first", .sale),
    ]
    static let sold: [TransactionEvent] = [
        .saleRequested(request),
        .authorizationApproved(approval),
        .captured(Capture(id: "c-1", amounts: Amounts(total: amount), evidence: .gateway)),
    ]
    static let captured: [TransactionEvent] = [document] + sold
    static let settled: [TransactionEvent] = captured + [.settled(Settlement(id: "s-1", amount: amount))]
    static let authorized: [TransactionEvent] = [
        document, .authorizationRequested(request),
        .authorizationApproved(approval),
    ]

    /// A payment of which Daybook requested a follow-up and did not send it.
    static func unsentFollowUp(
        _ operation: GatewayOperation,
        of payment: [TransactionEvent] = captured
    ) -> [TransactionEvent] {
        payment + [call(.callSent, "first", operation), call(.callFailed, "first", operation)]
    }

    static let document = TransactionEvent.documentReceived(
        DocumentReceived(
            vendor: .bridgepay,
            kind: "x",
            document: ["merchantAccountCode": .string(account)],
            redactions: []
        )
    )

    static func verdict(_ code: String) -> Verdict {
        Verdict(evidence: .gateway, response: Response(code: code))
    }

    static let sale = item(.sale)

    static func item(
        _ operation: ReplayOperation,
        version: Int64 = 3,
        amount: Money? = amount,
        tip: Money? = nil,
        card: String? = card
    ) -> ReplayItem {
        ReplayItem(
            number: 1,
            transaction: payment,
            version: version,
            operation: operation,
            disposition: .resubmit,
            rule: "r",
            evidence: [3],
            amount: amount,
            tip: tip,
            card: card
        )
    }

    static func call(
        _ name: GatewayEventName,
        _ reference: String,
        _ operation: GatewayOperation,
        gateway: String = "main",
        verdict: GatewayVerdictName? = nil,
        failure: String? = nil,
        code: String? = nil
    ) -> TransactionEvent {
        var report = GatewayReport(
            reference: reference,
            gateway: gateway,
            account: account,
            vendor: .bridgepay,
            operation: operation,
            amount: amount
        )
        report.verdict = verdict
        report.failure = failure
        report.response.code = code
        return .gateway(GatewayEvent(name, report))
    }

    /// What a call of the item is made for.
    enum Purpose {
        case find, recall, attempt
    }

    /// The sending of the item's own call, and its result.
    static func own(
        _ purpose: Purpose,
        _ count: Int = 1,
        _ operation: GatewayOperation = .sale,
        _ end: GatewayEventName? = nil,
        verdict: GatewayVerdictName? = nil,
        failure: String? = nil,
        code: String? = nil
    ) -> [TransactionEvent] {
        let reference =
            switch purpose {
            case .find: ReplayReference.text(plan, 1, .find, count)
            case .recall: ReplayReference.text(plan, 1, .recall, count)
            case .attempt: ReplayReference.attempt("acme", item(ReplayOperation(operation) ?? .sale), count)
            }
        let sent = call(.callSent, reference, operation)
        guard let end else { return [sent] }
        return [sent, call(end, reference, operation, verdict: verdict, failure: failure, code: code)]
    }

    /// A snapshot of the payment.
    ///
    /// - Parameters:
    ///   - judged: The events of the app.
    ///   - own: Later events of the item.
    ///   - others: Later events of other senders.
    static func snapshot(
        _ judged: [TransactionEvent] = declined,
        own: [TransactionEvent] = [],
        others: [TransactionEvent] = [],
        for item: ReplayItem = sale
    ) -> ReplayItemMachine.Event {
        let work = ReplayReference.text(plan, 1, .work)
        let recorded = history(judged.map { ($0, "app") } + own.map { ($0, work) } + others.map { ($0, "app") })
        guard let snapshot = try? ReplaySnapshot(recorded, plan: plan, item: item) else { return .begun }
        return .snapshot(snapshot)
    }

    /// The stream of the payment, from events with their correlations.
    static func history(_ events: [(TransactionEvent, String)]) -> [RecordedEvent] {
        events.enumerated().map { index, event in
            RecordedEvent(
                position: Int64(100 + index),
                id: UUID128(high: 1, low: UInt64(index)),
                tenant: "acme",
                stream: StreamName.transaction(payment),
                version: Int64(index + 1),
                type: event.0.type,
                schema: event.0.schema,
                occurredAt: requestedAt,
                recordedAt: requestedAt.adding(microseconds: Int64(index) * 1_000_000),
                actor: "test",
                correlation: event.1,
                causation: nil,
                data: (try? event.0.data().text) ?? ""
            )
        }
    }

    static func answered(_ verdict: GatewayAnswer.Verdict) -> ReplayItemMachine.Event {
        .called(.answered(GatewayAnswer(verdict: verdict, response: Response())))
    }

    static func notSent(_ code: GatewayFailure.Code) -> ReplayItemMachine.Event {
        .called(.notSent(GatewayFailure(code, "a test")))
    }

    static let unanswered = ReplayItemMachine.Event.called(.unanswered(GatewayFailure(.readTimeout, "a test")))

    static func keptToken(_ digest: String) -> TransactionEvent {
        .cardToken(CardTokenEvent(.kept, CardTokenReport(digest: digest, keptUntil: expiresAt)))
    }

    static let held = token(card)
    static let otherToken = token("hmac-sha256:2")

    private static func token(_ digest: String) -> ReplayItemMachine.Event {
        .token(Secret("t-1").map { CardVault.Held(token: $0, digest: digest) })
    }
}
