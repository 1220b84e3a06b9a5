import Canonical
import Gateways
import Payments
import Redaction
import ReplayRules
import Testing

@testable import Replay

/// Tender and tip of a resubmission are those of the request. Tenders that need the customer are not resubmitted.
@Suite("Tenders of replays") struct TenderTests {
    private static let tip = Money(150, .usd)

    private static func request(_ tender: String?) -> TransactionEvent {
        .saleRequested(PaymentRequest(amounts: Amounts(total: Sample.amount, tip: tip), tender: tender))
    }

    private static func declined(_ tender: String?) -> [TransactionEvent] {
        [Sample.document, request(tender), .declined(Sample.verdict("D03"))]
    }

    private static func judgement(_ events: [TransactionEvent]) throws -> ReplayJudge.Judgement {
        let judge = ReplayJudge(
            gateways: GatewayRegistry([.init(Sample.gateway, tenant: "acme", accounts: [Sample.account])]),
            book: try #require(Sample.book),
            time: Sample.now
        )
        let asked = PlanRequest(.transactions([Sample.payment]), reason: "the gateway was down")
        let judgements = try judge.judge(Sample.history(events.map { ($0, "app") }), for: asked, hasToken: true)
        return try #require(judgements.first)
    }

    /// The call after the last event; nil if the machine calls no gateway then.
    private static func call(
        _ events: [ReplayItemMachine.Event],
        of item: ReplayItem,
        at time: Timestamp
    ) -> GatewayCall? {
        var machine = ItemTranscript("", item: item, []).machine()
        let actions = events.map { machine.handle($0, at: time) }
        guard case .call(let call, _, _)? = actions.last else { return nil }
        return call
    }

    @Test(
        "A tender that needs the customer needs review",
        arguments: [
            "debit", "gift", "loyalty", "ebt-cash", "EBT-Food", "bank-account-checking", "bank-account-savings",
            "check", "cash", "fleet", "wallet",
        ]
    )
    func needsCustomer(_ tender: String) throws {
        let ruling = try Self.judgement(Self.declined(tender)).ruling
        #expect(ruling.disposition == .needsPerson && ruling.rule == "replay.tender", "\(ruling)")
    }

    @Test(
        "A card is charged with tender, amount and tip of the request",
        arguments: [(nil, "credit"), ("credit", "credit"), ("signature", "signature")] as [(String?, String)]
    )
    func charge(tender: String?, called: String) throws {
        let events = Self.declined(tender)
        let judgement = try Self.judgement(events)
        #expect(judgement.ruling.disposition == .resubmit, "\(judgement.ruling)")
        #expect(judgement.request.tip == Self.tip)
        let item = Sample.item(.sale, version: Int64(events.count), tip: judgement.request.tip)
        let found = Sample.own(.find, 1, .find, .callAnswered, verdict: .declined)
        let exchange: [ReplayItemMachine.Event] = [
            .begun, Sample.snapshot(events, for: item), .status(.running), Sample.answered(.declined),
            Sample.snapshot(events, own: found, for: item), .claims([]), .orderDuplicates(nil), .status(.running),
            Sample.held,
        ]
        let call = try #require(Self.call(exchange, of: item, at: Sample.now))
        #expect(call.operation == .sale && call.token != nil)
        #expect(call.tender == called && call.amount == Sample.amount && call.tip == Self.tip)
    }

    @Test("A follow-up has the tender of its payment", arguments: ["debit", "gift"])
    func followUp(tender: String) throws {
        let payment: [TransactionEvent] = [Sample.document, Self.request(tender)] + Sample.sold.dropFirst()
        let events = Sample.unsentFollowUp(.void, of: payment)
        let item = Sample.item(.void, version: Int64(events.count), amount: nil, card: nil)
        let found = Sample.own(.find, 1, .find, .callAnswered, verdict: .approved)
        let exchange: [ReplayItemMachine.Event] = [
            .begun, Sample.snapshot(events, for: item), .status(.running), Sample.answered(.approved),
            Sample.snapshot(events, own: found, for: item), .status(.running),
        ]
        let call = try #require(Self.call(exchange, of: item, at: Sample.soon))
        #expect(call.operation == .followUp(.void) && call.tender == tender)
    }
}
