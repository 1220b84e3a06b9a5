import Canonical
import Payments
import Redaction
import Testing
import Vendors

@Suite("BridgePay")
struct BridgePayTests {
    /// A fixture with some members of its response and request replaced.
    private func changed(
        _ name: String,
        response: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:]
    ) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        var body = fixture.body
        for (key, value) in response {
            body = DocumentPlaces(path: ["BridgeCommResponse", key]).replacing(in: body, with: value)
        }
        for (key, value) in request {
            body = DocumentPlaces(path: ["BPNPaymentRequest", key]).replacing(in: body, with: value)
        }
        return try fixture.observation(of: body)
    }

    private func withoutRequest(_ name: String, response: [String: JSONValue] = [:]) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        var body = DocumentPlaces(path: ["BPNPaymentRequest"]).removing(from: fixture.body)
        for (key, value) in response {
            body = DocumentPlaces(path: ["BridgeCommResponse", key]).replacing(in: body, with: value)
        }
        return try fixture.observation(of: body)
    }

    @Test("A swiped sale: references, card and figures")
    func swipedSale() throws {
        let observation = try VendorFixture.named("bridgepay/msr-sale").observation()
        guard case .authorizationApproved(let approval) = observation.events[1] else {
            Issue.record("no approval")
            return
        }
        #expect(
            approval.references
                == References(
                    gatewayTransaction: "214973401",
                    authorizationCode: "290144",
                    retrievalReference: "MCC7754741020",
                    invoice: "8888",
                    merchant: "518564010126944",
                    gatewayAccount: "320001",
                    terminal: "PPB01."
                )
        )
        #expect(approval.evidence == .gateway)
        #expect(approval.response == Response(code: "A01", message: "A01 - Approved"))
        #expect(approval.requested == Money(550, .usd))
        #expect(approval.card?.brand == "Mastercard")
        #expect(approval.card?.maskedNumber == "5***********0608")
        #expect(approval.card?.lastFour == "0608")
        #expect(approval.card?.entryMethod == "Swipe_Read")
        #expect(approval.card?.requiresSignature == true)
        #expect(approval.card?.pinEntered == false)
        #expect(approval.card?.tokenDigest == PaymentTokenDigest.text(of: "11110000000068530608"))
        #expect(
            approval.amounts.figures == [
                Figure(field: "BridgeCommResponse.authorizedAmount", raw: "$5.50", exponent: 2),
                Figure(field: "BridgeCommResponse.originalAmount", raw: "$5.50", exponent: 2),
                Figure(field: "BPNPaymentRequest.amount", raw: "5.50", exponent: 2),
            ]
        )
        #expect(observation.identity?.account == "320001")
        #expect(observation.identity?.time == "2016-10-20 14:32:47.86")
    }

    @Test("A chip card's data comes from the response and the receipt")
    func chipCard() throws {
        let observation = try VendorFixture.named("bridgepay/sale-auth").observation()
        guard case .authorizationApproved(let approval) = observation.events[1], let card = approval.card else {
            Issue.record("no approval with a card")
            return
        }
        #expect(card.applicationIdentifier == "A0000000031010")
        #expect(card.applicationLabel == "VISA DEBIT")
        #expect(card.terminalVerificationResults == "8080008000")
        #expect(card.transactionStatusInformation == "6800")
        #expect(card.issuerApplicationData == "06010A03A00000")
        #expect(!(try observation.text()).contains("CARDHOLDER"))
    }

    @Test("A capture takes its amount and tip from the request, and fails without it")
    func capture() throws {
        let observation = try VendorFixture.named("bridgepay/capture-with-tip").observation()
        #expect(observation.amounts?.base == Money(750, .usd))
        #expect(observation.anomalies.isEmpty)
        #expect(observation.policy.tipExceedsAuthorization && observation.policy.capturesOnce)
        let error = #expect(throws: Refusal.self) { try withoutRequest("capture-with-tip") }
        #expect(error?.code == .missingMoney)
        #expect(
            try changed("capture-with-tip", response: ["gatewayMessage": "D16 - Expired", "gatewayResult": "30041"])
                .types
                == ["FollowUpRefused"]
        )
        #expect(
            try changed("capture-with-tip", response: ["gatewayMessage": .null, "gatewayResult": "20003"]).types
                == ["OutcomeUnknown", "AnomalyRaised"]
        )
    }

    @Test("Sale, authorisation and capture make one payment without anomalies")
    func wholeLife() throws {
        var history: [TransactionEvent] = []
        for name in ["sale-auth", "capture-with-tip"] {
            let observation = try VendorFixture.named("bridgepay/\(name)").observation()
            history += Lifecycle.decide(observation.events, after: history, policy: observation.policy)
        }
        let state = TransactionState(folding: history)
        #expect(state.status == .captured)
        #expect(state.anomalies.isEmpty)
        #expect(state.captured == 950)
    }

    @Test("A tip adjustment without its request is read from the two totals")
    func tipAdjustment() throws {
        let observation = try withoutRequest("tip-adjust")
        guard case .tipAdjusted(let adjustment) = observation.events.first else {
            Issue.record("no adjustment")
            return
        }
        #expect(adjustment.tip == Money(200, .usd))
        #expect(adjustment.amounts?.total == Money(700, .usd))
        #expect(adjustment.amounts?.base == Money(500, .usd))
    }

    @Test("A corrupt amount is replaced by the original one and flagged")
    func corruptAmount() throws {
        let observation = try VendorFixture.named("bridgepay/token-sale").observation()
        #expect(observation.anomalies.first?.explanation.contains("$8.F00") == true)
        #expect(
            observation.amounts?.figures?.first
                == Figure(
                    field: "BridgeCommResponse.authorizedAmount",
                    raw: "$8.F00",
                    exponent: nil
                )
        )
        let error = #expect(throws: Refusal.self) {
            try withoutRequest("health-care-sale", response: ["authorizedAmount": "-$5.00"])
        }
        #expect(error?.code == .negativeAmount)
        #expect(error?.pointer == "/BridgeCommResponse/authorizedAmount")
    }

    @Test(
        "The meaning of the codes for a sale",
        arguments: [
            ("A01 - Approved", "00000", "AuthorizationApproved"), ("A05 - Partial", "00001", "PartiallyApproved"),
            ("A05", "00000", "PartiallyApproved"), ("A60 - Offline", "00000", "AuthorizationApproved"),
            ("D01 - Denied", "30032", "Declined"), ("D09 - Duplicate", "30036", "Declined"),
            ("D30 - Call", "30072", "Declined"), ("X01 - Cancelled", "30049", "Cancelled"),
            ("E02 - Network unavailable", "30022", "OutcomeUnknown"), ("E09", "", "OutcomeUnknown"),
            ("X02 - Pending", "00000", "OutcomeUnknown"), ("", "20002", "OutcomeUnknown"),
            ("", "20003", "OutcomeUnknown"),
            ("", "20004", "OutcomeUnknown"), ("", "80001", "OutcomeUnknown"), ("", "99999", "OutcomeUnknown"),
            ("", "10001", "Failed"), ("", "30049", "Cancelled"), ("", "00000", "AuthorizationApproved"),
            // Unknown codes, and codes that contradict each other.
            ("A99x", "12345", "OutcomeUnknown"), ("Z01", "77777", "OutcomeUnknown"),
            ("A01 - Approved", "20003", "OutcomeUnknown"),
            ("A01 - Approved", "30032", "OutcomeUnknown"), ("D01 - Denied", "00000", "OutcomeUnknown"),
        ]
    )
    func saleCodes(message: String, result: String, type: String) throws {
        let observation = try changed(
            "msr-sale",
            response: ["gatewayMessage": .string(message), "gatewayResult": .string(result)]
        )
        #expect(observation.types.first == "SaleRequested")
        #expect(observation.types.dropFirst().first == type)
        #expect(observation.types.contains("Captured") == type.hasSuffix("Approved"))
    }

    @Test("Less than the requested amount is a partial approval")
    func partialApproval() throws {
        let observation = try changed("msr-sale", response: ["authorizedAmount": "$4.50"])
        guard case .partiallyApproved(let approval) = observation.events[1] else {
            Issue.record("no partial approval")
            return
        }
        #expect(approval.amounts.total == Money(450, .usd))
        #expect(approval.requested == Money(550, .usd))
    }

    @Test("The message code distinguishes a void from a refund, whatever was requested")
    func voidsAndRefunds() throws {
        let answers: [(asked: String, message: String, type: String, amount: Int64?)] = [
            ("TRANSACTION_TYPE_VOID", "A03 - Void", "Voided", nil), ("TRANSACTION_TYPE_VOID", "A06", "Voided", nil),
            ("TRANSACTION_TYPE_REFUND", "A03 - Void", "Voided", nil),
            ("TRANSACTION_TYPE_REFUND", "A02", "Refunded", 550),
            ("TRANSACTION_TYPE_REFUND", "A08", "Refunded", 550), ("TRANSACTION_TYPE_VOID", "A07", "Voided", 550),
            ("TRANSACTION_TYPE_CREDIT", "A02", "Refunded", 550),
        ]
        for answer in answers {
            let observation = try changed(
                "msr-sale",
                response: [
                    "gatewayMessage": .string(answer.message), "requestType": "012", "gatewayTransactionID": "300",
                ],
                request: ["transactionType": .string(answer.asked), "pnRefNum": "214973401"]
            )
            #expect(observation.types.first == answer.type)
            // A credit has no original.
            let isCredit = answer.asked == "TRANSACTION_TYPE_CREDIT"
            #expect(observation.anomalies.map(\.kind) == (isCredit ? [.malformedField] : []))
            #expect(
                observation.keys.map(\.text)
                    == ["bridgepay:gateway-transaction:214973401", "bridgepay:gateway-transaction:300"]
            )
            switch observation.events.first {
            case .voided(let reported), .refunded(let reported): #expect(reported.amount?.value == answer.amount)
            default: Issue.record("neither a void nor a refund")
            }
        }
        // Without an original it is a separate payment.
        let credit = try changed(
            "msr-sale",
            response: ["gatewayMessage": "A02 - Credit Posted"],
            request: ["transactionType": "TRANSACTION_TYPE_CREDIT"]
        )
        #expect(credit.types == ["CreditRequested", "CreditApproved"])
    }

    @Test("A find request resolves an unknown outcome")
    func find() throws {
        let find: [String: JSONValue] = [
            "transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION", "pnRefNum": "214973401",
        ]
        for (result, message, outcome) in [
            ("00000", "A01 - Approved", Resolution.Outcome.approved), ("800011", "", .notPosted),
            ("30032", "D01 - Denied", .declined),
        ] {
            let observation = try changed(
                "msr-sale",
                response: ["gatewayResult": .string(result), "gatewayMessage": .string(message)],
                request: find
            )
            guard case .outcomeResolved(let resolution) = observation.events.first else {
                Issue.record("no resolution for \(result)")
                continue
            }
            #expect(resolution.outcome == outcome && resolution.means == .find)
        }
        let ambiguous = try changed(
            "msr-sale",
            response: ["gatewayResult": "80003", "gatewayMessage": ""],
            request: find
        )
        #expect(ambiguous.types == ["OutcomeUnknown", "AnomalyRaised"])
    }

    @Test(
        "SDK errors: certain only if nothing can have been sent",
        arguments: [
            ("com.bridgepaynetwork.PayGuardian", 2 as JSONValue, "Failed"),
            ("com.bridgepaynetwork.PayGuardian", "6", "Cancelled"),
            ("com.bridgepaynetwork.PayGuardian", "E1020", "Cancelled"),
            ("com.bridgepaynetwork.PayGuardian", "E1007", "Failed"),
            ("com.bridgepaynetwork.PayGuardian", "E1013", "OutcomeUnknown"),
            ("com.bridgepaynetwork.PayGuardian", 77, "OutcomeUnknown"),
            ("NSURLErrorDomain", -1001, "OutcomeUnknown"), ("NSURLErrorDomain", -1009, "Failed"), ("", 2, "Failed"),
        ]
    )
    func errors(domain: String, code: JSONValue, type: String) throws {
        let fixture = try VendorFixture.named("bridgepay/cancelled-sale")
        var body = DocumentPlaces(path: ["code"]).replacing(in: fixture.body, with: code)
        body = DocumentPlaces(path: ["domain"]).replacing(in: body, with: .string(domain))
        let observation = try fixture.observation(of: body)
        #expect(Array(observation.types.prefix(2)) == ["SaleRequested", type])
        #expect(observation.verdict?.evidence == .reader)
        #expect(observation.verdict?.references.invoice == "7575")
        guard case .saleRequested(let request) = observation.events.first else { return }
        #expect(request.amounts?.total == Money(675, .usd))
        #expect(request.tender == "credit")
    }

    private static func number(_ literal: String) -> JSONValue {
        JSONNumber(literal: literal).map { .number($0) } ?? .null
    }

    @Test("Numbers and truth values are read like texts; names in any case")
    func liberalReading() throws {
        let plain = try VendorFixture.named("bridgepay/msr-sale").observation()
        let typed = try changed(
            "msr-sale",
            response: [
                "authorizedAmount": Self.number("5.5"), "originalAmount": "5.50", "gatewayTransactionID": 214_973_401,
            ],
            request: ["amount": Self.number("5.5"), "testMode": "YES"]
        )
        #expect(typed.keys == plain.keys)
        #expect(typed.amounts?.total == plain.amounts?.total)
        let fixture = try VendorFixture.named("bridgepay/sale-auth-response-only")
        var renamed = JSONObject()
        for member in fixture.body.object?.members ?? [:] { renamed[member.key.uppercased()] = member.value }
        #expect(
            try fixture.observation(of: .object(renamed)).types == ["AuthorizationRequested", "AuthorizationApproved"]
        )
    }

    @Test("Refusals name the missing field")
    func refusals() throws {
        func code(_ read: () throws -> Observation) -> Refusal.Code? {
            do {
                _ = try read()
                return nil
            } catch { return (error as? Refusal)?.code }
        }
        #expect(code { try changed("msr-sale", response: ["ISOCurrencyCode": "XQX"]) } == .unknownCurrency)
        #expect(code { try changed("msr-sale", request: ["amount": "five"]) } == .malformedMoney)
        #expect(code { try changed("msr-sale", request: ["amount": "-5.00"]) } == .negativeAmount)
        #expect(code { try changed("msr-sale", request: ["amount": "99999999999999999999"]) } == .amountTooLarge)
        #expect(
            code {
                try changed(
                    "msr-sale",
                    response: ["gatewayMessage": .null, "gatewayResult": .null, "responseCode": .null]
                )
            } == .missingField
        )
    }
}
