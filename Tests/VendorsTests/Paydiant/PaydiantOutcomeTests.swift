import Canonical
import Payments
import Testing
import Vendors

@Suite("Paydiant outcomes are never guessed")
struct PaydiantOutcomeTests {
    private static func read(_ kind: String, _ members: JSONObject) throws -> Observation {
        var body = members
        body["checkoutToken"] = .string(Paydiant.token)
        return try Paydiant.read(kind, .object(body))
    }

    @Test("A return by accounts is a credit, whichever call reports it", arguments: [JSONValue.null, "200"])
    func returns(code: JSONValue) throws {
        let type = "kPDTransactionTypeReturn"
        let due = try Paydiant.due("20.00", type: type)
        let reported = try Paydiant.payment("20.00", code: code, more: [("transactionType", .string(type))])
        let state = Paydiant.fold(due, reported)
        #expect(state.credited == 2_000 && state.captured == 0 && state.anomalies.isEmpty)
        // If the answer does not repeat the type, the first one counts: it is not a sale.
        let silent = Paydiant.fold(due, try Paydiant.payment("20.00", code: code))
        #expect(silent.status == .credited && silent.credited == 2_000 && silent.captured == 0)
        #expect(silent.anomalies.isEmpty)
        let update = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token)],
                "response": ["transactionAccounts": [["amount": "20.00", "paymentStatusCode": code, "lastFour": "1"]]],
            ]
        )
        let updated = Paydiant.fold(due, update)
        #expect(updated.status == .credited && updated.credited == 2_000 && updated.captured == 0)
        #expect(updated.anomalies.isEmpty)
    }

    @Test("A code that is not about payments decides nothing", arguments: [340, 344, 345, 369, 371, 379, 380, 389])
    func notPayments(code: Int64) throws {
        let observation = try Paydiant.payment("20.00", code: .number(.init(code)))
        #expect(observation.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.unknownValue])
        #expect(Paydiant.fold(try Paydiant.due("20.00"), observation).captured == 0)
    }

    @Test(
        "A status outside the table decides nothing",
        arguments: ["kPDPaymentStatusTypePending", "kPDPaymentStatusTypeFailed"]
    )
    func statuses(status: String) throws {
        let observation = try Paydiant.payment("20.00", status: status)
        #expect(observation.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(Paydiant.fold(try Paydiant.due("20.00"), observation).isInDoubt)
        // A code decides.
        let paid = try Paydiant.payment("20.00", status: status, code: "200")
        #expect(paid.types == ["TenderApplied", "AnomalyRaised"] && paid.anomalies.map(\.kind) == [.unknownValue])
        for name in ["paymentStatusType", "transactionStatus", "paymentStatus"] {
            let update = try Paydiant.read(
                "UpdateTransactionCompletionBlock",
                [
                    "request": ["checkoutToken": .string(Paydiant.token)],
                    "response": [name: .string(status), "transactionAccounts": [["amount": "20.00"]]],
                ]
            )
            #expect(update.types == ["OutcomeUnknown", "AnomalyRaised"], "\(name)")
        }
    }

    @Test("Nor does an unknown status of a withdrawal")
    func withdrawals() throws {
        let answer: JSONObject = ["transactionStatus": "kPDTransactionStatusDeclined", "cashAmount": 100]
        for kind in ["submitATMCashAccessAmount", "SubmitCashAccessAmountCompletionBlock"] {
            let observation = try Self.read(
                kind,
                ["request": ["cashAmount": 100], "cashAccessTransaction": .object(answer)]
            )
            #expect(observation.types == ["SaleRequested", "OutcomeUnknown", "AnomalyRaised"])
        }
        let update = try Self.read(
            "updateTransaction",
            ["request": ["cashAmount": 100], "response": .object(answer)]
        )
        #expect(update.types == ["SaleRequested", "OutcomeUnknown", "AnomalyRaised"])
        let denied = try Self.read(
            "submitATMCashAccessAmount",
            ["request": ["cashAmount": 100], "cashAccessTransaction": ["amount": 100, "paymentStatusCode": "203"]]
        )
        #expect(denied.types == ["TenderRefused"])
    }

    @Test(
        "The dispensed amount is the answer's, never the requested one",
        arguments: ["updateTransaction", "UpdateTransactionCompletionBlock", "submitATMCashAccessAmount"]
    )
    func dispensed(kind: String) throws {
        let partial: JSONObject = ["transactionStatus": "kPDTransactionStatusPartialPayment"]
        func answer(_ more: JSONObject, beside: JSONObject = ["cashAmount": 100]) throws -> TransactionState {
            var response = partial
            for member in more.members { response[member.key] = member.value }
            var body = beside
            body["response"] = .object(response)
            return Paydiant.fold(try Self.read(kind, body))
        }
        for name in ["updateAmount", "updatedAmount", "dispensedAmount", "amount"] {
            let state = try answer([name: 60])
            #expect(state.captured == 6_000 && state.authorization.requested == 10_000, "\(name)")
            #expect(try answer([name: 60, "cashAmount": 100]).captured == 6_000)
        }
        #expect(throws: Refusal.self) { try answer(["cashAmount": 100]) }
        #expect(throws: Refusal.self) { try answer([:], beside: ["cashAmount": 100, "amount": 100]) }
    }

    @Test("An amount that the wallet submits without `request` is not a payment")
    func arguments() throws {
        let update = try Self.read(
            "updateTransaction",
            [
                "flowRule": "PAYMENT", "amount": 20,
                "transactionAccounts": [["accountUri": "paydiant://a", "amount": 20]],
                "response": ["nextFlowRule": "CONFIRMATION"],
            ]
        )
        #expect(update.types == ["CheckoutUpdated"])
        let paid = try Self.read(
            "paymentWith",
            ["amount": 20, "paymentStatusType": "kPDPaymentStatusTypeCompleted", "response": ["amount": 15]]
        )
        #expect(Paydiant.fold(paid).captured == 1_500)
    }

    @Test("Cash is dispensed once, whenever the transaction's id arrives")
    func late() throws {
        let first = try Self.read("SubmitCashAccessAmountCompletionBlock", ["cashAccessTransaction": ["amount": 100]])
        let second = try Self.read(
            "SubmitCashAccessAmountCompletionBlock",
            ["cashAccessTransaction": ["amount": 100, "paydiantTransactionRefId": "TX-1"]]
        )
        let state = Paydiant.fold(first, second)
        #expect(state.captured == 10_000 && state.tenders.entries.count == 1 && state.anomalies.isEmpty)
    }
}
