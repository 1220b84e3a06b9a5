import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// The app's requests as separate documents, and lives of payments from requests and answers.
@Suite("Dejavoo requests")
struct DejavooRequestTests {
    private func read(
        _ kind: String,
        _ body: JSONValue,
        terminal: String? = "794525543578",
        namesPayment: Bool = true
    ) throws -> Observation {
        let adapter = DejavooAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(
            document,
            kind: kind,
            context: DocumentContext(terminal: terminal, namesPayment: namesPayment)
        )
    }

    private func code(_ read: () throws -> Observation) -> Refusal.Code? {
        do {
            _ = try read()
            return nil
        } catch { return (error as? Refusal)?.code }
    }

    private func answer(
        _ details: [String: JSONValue],
        response: [String: JSONValue] = [:],
        request: JSONValue? = nil
    ) throws -> Observation {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        var body = fixture.body
        for (key, value) in details {
            body = DocumentPlaces(path: ["Spin_Response", "ExtData", key]).replacing(in: body, with: value)
        }
        for (key, value) in response {
            body = DocumentPlaces(path: ["Spin_Response", key]).replacing(in: body, with: value)
        }
        if let request { body = DocumentPlaces(path: ["request"]).replacing(in: body, with: request) }
        return try fixture.observation(of: body)
    }

