import Canonical
import Payments
import Testing

/// Payments at a vendor's test system, gift cards and attempts without an accepted tender.
@Suite("Payments that move no money")
struct TestPaymentTests {
    private static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    private static func document(_ isTest: Bool?) -> TransactionEvent {
        .documentReceived(
            DocumentReceived(vendor: .bridgepay, kind: "x", document: .null, redactions: [], isTest: isTest)
        )
    }

    private static let sale: [TransactionEvent] = [
        .saleRequested(PaymentRequest(amounts: Amounts(total: usd(1000)))),
        .captured(Capture(id: Capture.saleID, amounts: Amounts(total: usd(1000)), evidence: .gateway)),
    ]

    @Test("The first document that states it marks the payment, and a later one without a mark keeps it")
    func mark() {
        let state = TransactionState(
            folding: [Self.document(nil), Self.document(true)] + Self.sale + [Self.document(nil)]
        )
        #expect(state.isTest && state.captured == 1000)
        #expect(!TransactionState(folding: [Self.document(nil)] + Self.sale).isTest)
    }

    @Test(
        "A document that states the other mark is flagged, and one that reports the live system decides",
        arguments: [true, false]
    )
    func contradiction(first: Bool) {
        let history = [Self.document(first)] + Self.sale
        let events = Lifecycle.decide([Self.document(!first)], after: history, policy: LifecyclePolicy())
        let state = TransactionState(folding: history + events)
        #expect(!state.isTest && state.anomalies.map(\.kind) == [.conflictingOutcome])
        let same = Lifecycle.decide([Self.document(first)], after: history, policy: LifecyclePolicy())
        #expect(same.map(\.type) == ["DocumentReceived"])
    }

    private static func value(_ name: ValueEventName, _ amount: Int64?, balance: Int64? = nil) -> TransactionEvent {
        .value(
            ValueEvent(
                name,
                ValueReport(amount: amount.map(usd), balance: balance.map(usd), response: Response(code: "A01"))
            )
        )
    }

    @Test("An operation on a card's value or token is completed, and no payment", arguments: ValueEventName.allCases)
    func value(name: ValueEventName) {
        let state = TransactionState(folding: [Self.document(nil), Self.value(name, name.isToken ? nil : 5000)])
        #expect(state.status == .completed && state.valueOperation == name)
        #expect(state.captured == 0 && !state.isInDoubt && (state.cardValue == nil) == name.isToken)
        // A payment with the same card is a payment.
        let paid = TransactionState(folding: [Self.value(name, nil)] + Self.sale)
        #expect(paid.status == .captured && paid.valueOperation == nil)
    }

    @Test("A refused load is declined, and still no sale")
    func refusedLoad() {
        let verdict = Verdict(evidence: .gateway, response: Response(code: "D03"), value: .giftCardLoaded)
        let state = TransactionState(folding: [Self.document(nil), .declined(verdict)])
        #expect(state.status == .declined && state.valueOperation == .giftCardLoaded && state.operation == nil)
    }

    @Test("The amount of a failed attempt is shown as requested, and limits no later tender")
    func attempt() {
        let refusal = TenderRefusal(
            outcome: .declined,
            amount: Self.usd(2350),
            evidence: .gateway,
            response: Response(code: "402")
        )
        var state = TransactionState(folding: [Self.document(nil), .tenderRefused(refusal)])
        #expect(state.requested == 2350 && state.authorization.requested == nil)
        #expect(state.tenders.refused.map(\.amount) == [Self.usd(2350)])
        let tender = TransactionEvent.tenderApplied(
            Tender(id: "t", amounts: Amounts(total: Self.usd(4500)), evidence: .gateway)
        )
        let events = Lifecycle.decide([tender], after: [.tenderRefused(refusal)], policy: LifecyclePolicy())
        state = TransactionState(folding: [.tenderRefused(refusal)] + events)
        #expect(state.anomalies.isEmpty && state.status == .captured && state.requested == nil)
        let unknown = Verdict(evidence: .gateway, response: Response(code: "417"), attempted: Self.usd(2350))
        let doubtful = TransactionState(folding: [.outcomeUnknown(unknown)])
        #expect(doubtful.status == .inDoubt && doubtful.requested == 2350)
    }

    @Test("A receipt that arrives before or after the answer is compared with it")
    func receipt() {
        let card: CardPresentation = {
            var card = CardPresentation()
            card.entryMethod = "Chip_Read"
            card.pinEntered = true
            return card
        }()
        func printed(_ total: Int64, _ code: String) -> TransactionEvent {
            let receipt = PrintedReceipt(total: Self.usd(total), authorizationCode: code, card: card)
            return .device(DeviceEvent(.receiptPrinted, DeviceReport(receipt: receipt)))
        }
        let approval = TransactionEvent.authorizationApproved(
            Approval(
                amounts: Amounts(total: Self.usd(600)),
                evidence: .gateway,
                response: Response(code: "A01"),
                references: References(authorizationCode: "471130")
            )
        )
        func kinds(_ facts: [TransactionEvent]) -> [Anomaly.Kind] {
            var history: [TransactionEvent] = []
            for fact in facts { history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy()) }
            let state = TransactionState(folding: history)
            #expect(state.card?.entryMethod == "Chip_Read" && state.card?.pinEntered == true)
            return state.anomalies.map(\.kind)
        }
        #expect(kinds([approval, printed(600, "471130")]).isEmpty)
        #expect(kinds([printed(600, "471130"), approval]).isEmpty)
        #expect(kinds([approval, printed(700, "471130")]) == [.conflictingAmount])
        #expect(kinds([printed(700, "471130"), approval]) == [.conflictingAmount])
        #expect(kinds([approval, printed(600, "471131")]) == [.conflictingOutcome])
        #expect(kinds([printed(600, "471131"), approval]) == [.conflictingOutcome])
    }
}
