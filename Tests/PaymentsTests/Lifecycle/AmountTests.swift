import Payments
import Testing

@Suite("Amounts of a payment")
struct AmountTests {
    /// iPOSgo's sample: 10.00 + 1.00 + 2.00 + 0.40 = 13.40.
    private static let sample = Amounts(
        total: Reported.usd(1340),
        base: Reported.usd(1000),
        tip: Reported.usd(100),
        tax: Reported.usd(200),
        fee: Reported.usd(40)
    )

    private func sale(_ amounts: Amounts) -> TransactionState {
        let approval = Approval(amounts: amounts, evidence: .gateway, response: .init(), references: .init())
        let capture = Capture(id: Capture.saleID, amounts: amounts, evidence: .gateway)
        let facts: [TransactionEvent] = [
            .saleRequested(PaymentRequest(amounts: amounts)), .authorizationApproved(approval), .captured(capture),
        ]
        return TransactionState(folding: Lifecycle.decide(facts, after: [], policy: LifecyclePolicy()))
    }

    @Test("The parts of the iPOSgo sale add up to its total")
    func addUp() throws {
        #expect(try Self.sample.discrepancy() == 0)
        let state = sale(Self.sample)
        #expect(state.amountsText == "A1340 C1340 T100")
        #expect(state.authorization.breakdown == Self.sample)
        #expect(state.anomalies.isEmpty)
    }

    @Test("A difference of one cent is flagged, and the amount is kept as reported", arguments: [-1, 1])
    func doNotAddUp(_ cent: Int64) throws {
        var amounts = Self.sample
        amounts.total = Reported.usd(1340 + cent)
        #expect(try amounts.discrepancy() == cent)
        let state = sale(amounts)
        #expect(state.captured == 1340 + cent)
        #expect(state.anomalies.map(\.kind) == [.amountsDoNotAddUp])
    }

    @Test("A part in another currency is flagged")
    func currencies() {
        var amounts = Self.sample
        amounts.tax = Money(200, .eur)
        #expect(!amounts.isSingleCurrency)
        #expect(throws: MoneyError(.currencyMismatch)) { try amounts.discrepancy() }
        #expect(sale(amounts).anomalies.map(\.kind) == [.currencyMismatch])
    }

    @Test("A tip adjustment changes the tip and the total in the breakdown")
    func shownTip() {
        let approval = Approval(amounts: Self.sample, evidence: .gateway, response: .init(), references: .init())
        let capture = Capture(id: Capture.saleID, amounts: Self.sample, evidence: .gateway)
        let state = TransactionState(folding: [.authorizationApproved(approval), .captured(capture), Reported.tip(300)])
        #expect(state.authorization.breakdown?.tip == Reported.usd(300))
        #expect(state.authorization.breakdown?.total == Reported.usd(1540))
        #expect(state.authorization.breakdown?.total.value == state.captured)
    }

    @Test("After a partial approval the chip's amount is the requested amount")
    func partialChip() {
        let chip = ChipAmounts(authorized: 1000, currencyNumeric: 840)
        let facts: [TransactionEvent] = [
            .saleRequested(Reported.request(1000)), .partiallyApproved(Reported.approval(600, of: 1000, chip: chip)),
        ]
        let state = TransactionState(folding: Lifecycle.decide(facts, after: [], policy: LifecyclePolicy()))
        #expect(state.anomalies.isEmpty)
        #expect(state.due == 400)
    }

    @Test("The facets keep each side's report, whatever the outcome")
    func facets() {
        let facts: [TransactionEvent] = [
            .saleRequested(Reported.request(750)), .cancelled(Reported.verdict(.reader)), Reported.approved(750),
        ]
        let state = TransactionState(folding: Lifecycle.decide(facts, after: [], policy: LifecyclePolicy()))
        #expect(state.verdicts.reader?.outcome == .cancelled)
        #expect(state.verdicts.gateway?.outcome == .approved)
        #expect(state.verdicts.settlement == nil)
        #expect(state.verdicts.current?.evidence == .gateway)
    }
}
