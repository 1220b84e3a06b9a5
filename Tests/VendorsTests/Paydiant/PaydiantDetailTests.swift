import Canonical
import Payments
import Testing
import Vendors

/// Completed checkouts, cash, offers, risks and the amounts of failed attempts.
@Suite("Paydiant details")
struct PaydiantDetailTests {
    private static func cash(_ type: String?, _ more: [(String, JSONValue)] = []) throws -> Observation {
        var request: JSONObject = ["checkoutToken": .string(Paydiant.token), "cashAmount": "100"]
        if let type { request["cashAccessType"] = .string(type) }
        var response: JSONObject = ["transactionType": "kPDTransactionTypeCashAccess", "cashAmount": "100"]
        for (name, value) in more { response[name] = value }
        return try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            ["request": .object(request), "response": .object(response)]
        )
    }

    @Test("A paid transaction completes its checkout, a partial payment does not")
    func completion() throws {
        #expect(try Paydiant.payment("20.00").types.last == "CheckoutCompleted")
        let part = try Paydiant.payment("12.00", status: "kPDPaymentStatusTypePartiallyCompleted", balance: "8.00")
        #expect(!part.types.contains("CheckoutCompleted"))
        #expect(try !Paydiant.payment("20.00", code: "201").types.contains("CheckoutCompleted"))
        #expect(try Self.cash("kPDCashAccessTransactionTypeWithdrawal").types.last == "CheckoutCompleted")
    }

    @Test("A deposit credits the account, and an unknown type of cash access is flagged")
    func deposits() throws {
        let deposit = Paydiant.fold(try Self.cash("kPDCashAccessTransactionTypeDeposit"))
        #expect(deposit.status == .credited && deposit.credited == 10_000 && deposit.captured == 0)
        let named = Paydiant.fold(try Self.cash(nil, [("depositAmount", "100.00")]))
        #expect(named.status == .credited && named.credited == 10_000)
        let unknown = try Self.cash("kPDCashAccessTransactionTypeUnknown")
        #expect(unknown.anomalies.map(\.kind) == [.operationAssumed])
        #expect(Paydiant.fold(unknown).captured == 10_000)
    }

    @Test("Only the amount that a partial deposit reports is credited")
    func partialDeposits() throws {
        func fold(_ amount: JSONValue?) throws -> TransactionState {
            var response: JSONObject = [
                "transactionType": "kPDTransactionTypeCashAccess",
                "transactionStatus": "kPDTransactionStatusPartialPayment",
            ]
            if let amount { response["depositAmount"] = amount }
            return Paydiant.fold(
                try Paydiant.read(
                    "UpdateTransactionCompletionBlock",
                    [
                        "request": ["checkoutToken": .string(Paydiant.token), "depositAmount": "100"],
                        "response": .object(response),
                    ]
                )
            )
        }
        let silent = try fold(nil)
        #expect(silent.status == .inDoubt && silent.credited == 0)
        let stated = try fold("80.00")
        #expect(stated.credited == 8_000, "\(stated.status)")
    }

    @Test(
        "A depositAmount takes cash in unless the type is a withdrawal",
        arguments: [
            (nil, []), ("kPDCashAccessTransactionTypeUnknown", [.operationAssumed]),
            ("kPDCashAccessTransactionTypeTransfer", [.unknownValue]),
            ("kPDCashAccessTransactionTypeDeposit", [.unknownValue]),
        ] as [(String?, [Anomaly.Kind])]
    )
    func depositAmounts(type: String?, kinds: [Anomaly.Kind]) throws {
        let deposit = try Self.cash(type, [("depositAmount", "80.00")])
        #expect(deposit.types.prefix(2) == ["CreditRequested", "CreditApproved"])
        #expect(deposit.anomalies.map(\.kind) == kinds)
        let state = Paydiant.fold(deposit)
        #expect(state.status == .credited && state.credited == 8_000 && state.captured == 0)
        // The amount is in the request alone, and nothing else names cash.
        var request: JSONObject = ["checkoutToken": .string(Paydiant.token), "depositAmount": "80"]
        if let type { request["cashAccessType"] = .string(type) }
        let asked = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": .object(request),
                "response": ["transactionType": "kPDTransactionTypeUnknown", "amount": "80.00"],
            ]
        )
        #expect(asked.types.prefix(2) == ["CreditRequested", "CreditApproved"])
        #expect(Paydiant.fold(asked).credited == 8_000)
    }

    @Test("A withdrawal remains one beside a depositAmount")
    func withdrawalWithDepositAmount() throws {
        let withdrawal = try Self.cash("kPDCashAccessTransactionTypeWithdrawal", [("depositAmount", "80.00")])
        #expect(withdrawal.types.prefix(2) == ["SaleRequested", "CashDispensed"])
    }

    @Test(
        "A code decides whether a deposit was taken",
        arguments: [("201", ["TenderRefused"]), ("242", ["CreditRequested", "OutcomeUnknown"])]
    )
    func deniedDeposits(code: String, types: [String]) throws {
        let deposit = try Self.cash(nil, [("depositAmount", "80.00"), ("paymentStatusCode", .string(code))])
        #expect(deposit.types.filter { $0 != "AnomalyRaised" } == types)
        let state = Paydiant.fold(deposit)
        #expect(state.credited == 0 && state.captured == 0)
    }

    @Test("The arguments of a call may be in the object of its parameter")
    func nestedRequest() throws {
        let body: JSONValue = [
            "request": [
                "updateTransactionRequest": [
                    "checkoutToken": .string(Paydiant.token), "transactionType": "kPDTransactionTypeCashAccess",
                    "cashAccessType": "kPDCashAccessTransactionTypeWithdrawal", "cashAmount": 100,
                ]
            ],
            "response": ["transactionStatus": "kPDTransactionStatusPartialPayment", "updateAmount": 60],
        ]
        let state = Paydiant.fold(try Paydiant.read("UpdateTransactionCompletionBlock", body))
        #expect(state.authorization.requested == 10_000 && state.captured == 6_000 && state.due == 0)
        #expect(state.status == .captured && state.anomalies.isEmpty)
        let blocked = try Paydiant.read(
            "RetriveTransactionMetaDataFailureBlock",
            [
                "request": ["retrieveTransactionMetaDataRequest": ["checkoutToken": .string(Paydiant.token)]],
                "transactionError": ["code": 406],
            ]
        )
        #expect(blocked.types == ["CheckoutTokenBlocked"])
    }

    @Test("Suspected fraud and a review are risks", arguments: [402, 502])
    func risks(code: Int) throws {
        let failure = try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", code)
        #expect(failure.anomalies.map(\.kind) == [.riskReported])
        #expect(try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 405).anomalies.isEmpty)
    }

    @Test("The amount beside a failure is the requested one", arguments: [402, 405, 417, 502, 500])
    func attempted(code: Int) throws {
        let state = Paydiant.fold(try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", code))
        #expect(state.requested == 2_000)
        // It does not limit the payment that follows.
        let paid = Paydiant.fold(
            try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 405),
            try Paydiant.payment("45.00")
        )
        #expect(paid.status == .captured && paid.anomalies.isEmpty && paid.tenders.refused.count == 1)
    }

    @Test("A payment without an answer was sent")
    func unanswered() throws {
        let sent = try Paydiant.read(
            "paymentWith",
            ["request": ["checkoutToken": .string(Paydiant.token), "amount": "64.20"]]
        )
        #expect(sent.types == ["AuthorizationSent"])
        var state = TransactionState()
        for report in sent.reports {
            if let event = report as? DeviceEvent { Lifecycle.evolve(&state, .device(event)) }
        }
        #expect(state.awaitsAnswer && state.requested == 6_420)
    }

    @Test("A return whose answer does not repeat its type is a credit")
    func returns() throws {
        let state = Paydiant.fold(
            try Paydiant.due("18.99", type: "kPDTransactionTypeReturn"),
            try Paydiant.payment("18.99")
        )
        #expect(state.status == .credited && state.credited == 1_899 && state.captured == 0)
        #expect(state.anomalies.isEmpty)
    }

    @Test("No access code is an error")
    func accessCode() throws {
        let missing = try Paydiant.read("generateAccessCode", ["request": ["length": 0], "result": .null])
        #expect(missing.types == ["ReaderErrorReported"])
        #expect(
            try Paydiant.read("generateAccessCode", ["request": ["length": 4], "result": "7305"]).types == [
                "CommandAnswered"
            ]
        )
    }

    @Test("A tip alone is not the amount due")
    func tip() throws {
        let tip = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token), "flowRule": "TIP", "tipAmount": "3.00"],
                "response": [:],
            ]
        )
        guard case .checkout(_, let events, _) = tip.subject else {
            Issue.record("no checkout")
            return
        }
        #expect(events.map(\.type) == ["CheckoutUpdated"] && events.first?.report.amounts == nil)
    }
}
