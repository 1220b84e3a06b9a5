import Canonical
import Payments
import Testing

@testable import Vendors

/// Complete lives of payments, as the SDK reports them.
@Suite("Handpoint payments")
struct HandpointPaymentTests {
    private func fixture(_ name: String) throws -> Observation {
        try VendorFixture.named("handpoint/\(name)").observation()
    }

    /// The result of intake for documents about one payment.
    private func fold(_ observations: [Observation]) -> TransactionState {
        var history: [TransactionEvent] = []
        for observation in observations {
            let facts: [TransactionEvent]
            switch observation.subject {
            case .transaction(let events): facts = events
            case .device(_, let events, let anomalies):
                facts = events.map { .device($0) } + anomalies.map { .anomalyRaised($0) }
            default: facts = []
            }
            history += Lifecycle.decide(facts, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    private func fold(_ names: String...) throws -> TransactionState { fold(try names.map(fixture)) }

    @Test("A sale from the request to the receipt")
    func sale() throws {
        let state = try fold("sale-simple", "status-waiting-card", "status-pin", "status-xml-text", "finance-sale")
        #expect(state.status == .captured && state.captured == 1000 && state.currency == .gbp)
        #expect(state.anomalies == [])
        #expect(state.references.gatewayTransaction == "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e")
        #expect(state.references.vendorTransaction == "9268" && state.references.authorizationCode == "05354")
        #expect(state.card?.brand == "MASTERCARD" && state.card?.entryMethod == "ICC")
        #expect(state.card?.pinEntered == true && state.card?.requiresSignature == false)
    }

    @Test("APPROVED and AUTHORISED are equivalent")
    func approvedWords() throws {
        for word in ["APPROVED", "AUTHORISED", "authorised"] {
            let fixture = try VendorFixture.named("handpoint/finance-sale")
            let body = DocumentPlaces(path: ["xml", "FinancialStatus"]).replacing(in: fixture.body, with: .string(word))
            #expect(fold([try fixture.observation(of: body)]).status == .captured)
        }
        let batched = try fixture("finance-sale-approved-word")
        guard case .captured(let capture) = batched.events[2] else {
            Issue.record("no capture")
            return
        }
        #expect(capture.batch == BatchReference(vendor: .handpoint, account: "123400123", number: "8"))
        #expect(capture.references.invoice == "45678135")
    }

    @Test("A tip entered at the reader is added to the requested amount and breaks no invariant")
    func tip() throws {
        let state = try fold("sale-simple", "finance-sale-with-tip")
        #expect(state.status == .captured && state.captured == 1100 && state.tips == 100)
        #expect(state.authorization.requested == 1000 && state.anomalies == [])
    }

    @Test("More than the requested amount and the tip is an anomaly")
    func excess() throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale-with-tip")
        var body = DocumentPlaces(path: ["xml", "TotalAmount"]).replacing(in: fixture.body, with: "1500")
        body = DocumentPlaces(path: ["authorisedAmount"]).replacing(in: body, with: 1500)
        let state = fold([try fixture.observation(of: body)])
        #expect(Set(state.anomalies.map(\.kind)) == [.approvalExceedsRequest, .amountsDoNotAddUp])
    }

    @Test("A partial approval leaves the rest due")
    func partial() throws {
        let state = try fold("finance-sale-partial")
        #expect(state.status == .partiallyApproved && state.captured == 600 && state.due == 400)
        #expect(state.anomalies == [])
    }

    @Test("Declined, cancelled and failed end without money")
    func denials() throws {
        #expect(try fold("finance-sale-declined").status == .declined)
        // The simulator prints DECLINED as the message of a cancellation, and the cancellation's status as the result's
        // number.
        #expect(try fold("finance-sale-cancelled").status == .cancelled)
        #expect(try fold("finance-signature-invalid").status == .cancelled)
        let state = try fold("sale-simple", "request-signature", "cancel-signature", "finance-signature-invalid")
        #expect(state.status == .cancelled && state.captured == 0)
    }

    @Test("If the vendor requires verification the outcome is unknown, for every result but an approval")
    func inDoubt() throws {
        #expect(try fold("finance-sale-send-error").status == .inDoubt)
        #expect(try fold("finance-sale-undefined").status == .inDoubt)
        #expect(try fixture("finance-sale-undefined").keys.isEmpty)
        for status in ["DECLINED", "CANCELLED", "FAILED", "UNDEFINED", "PROCESSED", "IN_PROGRESS"] {
            for code: JSONValue in [8, 9, 43, 44] {
                let fixture = try VendorFixture.named("handpoint/finance-sale-send-error")
                var body = DocumentPlaces(path: ["xml", "FinancialStatus"]).replacing(
                    in: fixture.body,
                    with: .string(status)
                )
                body = DocumentPlaces(path: ["statusCode"]).replacing(in: body, with: code)
                #expect(try fixture.observation(of: body).types[1] == "OutcomeUnknown", "\(status) \(code)")
            }
        }
    }

    @Test("An approval contradicted by another field means an unknown outcome")
    func contradictions() throws {
        let state = try fold("finance-card-cancelled")
        #expect(state.status == .inDoubt && state.captured == 0)
        #expect(state.anomalies.map(\.kind) == [.reversalDue])
        for (path, value, kind): ([String], JSONValue, Anomaly.Kind) in [
            (["financialResult"], 2, .conflictingOutcome), (["statusCode"], 9, .conflictingOutcome),
            (["statusCode"], 14, .reversalDue), (["arc"], "0051", .conflictingOutcome),
        ] {
            let fixture = try VendorFixture.named("handpoint/finance-sale")
            let places = DocumentPlaces(path: Array(path.dropLast()))
            let body = places.adding(path.last ?? "", value, to: fixture.body)
            let observation = try fixture.observation(of: body)
            #expect(observation.types[1] == "OutcomeUnknown")
            #expect(observation.anomalies.map(\.kind) == [kind], "\(path)")
        }
    }

    @Test("The issuer's code has two digits or four", arguments: ["00", "0000", "08", "0008"])
    func issuerCode(code: String) throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale")
        let body = DocumentPlaces(path: ["xml"]).adding("arc", .string(code), to: fixture.body)
        #expect(try fixture.observation(of: body).types[1] == "AuthorizationApproved")
    }

    @Test(
        "EFTTimestamp has three forms",
        arguments: [
            ("20141212094555", "2014-12-12T09:45:55"), ("20141212094555123", "2014-12-12T09:45:55.123000"),
            ("1418377555123", "2014-12-12T09:45:55.123000Z"),
        ]
    )
    func timestamps(text: String, time: String) throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale")
        let place = DocumentPlaces(path: ["xml", "EFTTimestamp"])
        for value: JSONValue in [.string(text), JSONNumber(literal: text).map { .number($0) } ?? .null] {
            let body = place.replacing(in: fixture.body, with: value)
            #expect(try fixture.observation(of: body).occurredAt?.description == time)
        }
        let garbled = try fixture.observation(of: place.replacing(in: fixture.body, with: "yesterday"))
        #expect(garbled.occurredAt == nil && garbled.anomalies.map(\.kind) == [.malformedField])
    }

