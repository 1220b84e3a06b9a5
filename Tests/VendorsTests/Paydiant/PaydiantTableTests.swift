import Canonical
import Payments
import Testing
import Vendors

@Suite("Paydiant's tables")
struct PaydiantTableTests {
    @Test("Every call and every block is a kind of document")
    func kinds() {
        let named = PaydiantTables.calls.flatMap { [$0.call, $0.completion, $0.failure].compactMap(\.self) }
        #expect(Set(Paydiant.adapter.kinds) == Set(named + ["PDPaydiantError"]))
    }

    @Test("Every status code of every call", arguments: PaydiantTables.errors)
    func errors(row: PaydiantTables.Row) throws {
        let observation = try Paydiant.failure(row.failure, row.code)
        #expect(observation.types.contains(row.event), "\(observation.types)")
        #expect(!observation.anomalies.map(\.kind).contains(.unknownValue))
        let cancelsInDoubt = row.failure == "CancelTransactionFailureBlock" && row.code == 500
        // Suspected fraud, and a review.
        let isRisk = [402, 502].contains(row.code)
        #expect(
            observation.anomalies.map(\.kind) == (cancelsInDoubt ? [.followUpInDoubt] : isRisk ? [.riskReported] : [])
        )
        #expect(observation.amounts == nil)
    }

    @Test("The tables are complete")
    func counts() {
        var counts: [String: Int] = [:]
        for row in PaydiantTables.errors { counts[row.failure, default: 0] += 1 }
        #expect(counts == PaydiantTables.counts)
    }

    @Test("A code that is not in its call's table is kept and flagged, whatever its meaning for other calls")
    func unknownErrors() throws {
        for failure in PaydiantTables.counts.keys.sorted() {
            let known = Set(PaydiantTables.errors.filter { $0.failure == failure }.map(\.code))
            for code in [0, 399] + Array(400...511) + [1_008] where !known.contains(code) {
                let observation = try Paydiant.failure(failure, code)
                #expect(observation.anomalies.map(\.kind).contains(.unknownValue), "\(failure) \(code)")
                // A payment's outcome is then unknown too.
                let isPayment = [
                    "UpdateTransactionFailureBlock", "SplitTenderPaymentTransactionFailureBlock",
                    "SubmitCashAccessAmountFailureBlock",
                ].contains(failure)
                if isPayment { #expect(observation.types.contains("OutcomeUnknown"), "\(failure) \(code)") }
            }
        }
    }

    @Test("An error alone is identified by its message key", arguments: PaydiantTables.calls.compactMap(\.domain))
    func domains(domain: String) throws {
        let failure = try #require(PaydiantTables.calls.first { $0.domain == domain }?.failure)
        for row in PaydiantTables.errors where row.failure == failure {
            let alone = try Paydiant.read(
                "PDPaydiantError",
                [
                    "request": [
                        "checkoutToken": .string(Paydiant.token), "paydiantTransactionRefId": "TX-1",
                        "amount": "20.00", "accountUri": "paydiant://account/1",
                    ],
                    "domain": .string(domain), "statusCode": .number(.init(Int64(row.code))),
                ]
            )
            #expect(try alone.types == Paydiant.failure(failure, row.code).types, "\(row)")
        }
    }

    @Test("Every payment code, reported by the paying account", arguments: PaydiantTables.payments)
    func paymentCodes(row: PaydiantTables.PaymentRow) throws {
        let observation = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token)],
                "response": [
                    "transactionAccounts": [
                        ["amount": "20.00", "paymentStatusCode": .number(.init(Int64(row.code)))]
                    ]
                ],
            ]
        )
        #expect(observation.types.first == row.event, "\(observation.types)")
        #expect(observation.anomalies.map(\.kind).contains(.unknownValue) == !row.isKnown)
        let isDuplicate = row.code == 240 || row.code == 798
        #expect(observation.anomalies.map(\.kind).contains(.duplicateSuspected) == isDuplicate)
        guard case .tenderApplied(let tender) = observation.events.first else { return }
        #expect(tender.isCaptured == ![202, 210, 212, 220].contains(row.code))
        #expect(tender.isPartial == [204, 212].contains(row.code))
        #expect(tender.response.code == String(row.code))
    }

    @Test("The same number has different meanings as a call's status and as a payment's code")
    func collision() throws {
        for code in 500...510 {
            let asPayment = try Paydiant.payment("20.00", status: "", code: .string(String(code)))
            #expect(asPayment.types.first == "TenderRefused", "\(code)")
        }
        let reviewed = try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 502)
        #expect(reviewed.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 505).types == ["TenderRefused"])
        // As a call's status, 200 is unknown; as a payment's code it is an approval.
        let odd = try Paydiant.failure("SplitTenderPaymentTransactionFailureBlock", 200)
        #expect(odd.types == ["OutcomeUnknown", "AnomalyRaised"])
    }

    @Test(
        "In a failure the platform's code decides if the call's does not, and never makes it a success",
        arguments: [
            (500, "201", "TenderRefused"), (500, "203", "TenderRefused"), (500, "502", "TenderRefused"),
            (500, "241", "TenderRefused"), (500, "242", "OutcomeUnknown"), (417, "200", "OutcomeUnknown"),
            (400, "200", "OutcomeUnknown"), (400, "212", "OutcomeUnknown"), (400, "201", "TenderRefused"),
            (405, "203", "TenderRefused"), (400, "242", "TenderRefused"), (400, "370", "TenderRefused"),
            (400, "798", "TenderRefused"), (500, "798", "TenderRefused"),
        ]
    )
    func both(status: Int, code: String, event: String) throws {
        let information: JSONValue = ["errorCode": .string(code), "errorDescription": "x"]
        let observation = try Paydiant.failure(
            "SplitTenderPaymentTransactionFailureBlock",
            status,
            [("errorInformation", information)]
        )
        #expect(observation.types.first == event)
    }

    @Test(
        "The purpose of a token",
        arguments: [
            ("kPDTransactionTypePurchase", "SaleRequested", [] as [Anomaly.Kind]),
            ("kPDTransactionTypeReturn", "CreditRequested", []),
            ("kPDTransactionTypeCashAccess", "CheckoutTokenScanned", []),
            ("kPDTransactionTypeUnknown", "SaleRequested", [.operationAssumed]), ("Purchase", "SaleRequested", []),
            ("kPDTransactionTypeFuel", "SaleRequested", [.unknownValue, .operationAssumed]),
        ]
    )
    func types(type: String, event: String, anomalies: [Anomaly.Kind]) throws {
        let observation = try Paydiant.due("20.00", type: type)
        #expect(observation.types.first == event)
        #expect(observation.anomalies.map(\.kind) == anomalies)
        let issued = try Paydiant.read(
            "ObtainCheckoutTokenCompletionBlock",
            ["checkoutToken": .string(Paydiant.token), "type": .string(type)]
        )
        #expect(issued.types == ["CheckoutTokenIssued"])
        #expect(issued.anomalies.map(\.kind) == (anomalies.contains(.unknownValue) ? [.unknownValue] : []))
    }

    @Test("Withdrawals, and whether a payment completed the transaction")
    func otherEnumerations() throws {
        for (type, kinds) in [
            ("kPDCashAccessTransactionTypeWithdrawal", [] as [Anomaly.Kind]),
            ("kPDCashAccessTransactionTypeUnknown", [.operationAssumed]),
            ("kPDCashAccessTransactionTypeTransfer", [.unknownValue]),
        ] {
            let observation = try Paydiant.read(
                "SubmitCashAccessAmountCompletionBlock",
                [
                    "request": ["paydiantTransactionRefId": "TX-1", "cashAmount": "40"],
                    "cashAccessTransaction": ["amount": "40", "cashAccessType": .string(type)],
                ]
            )
            #expect(observation.types.prefix(2) == ["SaleRequested", "CashDispensed"])
            #expect(observation.anomalies.map(\.kind) == kinds)
        }
        for (status, isPartial, kinds) in [
            ("kPDPaymentStatusTypeCompleted", false, [] as [Anomaly.Kind]),
            ("kPDPaymentStatusTypePartiallyCompleted", true, []), ("PartiallyCompleted", true, []),
        ] {
            let observation = try Paydiant.payment("20.00", status: status)
            guard case .tenderApplied(let tender) = observation.events.first else {
                Issue.record("no tender for \(status)")
                continue
            }
            #expect(tender.isPartial == isPartial)
            #expect(observation.anomalies.map(\.kind) == kinds)
        }
        let odd = try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            [
                "request": ["checkoutToken": .string(Paydiant.token)],
                "response": ["transactionStatus": "kPDTransactionStatusSomething"],
            ]
        )
        #expect(odd.types == ["CheckoutUpdated"] && odd.anomalies.map(\.kind) == [.unknownValue])
    }
}
