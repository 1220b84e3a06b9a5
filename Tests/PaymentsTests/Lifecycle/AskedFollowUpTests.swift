import Canonical
import Payments
import Testing

/// Follow-ups that the app asked a device for, and devices that were busy.
@Suite("Asked follow-ups")
struct AskedFollowUpTests {
    private static func usd(_ minor: Int64) -> Amounts { Amounts(total: Money(minor, .usd)) }
    private static let start = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)

    private static let hold: [TransactionEvent] = [
        .authorizationRequested(PaymentRequest(amounts: usd(1000))),
        .authorizationApproved(
            Approval(amounts: usd(1000), evidence: .gateway, response: Response(), references: References())
        ),
    ]
    private static let captured = TransactionEvent.captured(
        Capture(id: Capture.saleID, amounts: usd(1000), evidence: .gateway)
    )
    private static let refusedVoid = TransactionEvent.followUpRefused(
        FollowUpRefusal(.void, outcome: .declined, evidence: .gateway, response: Response(code: "05"))
    )

    private static func ask(_ followUp: FollowUp, at second: Int64? = nil) -> TransactionEvent {
        let detail = Detail(AskedFollowUps.detail, followUp.rawValue)
        let at = second.map { ReportedTime.instant(start.adding(microseconds: $0 * 1_000_000)) }
        return .device(DeviceEvent(.commandSent, DeviceReport(details: [detail], at: at)))
    }

    /// The state after events, each so many seconds after the start.
    private static func state(_ events: [(TransactionEvent, seconds: Int64)]) -> TransactionState {
        var state = TransactionState()
        for (event, seconds) in events {
            Lifecycle.evolve(&state, event, at: start.adding(microseconds: seconds * 1_000_000))
        }
        return state
    }

    @Test("Only its own outcome answers a follow-up, also if the request arrives after it")
    func answers() {
        let hold = Self.hold.map { ($0, seconds: Int64(0)) }
        #expect(Self.state(hold + [(Self.ask(.void), 10)]).unansweredFollowUps == [.void])
        #expect(Self.state(hold + [(Self.ask(.void), 10), (Self.captured, 20)]).unansweredFollowUps == [.void])
        #expect(Self.state(hold + [(Self.ask(.void), 10), (Self.refusedVoid, 20)]).unansweredFollowUps == [])
        #expect(Self.state(hold + [(Self.refusedVoid, 20), (Self.ask(.void), 10)]).unansweredFollowUps == [])
        #expect(Self.state(hold + [(Self.refusedVoid, 20), (Self.ask(.void), 30)]).unansweredFollowUps == [.void])
        #expect(Self.state(hold + [(Self.captured, 20), (Self.ask(.capture), 30)]).unansweredFollowUps == [])
    }

    private static func refund(_ id: String, code: String? = nil) -> TransactionEvent {
        .refunded(Return(id: id, amount: Money(300, .usd), evidence: .gateway, response: Response(code: code)))
    }
    private static let void = TransactionEvent.voided(Return(id: "void", evidence: .gateway))

    @Test(
        "Every follow-up waits until its own outcome is reported",
        arguments: [
            (FollowUp.refund, refund("r1")), (.refund, void), (.void, void), (.void, refund("r1")),
            (.tipAdjustment, .tipAdjusted(TipAdjustment(tip: Money(100, .usd), evidence: .gateway))),
            (.increment, .authorizationIncremented(Increment(id: "i", delta: Money(100, .usd), evidence: .gateway))),
            (.refundVoid, .refundVoided(Return(id: "r0", amount: Money(300, .usd), evidence: .gateway))),
        ] as [(FollowUp, TransactionEvent)]
    )
    func outcomes(_ asked: FollowUp, outcome: TransactionEvent) {
        let sold = (Self.hold + [Self.captured, Self.refund("r0")]).map { ($0, seconds: Int64(0)) }
        let open = Self.state(sold + [(Self.ask(asked), 10)])
        #expect(open.unansweredFollowUps == [asked] && open.awaitsAnswer)
        #expect(Self.state(sold + [(Self.ask(asked), 10), (outcome, 20)]).unansweredFollowUps == [])
        let refusal = FollowUpRefusal(asked, outcome: .failed, evidence: .reader)
        #expect(Self.state(sold + [(Self.ask(asked), 10), (.followUpRefused(refusal), 20)]).unansweredFollowUps == [])
    }

    @Test("A later request leaves an earlier one of another kind open")
    func twoKinds() {
        let hold = (Self.hold + [Self.captured]).map { ($0, seconds: Int64(0)) }
        let asked = hold + [(Self.ask(.refund), 10), (Self.ask(.void), 20)]
        #expect(Self.state(asked).unansweredFollowUps == [.refund, .void])
        #expect(Self.state(asked + [(Self.refusedVoid, 30)]).unansweredFollowUps == [.refund])
        #expect(Self.state(asked + [(Self.void, 30)]).unansweredFollowUps == [.refund])
    }

    /// The events of a captured payment after documents, each of which is decided and recorded.
    private static func record(_ observations: [[TransactionEvent]]) -> [TransactionEvent] {
        var history: [TransactionEvent] = []
        for facts in [hold + [captured]] + observations {
            history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
        }
        return history
    }

    private static func refused(_ followUp: FollowUp) -> TransactionEvent {
        .followUpRefused(FollowUpRefusal(followUp, outcome: .declined, evidence: .gateway))
    }

    @Test(
        "Without a time, a refusal that equals an earlier one is another one if a request is open",
        arguments: [1, 2]
    )
    func equalRefusals(asked: Int) {
        let requests = Array(repeating: [Self.ask(.refund)], count: asked)
        let refusals = Array(repeating: [Self.refused(.refund)], count: 2)
        func recorded(_ observations: [[TransactionEvent]]) -> (refusals: Int, open: [FollowUp]) {
            let history = Self.record(observations)
            let refusals = history.count { $0 == Self.refused(.refund) }
            return (refusals: refusals, open: TransactionState(folding: history).unansweredFollowUps)
        }
        // Both were asked for before the first answer.
        let first = recorded(requests + [refusals[0]])
        #expect(first.refusals == 1 && first.open == (asked == 2 ? [FollowUp.refund] : []))
        let both = recorded(requests + refusals)
        #expect(both.refusals == asked && both.open == [])
        // The second one was asked for after the answer to the first.
        let again = recorded([[Self.ask(.refund)], refusals[0]] + requests.dropFirst() + [refusals[1]])
        #expect(again.refusals == asked && again.open == [])
        // A follow-up that takes effect only once.
        let void = Self.record([[Self.ask(.void)], [Self.refusedVoid], [Self.ask(.void)], [Self.refusedVoid]])
        #expect(void.count { $0 == Self.refusedVoid } == 2)
        #expect(TransactionState(folding: void).unansweredFollowUps == [])
    }

    @Test("A refund is in doubt until every one that was asked for has its outcome")
    func refunds() {
        func fold(_ observations: [TransactionEvent]...) -> TransactionState {
            TransactionState(folding: Self.record(observations))
        }
        func ask(_ second: Int64?) -> TransactionEvent {
            let at = second.map { ReportedTime.instant(Self.start.adding(microseconds: $0 * 1_000_000)) }
            let asked = [Detail(AskedFollowUps.detail, FollowUp.refund.rawValue)]
            return .device(DeviceEvent(.commandSent, DeviceReport(details: asked, at: at)))
        }
        let doubt = TransactionEvent.anomalyRaised(.followUpInDoubt(.refund))
        #expect(fold([ask(1)], [doubt]).isInDoubt)
        #expect(!fold([ask(1)], [doubt], [Self.refund("r1")]).isInDoubt)
        // It was requested twice: one outcome does not show which of the two took effect.
        #expect(fold([ask(1)], [doubt], [ask(2)], [Self.refund("r1")]).isInDoubt)
        #expect(fold([ask(1)], [doubt], [ask(2)], [Self.refund("r1")], [Self.refund("r1", code: "0")]).isInDoubt)
        #expect(!fold([ask(1)], [doubt], [ask(2)], [Self.refund("r1")], [Self.refund("r2")]).isInDoubt)
        // Two equal requests of unknown times are two.
        #expect(fold([ask(nil)], [doubt], [ask(nil)], [Self.refund("r1")]).isInDoubt)
        #expect(!fold([ask(nil)], [doubt], [ask(nil)], [Self.refund("r1")], [Self.refund("r2")]).isInDoubt)
        // A refund of another amount is not the one that was requested.
        let stated = { (minor: Int64) in
            let details = [
                Detail(AskedFollowUps.detail, FollowUp.refund.rawValue),
                Detail(AskedFollowUps.statedAmount, String(minor)), Detail(AskedFollowUps.statedCurrency, "USD"),
            ]
            return TransactionEvent.device(DeviceEvent(.commandSent, DeviceReport(details: details)))
        }
        #expect(fold([stated(500)], [doubt], [Self.refund("r1")]).isInDoubt)
        #expect(!fold([stated(300)], [doubt], [Self.refund("r1")]).isInDoubt)
        // The request of the one in doubt was not recorded.
        #expect(fold([doubt], [ask(2)], [Self.refund("r1")]).isInDoubt)
        #expect(fold([doubt], [Self.refund("r1")]).isInDoubt)
    }

    @Test("A refusal ends the doubt about a follow-up that was not answered", arguments: FollowUp.allCases)
    func refusedAfterSilence(followUp: FollowUp) {
        func state(_ observations: [TransactionEvent]...) -> TransactionState {
            TransactionState(folding: Self.record([[Self.refund("r0")]] + observations))
        }
        let doubt = TransactionEvent.anomalyRaised(.followUpInDoubt(followUp))
        let asked = Self.ask(followUp)
        let before = state([asked])
        #expect(state([asked], [doubt]).isInDoubt)
        for outcome in FollowUpRefusal.Outcome.allCases {
            let refused = FollowUpRefusal(followUp, outcome: outcome, evidence: .gateway)
            let after = state([asked], [doubt], [.followUpRefused(refused)])
            #expect(!after.isInDoubt && after.anomalies.isEmpty && !after.awaitsAnswer, "\(outcome)")
            #expect(after.status == before.status && after.captured == 1000 && after.refunded == 300, "\(outcome)")
        }
        let refused = Self.refused(followUp)
        // The refusal of another follow-up, and one by a till where the gateway itself reports the payment.
        let other: FollowUp = followUp == .capture ? .tipAdjustment : .capture
        #expect(state([asked], [doubt], [Self.refused(other)]).isInDoubt)
        let isAboutEnd = [.void, .reversal, .refund, .refundVoid].contains(followUp)
        #expect(state([asked], [doubt], [refused.limited(to: .relayed)]).isInDoubt == isAboutEnd)
        // An answer of an unknown outcome: the refusal is that of another attempt.
        let unknown = TransactionEvent.outcomeUnknown(Verdict(evidence: .gateway, response: Response(code: "9")))
        #expect(state([asked], [unknown, doubt], [refused]).isInDoubt)
        #expect(state([asked], [doubt], [unknown, doubt], [refused]).isInDoubt)
        // The doubt is about a request that was not recorded.
        #expect(state([doubt], [asked], [refused]).isInDoubt)
        // Of two requests, either may have been refused.
        #expect(state([asked], [doubt], [asked], [refused]).isInDoubt)
        #expect(state([asked], [asked], [doubt], [refused]).isInDoubt)
        // Refunds and increments are counted, so each has its own answer.
        let isCounted = followUp == .refund || followUp == .increment
        #expect(state([asked], [asked], [doubt], [refused], [refused]).isInDoubt == !isCounted)
        guard followUp == .refund else { return }
        #expect(!state([asked], [asked], [doubt], [Self.refund("r1")], [refused]).isInDoubt)
        #expect(!state([asked], [asked], [doubt], [refused], [Self.refund("r1")]).isInDoubt)
    }

    @Test("A refusal from before the request answers an earlier one")
    func earlierRefusal() {
        func fold(_ documents: (fact: TransactionEvent, seconds: Int64)...) -> TransactionState {
            var history = PaymentHistory(Self.hold)
            for document in documents {
                let at = Self.start.adding(microseconds: document.seconds * 1_000_000)
                _ = Lifecycle.decide([document.fact], after: &history, policy: LifecyclePolicy(), at: at)
            }
            return history.state
        }
        let (asked, doubt) = (Self.ask(.void, at: 300), TransactionEvent.anomalyRaised(.followUpInDoubt(.void)))
        #expect(fold((asked, 300), (doubt, 480), (Self.refusedVoid, 0)).isInDoubt)
        // The request that it answers arrives last.
        let earlier = Self.ask(.void, at: -10)
        #expect(fold((asked, 300), (doubt, 480), (Self.refusedVoid, 0), (earlier, -10)).isInDoubt)
        #expect(!fold((asked, 300), (doubt, 480), (Self.refusedVoid, 310)).isInDoubt)
        #expect(fold((asked, 300), (Self.refusedVoid, 0)).unansweredFollowUps == [.void])
        // The request only has the time at which it was received.
        #expect(!fold((Self.ask(.void), 300), (doubt, 480), (Self.refusedVoid, 290)).isInDoubt)
        // Of two refunds the first one was refused.
        let refunds: [(TransactionEvent, seconds: Int64)] = [
            (Self.ask(.refund, at: 10), 10), (Self.ask(.refund, at: 20), 20), (Self.refused(.refund), 15),
        ]
        let sold = (Self.hold + [Self.captured]).map { ($0, seconds: Int64(0)) }
        #expect(Self.state(sold + refunds).unansweredFollowUps == [.refund])
        #expect(Self.state(sold + refunds + [(Self.refused(.refund), 30)]).unansweredFollowUps == [])
    }

    @Test("A refused follow-up that names another original is flagged")
    func anotherOriginal() {
        func flags(
            _ followUp: FollowUp,
            _ original: References?,
            _ known: References,
            isEarly: Bool = false
        ) -> [Anomaly.Kind] {
            let approval = Approval(
                amounts: Self.usd(1000),
                evidence: .gateway,
                response: Response(),
                references: known
            )
            let own = References(retrievalReference: "77")
            let capture = Capture(id: "capture:88:12:30", amounts: Self.usd(1000), evidence: .gateway, own: own)
            let refusal = FollowUpRefusal(followUp, outcome: .failed, original: original, evidence: .gateway)
            let facts: [TransactionEvent] = [
                .authorizationRequested(PaymentRequest(amounts: Self.usd(1000))), .authorizationApproved(approval),
                .captured(capture),
            ]
            let refused = [TransactionEvent.followUpRefused(refusal)]
            return Lifecycle.decide(isEarly ? refused + facts : facts + refused, after: [], policy: LifecyclePolicy())
                .compactMap {
                    if case .anomalyRaised(let anomaly) = $0 { anomaly.kind } else { nil }
                }
        }
        let known = References(gatewayTransaction: "55", retrievalReference: "66")
        #expect(flags(.void, References(gatewayTransaction: "99"), known) == [.voidNotAllowed])
        #expect(flags(.refund, References(retrievalReference: "99"), known) == [.keysDisagree])
        #expect(flags(.void, References(gatewayTransaction: "8"), known) == [.voidNotAllowed])
        let own = [
            References(gatewayTransaction: "55"), References(retrievalReference: "66"),
            References(retrievalReference: "77"), References(gatewayTransaction: "88"),
        ]
        for original in own { #expect(flags(.void, original, known).isEmpty) }
        #expect(flags(.void, nil, known).isEmpty)
        // The refusal may be recorded before its payment.
        #expect(flags(.void, References(gatewayTransaction: "99"), known, isEarly: true) == [.voidNotAllowed])
        #expect(flags(.void, own[0], known, isEarly: true).isEmpty)
        // There is nothing to compare without a reference of that kind.
        #expect(flags(.void, References(retrievalReference: "99"), References(gatewayTransaction: "55")).isEmpty)
    }

    @Test("A busy reader ends a payment that it never began, and not the one that it is busy with")
    func busy() {
        let request = TransactionEvent.saleRequested(PaymentRequest(amounts: Self.usd(1000)))
        let response = Response(code: "0004")
        let busy = TransactionEvent.failed(Verdict(evidence: .reader, response: response, condition: .unlessBegun))
        let card = TransactionEvent.device(DeviceEvent(.cardRequested, DeviceReport()))
        let sent = TransactionEvent.device(DeviceEvent(.authorizationSent, DeviceReport()))
        #expect(TransactionState(folding: [request, busy]).status == .failed)
        #expect(TransactionState(folding: [request, card, busy]).status == .requested)
        #expect(TransactionState(folding: [request, card, sent, busy]).awaitsAnswer)
        #expect(TransactionState(folding: [request, busy, sent]).status == .inDoubt)
    }
}