    @Test("A void reverses the whole sale, without amount and currency, in either order")
    func void() throws {
        let state = try fold("finance-sale", "sale-void", "finance-void")
        #expect(state.status == .voided && state.captured == 0 && state.anomalies == [])
        let early = try fold("finance-void", "finance-sale")
        #expect(early.status == .voided && early.captured == 0 && early.anomalies == [])
        #expect(try fold("finance-sale", "finance-void-refused").status == .captured)
        let doubtful = try fold("finance-sale", "finance-void-in-doubt")
        #expect(doubtful.status == .captured && doubtful.isInDoubt)
        #expect(try fold("finance-sale", "finance-void-in-doubt", "finance-void").status == .voided)
        #expect(try fold("finance-sale", "finance-sale-cancellation").captured == 0)
    }

    @Test("A refund is standalone, or belongs to the sale it names; either can be voided")
    func refunds() throws {
        let credit = try fold("refund-simple", "finance-refund")
        #expect(credit.status == .credited && credit.credited == 1000 && credit.anomalies == [])
        #expect(try fold("finance-refund", "refund-void", "finance-refund-void").credited == 0)
        #expect(try fold("finance-refund-void", "finance-refund").credited == 0)
        #expect(try fold("finance-refund", "finance-refund-cancellation").status == .voided)
        let linked = try fold("finance-sale", "finance-refund-linked")
        #expect(linked.status == .partiallyRefunded && linked.refunded == 400 && linked.anomalies == [])
        let undone = try fold("finance-sale", "finance-refund-linked", "finance-refund-void")
        #expect(undone.status == .captured && undone.refunded == 0 && undone.anomalies == [])
    }

