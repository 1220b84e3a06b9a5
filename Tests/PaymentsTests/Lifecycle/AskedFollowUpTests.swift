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

    private static func ask(_ followUp: FollowUp) -> TransactionEvent {
        let detail = Detail(DeviceSteps.askedFollowUp, followUp.rawValue)
        return .device(DeviceEvent(.commandSent, DeviceReport(details: [detail])))
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
        #expect(Self.state(hold + [(Self.ask(.void), 10)]).unansweredFollowUp == .void)
        #expect(Self.state(hold + [(Self.ask(.void), 10), (Self.captured, 20)]).unansweredFollowUp == .void)
        #expect(Self.state(hold + [(Self.ask(.void), 10), (Self.refusedVoid, 20)]).unansweredFollowUp == nil)
        #expect(Self.state(hold + [(Self.refusedVoid, 20), (Self.ask(.void), 10)]).unansweredFollowUp == nil)
        #expect(Self.state(hold + [(Self.refusedVoid, 20), (Self.ask(.void), 30)]).unansweredFollowUp == .void)
        #expect(Self.state(hold + [(Self.captured, 20), (Self.ask(.capture), 30)]).unansweredFollowUp == nil)
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