    @Test("A sale request with every option; its amounts are a minimum")
    func saleRequest() throws {
        let observation = try VendorFixture.named("dejavoo/v2-sale-request").observation()
        guard case .saleRequested(let request) = observation.events.first, let amounts = request.amounts else {
            Issue.record("no request")
            return
        }
        #expect(amounts.total == Money(700, .usd) && amounts.base == Money(100, .usd))
        #expect(amounts.tip == Money(100, .usd) && amounts.fee == Money(500, .usd))
        #expect(request.references.terminal == "794525543578")
        let sent = try #require(observation.reportedByReader.first)
        #expect(sent.name == .commandSent)
        #expect(
            Set(sent.report.details?.map { "\($0.name)=\($0.value)" } ?? []) == [
                "tranType=.SALE", "currencyCode=.USD", "amount=1", "tipAmount=1.00", "feeAmount=5.00",
                "showTipScreen=true", "showBreakUpScreen=true", "showApprovalScreen=true",
            ]
        )
        #expect(sent.report.reader == ReaderReference(vendor: .dejavoo, serial: "794525543578"))
    }

    @Test("A structure as Swift prints it is the same request")
    func printedRequest() throws {
        let printed = """
            TxnData(amount: "10.00", tipAmount: Optional("1.00"), feeAmount: nil, currencyCode: DeepLinking.CurrencyCode.USD, \
            tranType: DeepLinking.TransType.SALE, showTipScreen: Optional(true))
            """
        let observation = try read("startTransaction", .string(printed))
        guard case .saleRequested(let request) = observation.events.first else {
            Issue.record("no request")
            return
        }
        #expect(request.amounts?.total == Money(1_100, .usd) && request.amounts?.fee == nil)
        #expect(observation.anomalies.isEmpty)
    }

    @Test("Currencies are accepted in either case")
    func currencies() throws {
        for code in [".usd", ".USD", "usd", "DeepLinking.CurrencyCode.usd"] {
            let body: JSONValue = ["tranType": ".SALE", "amount": "10.00", "currencyCode": .string(code)]
            let totals = try read("TxnData", body).events.compactMap {
                if case .saleRequested(let request) = $0 { request.amounts?.total } else { nil }
            }
            #expect(totals == [Money(1_000, .usd)], "\(code)")
        }
    }

    @Test("A request without a named payment is recorded as a report of the reader")
    func unnamed() throws {
        let sale: JSONValue = ["tranType": ".SALE", "amount": "1.00"]
        for (kind, body, types): (String, JSONValue, [String]) in [
            ("TxnData", sale, ["CommandSent"]),
            ("makeARequestBasedOnTransactionTypes", ["type": "sale", "amount": "10.00"], ["CommandSent"]),
            ("didReceiveRespV2Error", ["err": "", "request": sale], ["ReaderErrorReported"]),
        ] {
            let observation = try read(kind, body, namesPayment: false)
            guard case .device(let reader, _, _) = observation.subject else {
                Issue.record("\(kind) is about a payment")
                continue
            }
            #expect(reader?.serial == "794525543578" && observation.types == types)
        }
    }

    @Test("Required fields of a request, and values that are only flagged")
    func broken() throws {
        #expect(code { try read("TxnData", ["tranType": ".SALE"]) } == .missingMoney)
        #expect(code { try read("TxnData", ["tranType": ".SALE", "amount": "-1.00"]) } == .negativeAmount)
        #expect(code { try read("TxnData", ["tranType": ".SALE", "amount": "ten"]) } == .malformedMoney)
        #expect(
            code { try read("TxnData", ["tranType": ".SALE", "amount": "1.00", "currencyCode": ".XQX"]) }
                == .unknownCurrency
        )
        #expect(code { try read("TxnData", ["amount": "1.00"]) } == .missingField)
        #expect(code { try read("TicketTxnData", ["amount": "1.00"]) } == .missingField)
        #expect(code { try read("startVoid", ["tranType": ".VOID"]) } == .missingField)
        #expect(code { try read("startBatchSettlement", [:], terminal: nil) } == .missingField)
        #expect(
            code { try read("makeARequestBasedOnTransactionTypes", ["type": "VOID", "amount": "10.00"]) }
                == .missingField
        )
        #expect(code { try read("RegisterData", ["merchantCode": "1"]) } == .missingField)

        func kinds(_ body: JSONValue) throws -> [Anomaly.Kind] { try read("TxnData", body).anomalies.map(\.kind) }
        #expect(try kinds(["tranType": ".SALE", "amount": "0.00"]) == [.limitExceeded])
        #expect(try kinds(["tranType": ".SALE", "amount": "9999999.99"]) == [])
        #expect(try kinds(["tranType": ".SALE", "amount": "99999999.99"]) == [.limitExceeded])
        #expect(
            try kinds(["tranType": ".SALE", "amount": "1.00", "showTipScreen": "perhaps"]) == [.malformedField]
        )
        let odd = try read("TxnData", ["tranType": ".LAYAWAY", "amount": "1.00"])
        #expect(odd.types == ["CommandSent"] && odd.anomalies.map(\.kind) == [.unknownValue])
        let legacy = try read("makeARequestBasedOnTransactionTypes", ["type": "LAYAWAY", "amount": "1.00"])
        #expect(legacy.types == ["CommandSent"] && legacy.anomalies.map(\.kind) == [.unknownValue])
        for (tpn, isOdd) in [
            ("123456789", true), ("1234567890", false), ("12345678912", false), ("1234567890123", true),
        ] {
            #expect(try read("RegisterData", ["tpn": .string(tpn)]).anomalies.isEmpty == !isOdd)
        }
    }

    @Test("A settlement request that names its batch is recorded for the batch")
    func settlementRequest() throws {
        let observation = try read("startBatchSettlement", ["batch_no": "0243"])
        guard case .batch(let batch, let events) = observation.subject else {
            Issue.record("no batch")
            return
        }
        #expect(batch == BatchReference(vendor: .dejavoo, account: "794525543578", number: "243"))
        #expect(events.map(\.type) == ["BatchCloseRequested"])
    }

    @Test("The answer to a registration belongs to the terminal, and starts no payment")
    func registration() throws {
        let answer: JSONValue = ["TPN": "544424127175", "TimeStamp": "20240515191215", "TXN Ref No": "034307173484"]
        let note = try read("didReceive_TransactionResponse", answer, namesPayment: false)
        #expect(note.keys.isEmpty)
        guard case .device(let reader, let events, []) = note.subject else {
            Issue.record("no device")
            return
        }
        #expect(reader?.serial == "544424127175" && events.map(\.name) == [.commandAnswered])
        #expect(events.first?.report.details?.map(\.name) == ["TPN", "TimeStamp", "TXN Ref No"])
        let asked = try read("transactionData", ["transactionData": answer, "request": ["tpn": "544424127175"]])
        #expect(asked.types == ["ReaderInitialized"] && asked.keys.isEmpty)
        let odd = try read(
            "transactionData",
            ["TPN": "544424127175", "TimeStamp": "yesterday", "TXN Ref No": "1"],
            namesPayment: false
        )
        #expect(odd.anomalies.map(\.kind) == [.malformedField] && odd.occurredAt == nil)
    }

    @Test("Opening iPOSgo is a command; its link is kept in the document only")
    func links() throws {
        for body: JSONValue in ["iposgo://pay?amount=1", ["success": "iposgo://pay?amount=1"]] {
            for kind in ["didReceiveV2Response", "didReceiveResponse"] {
                let observation = try read(kind, body)
                #expect(observation.types == ["CommandSent"])
                #expect(observation.reportedByReader.first?.report.details?.map(\.value) == ["iposgo"])
            }
        }
        #expect(code { try read("Spin_Response", "iposgo://pay") } == .missingField)
    }

    // MARK: Lives

    private func life(_ steps: [Observation]) -> TransactionState {
        var history: [TransactionEvent] = []
        for step in steps { history += Lifecycle.decide(step.events, after: history, policy: step.policy) }
        return TransactionState(folding: history)
    }

    @Test("Requested 7.00, approved with taxes and fee: no contradiction, in either order")
    func floor() throws {
        let request = try VendorFixture.named("dejavoo/v2-sale-request").observation()
        let sale = try VendorFixture.named("dejavoo/v2-sale").observation()
        for steps in [[request, sale], [sale, request]] {
            let state = life(steps)
            #expect(state.status == .captured && state.captured == 1_340)
            #expect(state.anomalies.map(\.kind) == [.amountScaleAssumed])
        }
    }

    @Test("A sale that failed in the reader, and one that was approved later")
    func failedInReader() throws {
        let failed = try VendorFixture.named("dejavoo/v2-error-of-sale").observation()
        #expect(life([failed]).status == .declined)
        let approved = life([failed, try VendorFixture.named("dejavoo/v2-sale").observation()])
        #expect(approved.status == .captured)
        #expect(approved.anomalies.map(\.kind) == [.conflictingOutcome])
    }

    @Test("Pre-auth, ticket and void; a void already reversed; a void that failed")
    func followUps() throws {
        let preAuth = try answer(["txnLabel": "Pre Auth", "TotalAmt": "12.40", "Tip": .null])
        let ticket = try answer(["txnLabel": "Ticket"], request: ["rrn": "400907500270", "tranType": ".TICKET"])
        #expect(life([preAuth]).status == .authorized)
        #expect(life([preAuth, ticket]).captured == 1_340)
        let request: JSONValue = ["rrn": "400907500270", "tranType": ".VOID"]
        let void = try answer(["txnLabel": "Void"], request: request)
        #expect(life([preAuth, ticket, void]).status == .voided)
        let gone = try answer(
            ["txnLabel": "Void", "RespCode": "79"],
            response: ["HostResponseCode": "79", "ResultCode": "1", "HostResponseMessage": "ALREADY REVERSED"],
            request: request
        )
        #expect(gone.types == ["Voided", "CommandAnswered"])
        let refused = try answer(
            ["txnLabel": "Void", "RespCode": "21"],
            response: ["HostResponseCode": "21", "ResultCode": "1", "HostResponseMessage": "NO ACTION TAKEN"],
            request: request
        )
        #expect(refused.types == ["FollowUpRefused", "CommandAnswered"])
    }

    @Test("A refund is a separate payment, and can be voided")
    func refund() throws {
        let refund = try answer(["txnLabel": "Refund", "TxnType": "2"])
        #expect(life([try VendorFixture.named("dejavoo/v2-refund-request").observation(), refund]).status == .credited)
        let void = try answer(["txnLabel": "Void"], request: ["rrn": "400907500270"])
        #expect(life([refund, void]).status == .voided)
    }

    @Test("Two contradictory prints of the host's code mean an unknown outcome")
    func contradiction() throws {
        let observation = try answer(["RespCode": "05"], response: ["HostResponseMessage": "APPROVAL"])
        #expect(observation.types == ["SaleRequested", "OutcomeUnknown", "CommandAnswered"])
        #expect(life([observation]).isInDoubt)
    }

    @Test("An undocumented label, and one that contradicts the number")
    func labels() throws {
        let unknown = try answer(["txnLabel": "Survey", "TxnType": "1"])
        #expect(unknown.types.last == "AnomalyRaised" && unknown.anomalies.map(\.kind) == [.unknownValue])
        #expect(unknown.types.contains("Captured"))
        let other = try answer(["txnLabel": "Refund", "TxnType": "1"])
        #expect(other.types == ["CreditRequested", "CreditApproved", "CommandAnswered", "AnomalyRaised"])
        let neither = try answer(["txnLabel": "Survey", "TxnType": "9"])
        #expect(neither.types == ["OutcomeUnknown", "CommandAnswered", "AnomalyRaised", "AnomalyRaised"])
    }
}