    @Test("A reported void of a refund resolves the doubt about it", arguments: ["VOID_REFUND", "CANCEL_REFUND"])
    func refundVoidInDoubt(type: String) throws {
        let fixture = try VendorFixture.named("handpoint/finance-refund-void")
        func body(_ status: JSONValue) -> JSONValue {
            let typed = DocumentPlaces(path: ["xml", "TransactionType"])
                .replacing(in: fixture.body, with: .string(type))
            return DocumentPlaces(path: ["statusCode"]).replacing(in: typed, with: status)
        }
        let undecided = DocumentPlaces(path: ["xml", "FinancialStatus"]).replacing(in: body(0x2C), with: "UNDEFINED")
        let doubt = try fixture.observation(of: DocumentPlaces(path: ["financialResult"]).removing(from: undecided))
        let reported = try fixture.observation(of: body(1))
        for payment in [
            [try self.fixture("finance-refund")], try ["finance-sale", "finance-refund-linked"].map(self.fixture),
        ] {
            #expect(fold(payment + [doubt]).isInDoubt)
            for steps in [[doubt, reported], [reported, doubt]] {
                let state = fold(payment + steps)
                #expect(!state.isInDoubt && state.anomalies == [], "\(state.anomalies.map(\.explanation))")
            }
        }
    }

