import Canonical
import Payments
import Testing
import Vendors

@Suite("Dejavoo")
struct DejavooTests {
    private func sale(
        _ response: [String: JSONValue] = [:],
        details: [String: JSONValue] = [:],
        request: JSONValue? = nil
    ) throws -> Observation {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        var body = fixture.body
        for (key, value) in response {
            body = DocumentPlaces(path: ["Spin_Response", key]).replacing(in: body, with: value)
        }
        for (key, value) in details {
            body = DocumentPlaces(path: ["Spin_Response", "ExtData", key]).replacing(in: body, with: value)
        }
        if let request { body = DocumentPlaces(path: ["request"]).replacing(in: body, with: request) }
        return try fixture.observation(of: body)
    }

    @Test("A sale: 10.00 + 1.00 + 2.00 + 0.40 = 13.40, with its batch and card")
    func saleFacts() throws {
        let observation = try sale()
        let amounts = try #require(observation.amounts)
        #expect(amounts.total == Money(1_340, .usd) && amounts.base == Money(1_000, .usd))
        #expect(amounts.tip == Money(100, .usd) && amounts.tax == Money(200, .usd) && amounts.fee == Money(40, .usd))
        #expect(try amounts.discrepancy() == 0)
        guard case .captured(let capture) = observation.events[2],
            case .authorizationApproved(let approval) = observation.events[1]
        else {
            Issue.record("no capture")
            return
        }
        #expect(capture.batch == BatchReference(vendor: .dejavoo, account: "794525543578", number: "121"))
        #expect(approval.references.hostTransaction == "123456789012345")
        #expect(approval.references.retrievalReference == "400907500270")
        #expect(approval.references.terminal == "794525543578")
        #expect(approval.card?.lastFour == "5859" && approval.card?.maskedNumber == "3530***5859")
        #expect(approval.card?.funding == "credit" && approval.card?.entryMethod == "tap-on-phone")
        #expect(approval.card?.tokenDigest?.hasPrefix("sha256:") == true)
        #expect(approval.response == Response(code: "00", message: "APPROVAL DSC380"))
    }

    @Test(
        "Codes are classified together with their text",
        arguments: [
            ("00", "APPROVAL", "0", "AuthorizationApproved"), ("08", "APPROVAL", "0", "AuthorizationApproved"),
            ("10", "PARTIAL", "0", "PartiallyApproved"), ("05", "DECLINED", "1", "Declined"),
            ("05", "NO EXISTING HOST", "1", "Failed"), ("05", "FEES N/A PROFILE", "1", "Failed"),
            ("14", "INVALID YEAR", "1", "Failed"), ("14", "INVALID CARD", "1", "Declined"),
            ("91", "HOST NO RESPONSE", "1", "OutcomeUnknown"), ("28", "NO REPLY", "1", "OutcomeUnknown"),
            ("51", "REQUEST TIMED OUT", "1", "OutcomeUnknown"), ("R03", "RISK", "1", "Declined"),
            // The host approved; the terminal or the proxy reports a failure.
            ("00", "APPROVAL", "1", "OutcomeUnknown"), ("00", "APPROVAL", "2", "OutcomeUnknown"),
            ("", "", "2", "OutcomeUnknown"), ("", "", "1", "Failed"), ("", "", "0", "OutcomeUnknown"),
        ]
    )
    func codes(code: String, message: String, result: String, type: String) throws {
        let observation = try sale(
            [
                "HostResponseCode": .string(code), "HostResponseMessage": .string(message), "RespMsg": .string(message),
                "Message": .string(message), "ResultCode": .string(result),
            ],
            details: ["RespCode": .string(code)]
        )
        #expect(observation.types.first == "SaleRequested")
        #expect(observation.types.dropFirst().first == type)
        #expect(observation.types.contains("Captured") == type.hasSuffix("Approved"))
    }

