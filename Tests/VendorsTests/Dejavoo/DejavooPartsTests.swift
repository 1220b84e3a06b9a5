import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// Taxes and fees one by one, errors by name, and callbacks without a value.
@Suite("Dejavoo parts and callbacks")
struct DejavooPartsTests {
    private func read(
        _ body: JSONValue,
        _ kind: String,
        namesPayment: Bool = false
    ) throws -> Observation {
        let adapter = DejavooAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        let context = DocumentContext(terminal: "794524937054", namesPayment: namesPayment)
        return try adapter.interpret(document, kind: kind, context: context)
    }

    private func fold(_ observations: Observation...) -> TransactionState {
        var history: [TransactionEvent] = []
        for observation in observations {
            let facts: [TransactionEvent] =
                switch observation.subject {
                case .transaction(let events): events
                case .device(_, let events, _): events.map { .device($0) }
                default: []
                }
            history += Lifecycle.decide(facts, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    private func spin(_ details: JSONObject, request: JSONObject = [:]) throws -> Observation {
        var members: JSONObject = [
            "RespCode": "00", "RRN": "400907500336", "txnId": "00006880410664567020240301193000", "BatchNum": "121",
            "BaseAmount": "100.00", "TotalAmt": "100.00", "txnLabel": "Pre Auth", "DateTime": "20240301193000",
        ]
        for member in details { members[member.key] = member.value }
        return try read(
            ["ResultCode": "0", "HostResponseCode": "00", "ExtData": .object(members), "request": .object(request)],
            "Spin_Response"
        )
    }

    @Test("A ticket's tip, fee and taxes explain what it takes beyond the authorization; more is flagged")
    func ticket() throws {
        let ticket: JSONObject = [
            "txnLabel": "Ticket", "RRN": "400907500347", "txnId": "00006880410664677020240301214500", "Tip": "20.00",
            "Fee": "1.00", "TaxCity": "2.00", "TotalAmt": "123.00", "DateTime": "20240301214500",
        ]
        let request: JSONObject = ["tranType": "TICKET", "amount": "100.00", "rrn": "400907500336"]
        let state = try fold(spin([:]), spin(ticket, request: request))
        #expect(state.captured == 12_300 && state.tips == 2_000 && state.anomalies == [])
        // A ticket is settled under its own number.
        #expect(state.captures.first?.own?.retrievalReference == "400907500347")
        #expect(state.references.retrievalReference == "400907500336")
        var more = ticket
        more["BaseAmount"] = "110.00"
        more["TotalAmt"] = "133.00"
        let excess = try fold(spin([:]), spin(more, request: request))
        #expect(excess.anomalies.map(\.kind) == [.captureExceedsAuthorization])
    }

    @Test("Taxes and fees keep their labels, and are compared with the whole tax")
    func parts() throws {
        let taxes: JSONObject = [
            "txnLabel": "Sale", "TaxCity": "2.00", "Tax1Label": "Local Tax", "TaxState": "1.00",
            "Tax2Label": "State Tax", "Fee": "0.40", "FeeLabel": "Custom Fee", "TaxAmount": "3.00",
            "TotalAmt": "103.40",
        ]
        let sale = try spin(taxes)
        #expect(
            sale.amounts?.parts == [
                AmountPart(.tax, label: "Local Tax", amount: Money(200, .usd)),
                AmountPart(.tax, label: "State Tax", amount: Money(100, .usd)),
                AmountPart(.fee, label: "Custom Fee", amount: Money(40, .usd)),
            ]
        )
        #expect(sale.amounts?.tax == Money(300, .usd) && sale.anomalies == [])
        var other = taxes
        other["TaxAmount"] = "4.00"
        other["TotalAmt"] = "104.40"
        #expect(try spin(other).anomalies.map(\.kind) == [.amountsDoNotAddUp])
        let legacy: JSONValue = [
            "BaseAmt": ["Amt": "100.00", "Label": "Amount"], "Tax1": ["Amt": "11.00", "Label": "City"],
            "Tax2": ["Amt": "0.00", "Label": "State"], "BaseFee": ["Amt": "5.00", "Label": "Service"],
            "surveyAns": "1", "type": "SALE",
            "Response": ["RespCode": "00", "Rrn": "413613500098", "DTxId": "1"],
        ]
        let first = try read(legacy, "didReceiveResponse")
        #expect(first.amounts?.parts?.map(\.label) == ["City", "Service"])
        #expect(first.reportedByReader.first?.report.details == [Detail("surveyAns", "1")])
    }

    @Test("An answer without a type answers the void that was asked for last")
    func legacyVoid() throws {
        func answer(_ rrn: JSONValue, _ id: JSONValue) throws -> Observation {
            try read(
                [
                    "BaseAmt": ["Amt": "100.00"],
                    "Response": ["RespCode": "00", "Rrn": rrn, "DTxId": id, "BatchNo": "63"],
                ],
                "didReceiveResponse"
            )
        }
        let sale = try fold(answer("413613500098", "1"))
        #expect(sale.status == .captured && sale.answer([], ifAsked: [.followUp(.void): [.voided(Self.void)]]).isEmpty)
        let request = try read(["type": "VOID", "Amount": "413613500098"], "makeARequestBasedOnTransactionTypes")
        let asked = try fold(answer("413613500098", "1"), request)
        #expect(asked.steps.followUps.open == [.void])
        let second = try answer("413613500771", "2")
        let facts = asked.answer(second.events, ifAsked: second.ifAsked)
        #expect(facts.map(\.type) == ["Voided"])
        // It is answered once.
        var history = PaymentHistory(Lifecycle.decide(facts, after: [], policy: second.policy))
        history.fold([])
        #expect(history.state.steps.followUps.open == [])
    }

    @Test(
        "An answer without a type answers the refund or authorization that was asked for",
        arguments: [("REFUND", "CreditApproved", 1000), ("PREAUTH", "AuthorizationApproved", 0)]
    )
    func legacyPayment(_ type: String, _ answered: String, _ returned: Int64) throws {
        let request = try read(
            ["type": .string(type), "Amount": "10.00"],
            "makeARequestBasedOnTransactionTypes",
            namesPayment: true
        )
        let asked = fold(request)
        let answer = try read(
            ["BaseAmt": ["Amt": "10.00"], "Response": ["RespCode": "00", "Rrn": "413613500098", "DTxId": "1"]],
            "didReceiveResponse",
            namesPayment: true
        )
        let facts = asked.answer(answer.events, ifAsked: answer.ifAsked)
        #expect(facts.contains { $0.type == answered } && !facts.contains { $0.type == "Captured" })
        let state = TransactionState(folding: request.events + facts)
        #expect(state.captured == 0 && state.credit?.net ?? 0 == returned && state.anomalies.isEmpty)
        // The same answer again is read as the same operation.
        #expect(state.answer(answer.events, ifAsked: answer.ifAsked) == facts)
    }

    private static let void = Return(id: "void", evidence: .gateway)

    @Test("A callback without a value is a failed call and leaves an open payment in doubt")
    func empty() throws {
        let asked = try read(
            ["amount": "42.00", "currencyCode": "USD", "tranType": "SALE"],
            "TxnData",
            namesPayment: true
        )
        let request: JSONValue = ["amount": "42.00", "currencyCode": "USD", "tranType": "SALE"]
        for body: JSONValue in [
            ["err": .null], .null, [:], ["err": .null, "at": "2026-03-01"], ["request": request],
        ] {
            let error = try read(body, "didReceiveRespV2Error", namesPayment: true)
            #expect(fold(asked, error).status == .inDoubt && error.anomalies == [])
            #expect(try read(body, "didReceiveRespV2Error").types == ["ReaderErrorReported"])
        }
        let captured = try spin(["txnLabel": "Sale"])
        for (kind, body): (String, JSONValue) in [
            ("didReceiveV2Response", ["success": .null]), ("didReceiveV2Response", .null),
            ("didReceive_TransactionResponse", ["res": .null]), ("didReceive_TransactionResponse", [:]),
            ("didReceive_TransactionResponse", ""), ("didReceive_TransactionResponse", "{}"),
            ("didReceive_TransactionResponse", ["res": .null, "TPN": "794524937054"]),
            ("didReceiveResponse", [:]), ("didReceiveResponse", ["sucess": .null]),
            ("didReceiveV2Response", ["success": .null, "at": "2026-03-01"]),
        ] {
            let report = try read(body, kind, namesPayment: true)
            #expect(report.types == ["ReaderErrorReported", "OutcomeUnknown"], "\(kind): \(body)")
            #expect(fold(asked, report).status == .inDoubt)
            let late = fold(captured, report)
            #expect(late.status == .captured && late.anomalies == [])
            #expect(try read(body, kind).types == ["ReaderErrorReported"])
        }
    }

    @Test("A callback without a value begins the payment of the request beside it, and a void stays asked for")
    func emptyWithRequest() throws {
        let sale: JSONValue = ["amount": "42.00", "currencyCode": "USD", "tranType": "SALE"]
        for body: JSONValue in [["res": .null, "request": sale], ["request": sale]] {
            let report = try read(body, "didReceive_TransactionResponse", namesPayment: true)
            #expect(report.types == ["SaleRequested", "ReaderErrorReported", "OutcomeUnknown"])
            let state = fold(report)
            #expect(state.status == .inDoubt && state.requested == 4_200)
        }
        let void: JSONValue = ["tranType": "VOID", "rrn": "400907500369"]
        let report = try read(["res": .null, "request": void], "didReceive_TransactionResponse", namesPayment: true)
        #expect(report.types == ["ReaderErrorReported"])
    }

    @Test("An answer beside a null parameter is read")
    func answerBesideNull() throws {
        let details: JSONValue = [
            "RespCode": "00", "RRN": "400907500336", "txnId": "00006880410664567020240301193000",
            "BatchNum": "121", "TotalAmt": "100.00", "txnLabel": "Sale", "DateTime": "20240301193000",
        ]
        let answer: JSONValue = ["success": .null, "ResultCode": "0", "HostResponseCode": "00", "ExtData": details]
        #expect(try fold(read(answer, "didReceiveV2Response", namesPayment: true)).captured == 10_000)
        let data: JSONValue = ["res": .null, "TPN": "794525543578", "TXN Ref No": "830266506984"]
        #expect(try read(data, "didReceive_TransactionResponse").types == ["CommandAnswered"])
    }

    @Test("An error by its case ends an open payment, and says nothing about one that has an outcome")
    func cases() throws {
        let asked = try read(["amount": "30.00", "tranType": "SALE"], "TxnData", namesPayment: true)
        let declined: JSONValue = ["case": "paymentCardDeclined", "rawValue": "The payment card declined."]
        let error = try read(declined, "CardReaderSessionError", namesPayment: true)
        #expect(fold(asked, error).status == .declined)
        #expect(error.reportedByReader.first?.report.response.message == "The payment card declined.")
        let inner = try read(["err": declined], "didReceiveRespV2Error", namesPayment: true)
        #expect(fold(asked, inner).status == .declined)
        let sale = try spin(["txnLabel": "Sale"])
        let captured = fold(sale, error)
        #expect(captured.status == .captured && captured.anomalies == [])
        // Not a fault.
        let supported: JSONValue = ["case": "deviceSupportTapOnPay", "rawValue": "Device Supports Tap to Pay"]
        #expect(try read(supported, "CustomErrorMessage").types == ["ReaderStateChanged"])
    }

    @Test("The data of a processed payment without its result leaves it in doubt until the answer")
    func processed() throws {
        let asked = try read(["amount": "64.50", "tranType": "SALE"], "TxnData", namesPayment: true)
        let data: JSONValue = ["TPN": "794525543578", "TimeStamp": "20250602115852", "TXN Ref No": "830266506984"]
        let processed = try read(data, "didReceive_TransactionResponse", namesPayment: true)
        #expect(fold(asked, processed).status == .inDoubt)
        let sale = try spin(["txnLabel": "Sale"])
        #expect(fold(sale, processed).status == .captured && !fold(sale, processed).isInDoubt)
        #expect(fold(processed, sale).status == .captured)
    }

    @Test("A host's refusal with a result code of success is flagged")
    func contradictory() throws {
        let body: JSONValue = [
            "ResultCode": "0", "HostResponseCode": "51", "HostResponseMessage": "INSUFFICIENT FUNDS",
            "ExtData": [
                "RespCode": "51", "RRN": "1", "txnId": "00006880410664567020240301193000", "txnLabel": "Sale",
                "TotalAmt": "10.00",
            ],
        ]
        let both = try read(body, "Spin_Response")
        #expect(both.types.contains("Declined") && both.anomalies.map(\.kind) == [.conflictingOutcome])
    }

    @Test("A refund by number of which nothing states the amount is flagged", arguments: [String?.none, "230"])
    func refundWithoutAmount(amount: String?) throws {
        let sale: JSONValue = [
            "iposTransactResponse": [
                "responseCode": 200, "transactionType": 1, "transactionReferenceId": "a1", "amount": "1230",
                "rrn": "413613500098", "transactionId": "1",
            ],
            "request": ["transactionType": 1, "transactionReferenceId": "a1", "amount": "1230"],
        ]
        var request: JSONObject = ["transactionType": 3, "transactionReferenceId": "a2", "rrn": "413613500098"]
        if let amount { request["amount"] = .string(amount) }
        let refund: JSONValue = [
            "iposTransactResponse": [
                "responseCode": 200, "transactionType": 3, "transactionReferenceId": "a2", "rrn": "413613500771",
                "transactionId": "2",
            ],
            "request": .object(request),
        ]
        let state = try fold(read(sale, "iposTransactResponse"), read(refund, "iposTransactResponse"))
        #expect(state.captured == 1_230 && state.refunded == (amount == nil ? 1_230 : 230))
        #expect(state.anomalies.map(\.kind) == (amount == nil ? [.amountUnreadable] : []))
    }
}