    @Test("An error about a captured payment leaves a doubt, until the void is reported or recovered")
    func errorAfterSale() throws {
        let sale = try fixture("finance-sale")
        let error = try HandpointReading.observation(
            ["statusCode": 0x2C, "EFTTransactionID": .string(try #require(sale.keys.first).value)],
            kind: "responseError",
            DocumentContext(occurredAt: Timestamp(rfc3339: "2014-12-12T09:46:55Z"))
        )
        #expect(error.types.first == "OutcomeUnknown" && error.keys == sale.keys)
        let doubtful = fold([sale, error])
        #expect(doubtful.status == .captured && doubtful.anomalies == [.followUpInDoubt(.anyFollowUp)])
        let void = try VendorFixture.named("handpoint/finance-void")
        #expect(!fold([sale, error, try void.observation()]).isInDoubt)
        #expect(!fold([sale, try void.observation(), error]).isInDoubt)
        // A recovered refusal proves that nothing was done.
        let refused = try VendorFixture.named("handpoint/finance-void-refused")
        let recovered = DocumentPlaces(path: ["xml"]).adding("RecoveredTransaction", "true", to: refused.body)
        #expect(fold([sale, error, try refused.observation()]).isInDoubt)
        #expect(!fold([sale, error, try refused.observation(of: recovered)]).isInDoubt)
        // An error before the sale, by the reader's clock, is about the sale.
        let early = try HandpointReading.observation(
            ["statusCode": 0x2C, "EFTTimestamp": "20141212094554"],
            kind: "responseError",
            DocumentContext(namesPayment: true)
        )
        #expect(fold([sale, early]).anomalies == [] && fold([early, sale]).anomalies == [])
    }

    @Test("The tip of a tip adjustment is a decimal figure and not a sale")
    func tipAdjustment() throws {
        let sale = try fixture("finance-sale")
        let id = JSONValue.string(try #require(sale.keys.first).value)
        func answer(_ tip: JSONValue, _ status: String = "AUTHORISED", code: JSONValue = 1) throws -> Observation {
            try HandpointReading.observation(
                [
                    "statusCode": code, "xml": ["FinancialStatus": .string(status)],
                    "request": [
                        "command": "tipAdjustment", "tipAmount": tip, "currency": "GBP", "originalTransactionID": id,
                    ],
                ],
                kind: "responseFinanceStatus"
            )
        }
        let tip = try JSONValue(parsing: "5.25".utf8)
        for tip: JSONValue in [tip, "5.25", "$5.25"] {
            let reported = try answer(tip)
            #expect(reported.types.first == "TipAdjusted" && reported.keys == sale.keys)
            let state = fold([sale, reported])
            #expect(state.captured == 1_525 && state.tips == 525 && state.anomalies == [])
        }
        // The last one wins; whole pounds are pounds.
        #expect(fold([sale, try answer(tip), try answer(3)]).captured == 1_300)
        #expect(try answer(tip, "DECLINED").types == ["FollowUpRefused", "CommandAnswered"])
        let doubt = try answer(tip, "UNDEFINED", code: 0x2C)
        #expect(fold([sale, doubt]).anomalies == [.followUpInDoubt(.tipAdjustment)])
        #expect(fold([sale, doubt, try answer(tip)]).anomalies == [])
        for tip: JSONValue in [.null, "5,25", "-1.00", "5.255"] {
            #expect(throws: Refusal.self, "\(tip)") { try answer(tip) }
            #expect(throws: Refusal.self, "\(tip)") {
                try HandpointReading.observation(["transaction": id, "tipAmount": tip], kind: "tipAdjustment")
            }
        }
    }

    @Test("A void or linked refund known only by its message belongs to the payment it names")
    func followUpsByMessage() throws {
        let sale = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"
        for (message, types) in [("REVERSAL ACCEPTED", ["Voided"]), ("REFUND ACCEPTED", ["Refunded"])] {
            for type: JSONValue in [.null, "UNDEFINED"] {
                let reported = try HandpointReading.observation(
                    [
                        "statusCode": 1,
                        "xml": [
                            "StatusMessage": .string(message), "FinancialStatus": "AUTHORISED", "TransactionType": type,
                            "EFTTransactionID": "11111111-0000-0000-0000-000000000001",
                            "OriginalEFTTransactionID": .string(sale), "TotalAmount": "400", "RequestedAmount": "400",
                            "Currency": "0826",
                        ],
                    ],
                    kind: "responseFinanceStatus"
                )
                #expect(reported.types == types + ["CommandAnswered"], "\(message)")
                #expect(reported.keys.first?.value == sale)
            }
        }
    }

    @Test("A result reported again counts once: by the EFT reference, in any form")
    func repeats() throws {
        let state = try fold("finance-sale", "finance-sale-flat", "recovered-sale", "finance-sale")
        #expect(state.captured == 1000 && state.anomalies == [])
        #expect(try fixture("finance-sale").keys == fixture("finance-sale-flat").keys)
    }

    // MARK: Recovery

    @Test("A sale with a lost answer is resolved by the reader's stored result")
    func recovery() throws {
        let lost = try HandpointReading.observation(
            ["status": "Timeout on finance request"],
            kind: "responseError",
            DocumentContext(namesPayment: true)
        )
        let waiting = fold([try fixture("sale-simple"), lost])
        #expect(waiting.status == .inDoubt)
        let state = fold([try fixture("sale-simple"), lost, try fixture("recovered-sale")])
        #expect(state.status == .captured && state.captured == 1000 && state.anomalies == [])
        let declined = fold([try fixture("sale-simple"), lost, try fixture("recovered-declined")])
        #expect(declined.status == .declined && declined.anomalies == [])
    }

    @Test("A recovered cancellation or failure proves that nothing was posted")
    func recoveredWithoutMoney() throws {
        for (status, code) in [("CANCELLED", 18), ("FAILED", 15)] as [(String, JSONValue)] {
            let fixture = try VendorFixture.named("handpoint/recovered-declined")
            var body = DocumentPlaces(path: ["xml", "FinancialStatus"]).replacing(
                in: fixture.body,
                with: .string(status)
            )
            body = DocumentPlaces(path: ["statusCode"]).replacing(in: body, with: code)
            body = DocumentPlaces(path: ["financialResult"]).removing(from: body)
            let state = fold([try self.fixture("finance-sale-undefined"), try fixture.observation(of: body)])
            #expect(state.status == .notPosted, "\(status)")
        }
    }

    @Test("A recovery with nothing pending fails no sale")
    func nothingPending() throws {
        for name in ["recovered-nothing", "recovered-nothing-pending"] {
            let empty = try fixture(name)
            guard case .device = empty.subject else {
                Issue.record("\(name) is about a payment")
                continue
            }
            for sale in ["finance-sale", "sale-simple", "finance-sale-undefined", "finance-sale-declined"] {
                let before = try fixture(sale)
                #expect(fold([before, empty]).status == fold([before]).status, "\(sale)")
                #expect(fold([before, empty]).anomalies == fold([before]).anomalies)
            }
        }
    }

    @Test("A recovered void resolves the doubt about it")
    func recoveredVoid() throws {
        let fixture = try VendorFixture.named("handpoint/finance-void")
        let body = DocumentPlaces(path: ["xml"]).adding("RecoveredTransaction", "true", to: fixture.body)
        let recovered = try fixture.observation(of: body)
        let sale = try self.fixture("finance-sale")
        let state = fold([sale, try self.fixture("finance-void-in-doubt"), recovered])
        #expect(state.status == .voided && !state.isInDoubt && state.anomalies == [])
    }

    // MARK: Amounts

    @Test("Amounts are minor units; an unreadable amount refuses an approval and is flagged in a refusal")
    func money() throws {
        func refusal(_ name: String, _ path: [String], _ value: JSONValue) throws -> Refusal.Code? {
            let fixture = try VendorFixture.named("handpoint/\(name)")
            do {
                _ = try fixture.observation(of: DocumentPlaces(path: path).replacing(in: fixture.body, with: value))
                return nil
            } catch { return (error as? Refusal)?.code }
        }
        #expect(try refusal("finance-sale", ["xml", "TotalAmount"], "10.00") == .malformedMoney)
        #expect(try refusal("finance-sale", ["xml", "TotalAmount"], "-1000") == .negativeAmount)
        #expect(try refusal("finance-sale", ["xml", "RequestedAmount"], "99999999999999999999") == .amountTooLarge)
        #expect(try refusal("finance-sale", ["xml", "Currency"], "XQX") == .unknownCurrency)
        #expect(try refusal("finance-sale", ["xml", "Currency"], .null) == .missingMoney)
        #expect(try refusal("sale-simple", ["amount"], .null) == .missingMoney)
        #expect(try refusal("sale-simple", ["currency"], .null) == .missingMoney)
        #expect(try refusal("sale-void", ["transaction"], .null) == .missingField)
        #expect(try refusal("finance-sale-declined", ["xml", "Currency"], "XQX") == nil)
        let fixture = try VendorFixture.named("handpoint/finance-sale-declined")
        let body = DocumentPlaces(path: ["xml", "RequestedAmount"]).replacing(in: fixture.body, with: "ten")
        #expect(try fixture.observation(of: body).anomalies.map(\.kind) == [.malformedField])
    }

    @Test("The reader's own figure takes precedence over the dictionary's")
    func authorisedAmount() throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale")
        let body = DocumentPlaces(path: ["authorisedAmount"]).replacing(in: fixture.body, with: 900)
        let observation = try fixture.observation(of: body)
        #expect(observation.amounts?.total == Money(900, .gbp))
        #expect(observation.anomalies.map(\.kind) == [.conflictingAmount])
        #expect(
            observation.amounts?.figures?.contains(Figure(field: "authorisedAmount", raw: "900", exponent: 2)) == true
        )
    }
}