    @Test("Refunds are standalone; tickets and voids are found by the original's reference")
    func otherOperations() throws {
        #expect(
            try sale(details: ["txnLabel": "Refund", "TxnType": "2"]).types == [
                "CreditRequested", "CreditApproved", "CommandAnswered",
            ]
        )
        #expect(
            try sale(details: ["txnLabel": "Pre Auth"]).types == [
                "AuthorizationRequested", "AuthorizationApproved", "CommandAnswered",
            ]
        )
        let request: JSONValue = ["rrn": "502213502779", "tranType": ".TICKET"]
        for (label, type) in [("Ticket", "Captured"), ("Void", "Voided")] {
            let observation = try sale(details: ["txnLabel": .string(label)], request: request)
            #expect(observation.types == [type, "CommandAnswered"])
            #expect(
                observation.keys.map(\.text) == [
                    "dejavoo:rrn:794525543578/502213502779", "dejavoo:rrn:502213502779",
                    "dejavoo:rrn:794525543578/400907500270", "dejavoo:rrn:400907500270",
                    "dejavoo:vendor-transaction:00000433772392582420240109012159",
                ]
            )
        }
        let refused = try sale(
            ["ResultCode": "1", "HostResponseCode": "05", "HostResponseMessage": "DECLINE"],
            details: ["txnLabel": "Void", "RespCode": "05"]
        )
        #expect(refused.types == ["FollowUpRefused", "CommandAnswered"])
        #expect(throws: Refusal.self) { try sale(details: ["txnLabel": .null, "TxnType": .null]) }
        let numbered = try sale(details: ["txnLabel": .null, "TxnType": "2"])
        #expect(numbered.types == ["CreditRequested", "CreditApproved", "CommandAnswered"])
    }

    @Test("A pre-authorisation and its ticket make one payment without anomalies")
    func wholeLife() throws {
        var history: [TransactionEvent] = []
        let steps = [
            try sale(details: ["txnLabel": "Pre Auth", "TotalAmt": "12.40", "Tip": .null]),
            try sale(details: ["txnLabel": "Ticket"], request: ["rrn": "400907500270"]),
        ]
        for observation in steps {
            history += Lifecycle.decide(observation.events, after: history, policy: observation.policy)
        }
        let state = TransactionState(folding: history)
        #expect(state.status == .captured && state.captured == 1_340)
        #expect(state.anomalies == [])
    }

    @Test("Money that is missing or unreadable is refused")
    func money() {
        func code(_ read: () throws -> Observation) -> Refusal.Code? {
            do {
                _ = try read()
                return nil
            } catch { return (error as? Refusal)?.code }
        }
        #expect(code { try sale(details: ["TotalAmt": "13,40"]) } == .malformedMoney)
        #expect(code { try sale(details: ["TotalAmt": "13.405"]) } == .malformedMoney)
        #expect(code { try sale(details: ["Tip": "-1.00"]) } == .negativeAmount)
        #expect(code { try sale(details: ["TotalAmt": .null, "BaseAmount": .null, "Amount": .null]) } == .missingMoney)
        #expect(code { try sale(details: ["Currency": "XQX"]) } == .unknownCurrency)
        #expect((try? sale(details: ["TotalAmt": .null]))?.amounts?.total == Money(1_340, .usd))
    }

    @Test("A batch closes, fails, or has an unknown outcome")
    func settlement() throws {
        let fixture = try VendorFixture.named("dejavoo/v2-batch-settlement")
        for (code, status, type) in [
            ("00", "BATCH SETTLED", "BatchClosed"), ("05", "DECLINED", "BatchCloseFailed"),
            ("91", "HOST NO RESPONSE", "BatchCloseRequested"),
        ] {
            var body = DocumentPlaces(path: ["statusCode"]).replacing(in: fixture.body, with: .string(code))
            body = DocumentPlaces(path: ["status"]).replacing(in: body, with: .string(status))
            #expect(try fixture.observation(of: body).types == [type])
        }
        // A sale prints the number as text, sometimes padded.
        let padded = DocumentPlaces(path: ["batch_no"]).replacing(in: fixture.body, with: "0243")
        #expect(try fixture.observation(of: padded).subject == fixture.observation().subject)
        for name in ["Tpn", "batch_no", "statusCode"] {
            let error = #expect(throws: Refusal.self) {
                try fixture.observation(of: DocumentPlaces(path: [name]).removing(from: fixture.body))
            }
            #expect(error?.code == .missingField)
        }
    }

    @Test("Version 1: figures without a decimal point are major units, and this is flagged")
    func versionOne() throws {
        let fixture = try VendorFixture.named("dejavoo/v1-sale")
        let observation = try fixture.observation()
        let amounts = try #require(observation.amounts)
        #expect(
            amounts.base == Money(10_000, .usd) && amounts.tax == Money(3_200, .usd) && amounts.fee == Money(500, .usd)
        )
        #expect(observation.anomalies.first?.explanation.contains("BaseAmt.Amt 100") == true)
        guard case .authorizationApproved(let approval) = observation.events[1] else {
            Issue.record("no approval")
            return
        }
        #expect(approval.card?.maskedNumber == "3767522012" && approval.card?.lastFour == "2012")
        #expect(approval.card?.brand == "AMEX" && approval.card?.funding == "credit")
        #expect(approval.response == Response(code: "00", message: "APPROVAL AXS802"))
        #expect(approval.references.authorizationCode == "AXS802" && approval.references.invoice == "5")
        var pointed = fixture.body
        for name in ["BaseAmt", "BaseFee", "Tip", "Tax1", "Tax2"] {
            pointed = DocumentPlaces(path: [name, "Amt"]).replacing(in: pointed, with: "5.00")
        }
        let exact = try fixture.observation(of: pointed)
        #expect(exact.amounts?.total == Money(2_500, .usd))
        #expect(exact.anomalies.map(\.kind) == [.operationAssumed])
        // A void has the original's reference in the place of the amount; a sale's amount is not a reference.
        let void = DocumentPlaces(path: []).adding(
            "request",
            ["type": "VOID", "amount": "502213502779"],
            to: fixture.body
        )
        #expect(try fixture.observation(of: void).keys.first?.text == "dejavoo:rrn:544424127175/502213502779")
        let sale = DocumentPlaces(path: []).adding("request", ["type": "sale", "amount": "10.00"], to: fixture.body)
        #expect(try fixture.observation(of: sale).keys == observation.keys)
        let refund = DocumentPlaces(path: []).adding("type", "REFUND", to: fixture.body)
        #expect(
            try fixture.observation(of: refund).types == [
                "CreditRequested", "CreditApproved", "CommandAnswered", "AnomalyRaised",
            ]
        )
    }
}
