import Canonical
import Payments
import Testing

@testable import Projections

/// What a receipt prints beside the amounts and the card: verification, presence, cash, taxes by name.
@Suite("Receipt terms") struct ReceiptTermsTests {
    private func text(_ events: [TransactionEvent]) -> String {
        let state = TransactionState(folding: events)
        let receipt = Receipt(state, transaction: Samples.id(1), firstSeen: Timestamp(microsecondsSince1970: 0))
        // The stored form has everything that is printed.
        let stored = try? JSONValueDecoder().decode(Receipt.self, from: JSONValue(parsing: receipt.json.text.utf8))
        #expect(stored == receipt)
        return ReceiptText.render(receipt, copy: .merchant)
    }

    private func sale(
        tender: String? = nil,
        terms: PaymentTerms? = nil,
        parts: [AmountPart]? = nil,
        _ change: (inout CardPresentation) -> Void = { _ in }
    ) -> [TransactionEvent] {
        var card = CardPresentation()
        card.brand = "Visa"
        change(&card)
        let tax = parts.map { _ in Money(300, .usd) }
        let amounts = Amounts(total: Money(1_300, .usd), base: Money(1_000, .usd), tax: tax, parts: parts)
        let approval = Approval(
            amounts: amounts,
            evidence: .gateway,
            response: Response(code: "00"),
            references: References(),
            card: card
        )
        return [
            .saleRequested(PaymentRequest(amounts: amounts, tender: tender, terms: terms)),
            .authorizationApproved(approval),
            .captured(Capture(id: Capture.saleID, amounts: amounts, evidence: .gateway)),
        ]
    }

    @Test("A verification that was not required, or failed, is printed without the chip's tag")
    func verification() {
        #expect(text(sale { $0.verification = .notRequired }).contains("NO VERIFICATION REQUIRED"))
        #expect(text(sale { $0.verification = .failed }).contains("VERIFICATION FAILED"))
        #expect(!text(sale()).contains("VERIFICATION"))
    }

    @Test("A card that was not present, and a budget, are printed")
    func terms() {
        let printed = text(
            sale(terms: PaymentTerms(isCardholderPresent: false, budgetMonths: 6)) { $0.entryMethod = "CNP" }
        )
        #expect(printed.contains("Card not present") && printed.contains("Not present"))
        #expect(printed.contains("6 months"))
    }

    @Test("A request that states that the card is not present is printed so, on both copies")
    func cardPresence() {
        func printed(_ isPresent: Bool?) -> (text: String, customer: String) {
            var request = PaymentRequest(amounts: Amounts(total: Money(1_300, .usd)))
            request.circumstances = isPresent.map { isPresent in
                var stated = Circumstances()
                stated.isCardPresent = isPresent
                return stated
            }
            let events: [TransactionEvent] = [.saleRequested(request)] + sale().dropFirst()
            let receipt = Receipt(
                TransactionState(folding: events),
                transaction: Samples.id(1),
                firstSeen: Timestamp(microsecondsSince1970: 0)
            )
            #expect(receipt.isCardPresent == isPresent)
            return (text(events), ReceiptText.render(receipt, copy: .customer))
        }
        let absent = printed(false)
        #expect(absent.text.contains("Not present") && absent.customer.contains("Not present"))
        for stated in [true, nil] { #expect(!printed(stated).text.contains("Not present")) }
    }

    @Test("Cash is named as cash, also when it was refused", arguments: ["withdrawal", "manualCash"])
    func cash(tender: String) {
        let paid = text(sale(tender: tender))
        #expect(paid.contains("CASH WITHDRAWAL") && !paid.contains("SALE"))
        let request = PaymentRequest(amounts: Amounts(total: Money(100, .usd)), tender: tender)
        let verdict = Verdict(evidence: .reader, response: Response(code: "declined"))
        let refused = text([.saleRequested(request), .declined(verdict)])
        #expect(refused.contains("CASH WITHDRAWAL") && refused.contains("DECLINED") && !refused.contains("SALE"))
    }

    @Test("Taxes are printed under their labels if they make up the tax, else as one")
    func taxes() {
        let city = AmountPart(.tax, label: "Local Tax", amount: Money(200, .usd))
        let state = AmountPart(.tax, label: "State Tax", amount: Money(100, .usd))
        let printed = text(sale(parts: [city, state]))
        #expect(printed.contains("Local Tax") && printed.contains("State Tax"))
        let other = text(sale(parts: [city]))
        #expect(!other.contains("Local Tax") && other.contains("Tax"))
    }

    @Test("A payment that the terminal refused after the host's approval is no approval for the cardholder")
    func refusedByTerminal() {
        let request = PaymentRequest(amounts: Amounts(total: Money(100, .usd)))
        let approval = Approval(
            amounts: Amounts(total: Money(100, .usd)),
            evidence: .relayed,
            response: Response(code: "00"),
            references: References()
        )
        let refusal = Verdict(evidence: .reader, response: Response(code: "declined"))
        let facts: [TransactionEvent] = [
            .saleRequested(request), .authorizationApproved(approval), .declined(refusal),
        ]
        let printed = text(Lifecycle.decide(facts, after: [], policy: LifecyclePolicy(terminalCompletes: true)))
        #expect(printed.contains("DECLINED") && !printed.contains("AUTHORIZED") && !printed.contains("TOTAL"))
    }
}
