import Canonical
import Payments
import Testing
import Vendors

@Suite("Paydiant payments")
struct PaydiantPaymentTests {
    @Test("A split payment is one payment until the balance is zero, tips and offers included")
    func split() throws {
        let steps = try ["information", "split-first", "split-declined", "split-last"].map {
            try VendorFixture.named("paydiant/" + $0).observation()
        }
        // All of them are found by the token.
        #expect(Set(steps.map { $0.keys.first?.text }).count == 1)
        let first = Paydiant.fold(steps[0], steps[1])
        #expect(first.status == .partiallyApproved && first.due == 3_500 && first.captured == 6_000)
        let declined = Paydiant.fold(steps[0], steps[1], steps[2])
        #expect(declined.status == .partiallyApproved && declined.anomalies.isEmpty)
        let state = Paydiant.fold(steps[0], steps[1], steps[2], steps[3])
        #expect(state.status == .captured && state.due == 0)
        #expect(
            state.authorization.requested == 10_000 && state.captured == 9_800 && state.tips == 300
                && state.offered == 500
        )
        #expect(
            state.tenders.entries.map(\.account?.kind) == ["gift", nil]
                && state.tenders.entries.first?.account?.lastFour == "4242"
        )
        #expect(state.anomalies.isEmpty, "\(state.anomalies.map(\.explanation))")
    }

    @Test("The documents of a split payment have the same result in any order")
    func order() throws {
        let names = ["information", "split-first", "split-declined", "split-last"]
        let steps = try names.map { try VendorFixture.named("paydiant/" + $0).observation() }
        let backwards = Paydiant.fold(steps[3], steps[2], steps[1], steps[0])
        #expect(backwards.status == .captured && backwards.captured == 9_800 && backwards.due == 0)
        #expect(backwards.anomalies.isEmpty, "\(backwards.anomalies.map(\.explanation))")
        let missing = Paydiant.fold(steps[0], steps[3])
        #expect(missing.status == .partiallyApproved && missing.anomalies.map(\.kind) == [.tenderMissing])
    }

    @Test("The same document twice, or a tender reported by both calls, counts once")
    func repeated() throws {
        let once = try Paydiant.payment("60.00", code: "200", balance: "40.00", more: [("paymentRefId", "P-1")])
        let update = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token)],
                "response": [
                    "transactionAccounts": [["paymentRefId": "P-1", "amount": "60.00", "paymentStatusCode": "200"]]
                ],
            ]
        )
        let state = Paydiant.fold(try Paydiant.due("100.00"), once, once, update)
        #expect(state.captured == 6_000 && state.due == 4_000 && state.tenders.entries.count == 1)
        #expect(state.anomalies.isEmpty, "\(state.anomalies.map(\.explanation))")
    }

    @Test("Two payments with one account count twice")
    func sameAccount() throws {
        let state = Paydiant.fold(
            try Paydiant.due("100.00"),
            try Paydiant.payment("50.00", status: "kPDPaymentStatusTypePartiallyCompleted", balance: "50.00"),
            try Paydiant.payment("50.00", balance: "0.00")
        )
        #expect(state.tenders.entries.count == 2 && state.captured == 10_000 && state.status == .captured)
    }

    @Test("A status that reports a payment and a code that denies it: unknown outcome", arguments: ["201", "505"])
    func contradiction(code: String) throws {
        let observation = try Paydiant.payment("20.00", code: .string(code))
        #expect(observation.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.conflictingOutcome])
        #expect(Paydiant.fold(try Paydiant.due("20.00"), observation).isInDoubt)
    }

    @Test("Held at the pump, captured when the tank is full")
    func fuel() throws {
        let held = try Paydiant.payment("75.00", status: "", code: "210", more: [("paymentRefId", "P-9")])
        let taken = try Paydiant.payment("41.17", code: "200", more: [("paymentRefId", "P-9")])
        #expect(Paydiant.fold(held).status == .authorized)
        let state = Paydiant.fold(held, taken)
        #expect(state.authorized == 7_500 && state.captured == 4_117 && state.status == .captured)
        #expect(state.anomalies.isEmpty, "\(state.anomalies.map(\.explanation))")
    }

    @Test("A decline ends the payment unless another account pays")
    func declined() throws {
        let refused = try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 405)
        #expect(Paydiant.fold(try Paydiant.due("20.00"), refused).status == .declined)
        let paid = try Paydiant.payment("20.00", balance: "0.00")
        let state = Paydiant.fold(try Paydiant.due("20.00"), refused, paid)
        #expect(state.status == .captured && state.anomalies.isEmpty)
    }

    @Test("A missing answer leaves a doubt, and a later answer resolves it")
    func doubt() throws {
        let silence = try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 417)
        #expect(Paydiant.fold(try Paydiant.due("20.00"), silence).isInDoubt)
        let state = Paydiant.fold(try Paydiant.due("20.00"), silence, try Paydiant.payment("20.00", balance: "0.00"))
        #expect(state.status == .captured && !state.isInDoubt)
        let further = Paydiant.fold(try Paydiant.payment("12.00", balance: "8.00"), silence)
        #expect(further.status == .partiallyApproved && further.isInDoubt)
    }

    @Test("A withdrawal captures the dispensed amount; the rest is not due")
    func withdrawal() throws {
        let partial = Paydiant.fold(try VendorFixture.named("paydiant/update-partial-withdrawal").observation())
        #expect(partial.authorization.requested == 10_000 && partial.captured == 6_000 && partial.due == 0)
        #expect(partial.status == .captured && partial.identity.tender == "cash-access")
        let whole = Paydiant.fold(try VendorFixture.named("paydiant/withdrawal").observation())
        #expect(whole.captured == 10_000 && whole.due == 0 && whole.status == .captured)
        let empty = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token), "cashAmount": "100"],
                "response": ["transactionStatus": "kPDTransactionStatusPartialPayment", "amount": "0.00"],
            ]
        )
        #expect(empty.types == ["TenderRefused"] && Paydiant.fold(empty).status == .failed)
        #expect(throws: Refusal.self) {
            try Paydiant.read(
                "UpdateTransactionCompletionBlock",
                [
                    "request": ["checkoutToken": .string(Paydiant.token), "cashAmount": "100"],
                    "response": ["transactionStatus": "kPDTransactionStatusPartialPayment"],
                ]
            )
        }
    }

    @Test(
        "A forced deposit is a credit, in either spelling",
        arguments: ["FORCED_DEPOSIT_SUCCSS", "FORCED_DEPOSIT_SUCCESS"]
    )
    func forcedDeposit(status: String) throws {
        let deposit = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token)],
                "response": ["paymentStatus": .string(status), "amount": "250.00"],
            ]
        )
        let state = Paydiant.fold(deposit)
        #expect(state.status == .credited && state.credited == 25_000 && state.captured == 0)
        #expect(state.verdicts.gateway?.response.code == status)
    }

    @Test("A return is a credit")
    func refund() throws {
        let due = try Paydiant.due("12.00", type: "kPDTransactionTypeReturn")
        let state = Paydiant.fold(due, try VendorFixture.named("paydiant/update-return").observation())
        #expect(state.status == .credited && state.credited == 1_200)
    }

    @Test("Money that is missing, negative or unreadable is refused")
    func money() {
        func code(_ amount: JSONValue) -> Refusal.Code? {
            do {
                _ = try Paydiant.read(
                    "SplitTenderPaymentCompletionBlock",
                    [
                        "request": ["checkoutToken": .string(Paydiant.token)],
                        "paymentTransaction": ["amount": amount], "paymentStatusType": "kPDPaymentStatusTypeCompleted",
                    ]
                )
                return nil
            } catch { return (error as? Refusal)?.code }
        }
        #expect(code(.null) == .missingMoney && code("-1.00") == .negativeAmount && code("1,00") == .malformedMoney)
        #expect(code("1.005") == .malformedMoney && code("99999999999999999999") == .amountTooLarge)
        #expect(code(20) == nil && code("20.5") == nil && code("$20.50") == nil)
    }
}
