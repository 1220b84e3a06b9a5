import Canonical
import Payments
import Testing

@testable import Vendors

/// What a payment's documents state beside its amounts, and what voids must repeat.
@Suite("Handpoint terms")
struct HandpointTermsTests {
    private func sale(_ xml: JSONObject = [:], _ members: JSONObject = [:]) throws -> Observation {
        var dictionary: JSONObject = [
            "TransactionType": "SALE", "FinancialStatus": "APPROVED", "RequestedAmount": "1000", "TotalAmount": "1000",
            "Currency": "0826", "EFTTransactionID": "aa01f0b0-1500-11f1-8c3d-a1b2c3d4e502",
            "EFTTimestamp": "20260301235958", "SerialNumber": "123",
        ]
        for (name, value) in xml.members.map({ ($0.key, $0.value) }) { dictionary[name] = value }
        var body: JSONObject = ["statusCode": 1, "xml": .object(dictionary)]
        for (name, value) in members.members.map({ ($0.key, $0.value) }) { body[name] = value }
        return try HandpointReading.observation(.object(body), kind: "responseFinanceStatus")
    }

    private static let present: JSONObject = [
        "request": ["command": "saleWithAmount", "amount": 1000, "currency": "GBP", "present": true]
    ]

    private func void(_ request: JSONObject, at time: JSONValue) throws -> Observation {
        let xml: JSONObject = [
            "TransactionType": "VOID_SALE", "EFTTransactionID": "aa7c2d40-1500-11f1-8c3d-a1b2c3d4e503",
            "OriginalEFTTransactionID": "aa01f0b0-1500-11f1-8c3d-a1b2c3d4e502", "EFTTimestamp": time,
        ]
        return try sale(xml, ["request": .object(request)])
    }

    private func fold(_ observations: Observation...) -> TransactionState {
        var history: [TransactionEvent] = []
        for observation in observations {
            history += Lifecycle.decide(observation.events, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    private static let same: JSONObject = [
        "command": "saleVoidWithAmount", "amount": 1000, "currency": "GBP", "present": true,
    ]

    @Test("A void that repeats its payment, on the same day, is no contradiction")
    func voids() throws {
        let state = try fold(sale([:], Self.present), void(Self.same, at: "20260301235959"))
        #expect(state.status == .voided && state.anomalies == [])
    }

    @Test("A void with another amount, currency or cardholder, or on another day, is flagged and counts")
    func breaches() throws {
        func kinds(_ name: String?, _ value: JSONValue, at time: JSONValue = "20260301235959") throws -> [Anomaly.Kind]
        {
            var request = Self.same
            if let name { request[name] = value }
            let state = try fold(sale([:], Self.present), void(request, at: time))
            #expect(state.status == .voided)
            return state.anomalies.map(\.kind)
        }
        #expect(try kinds("amount", 900) == [.conflictingAmount])
        #expect(try kinds("present", false) == [.voidNotAllowed])
        #expect(try kinds(nil, .null, at: "20260302000211") == [.voidNotAllowed])
    }

    @Test("A void is judged by its recorded request too, before or after the answer")
    func recordedRequests() throws {
        func kinds(_ name: String, _ value: JSONValue, isLate: Bool) throws -> [Anomaly.Kind] {
            var request = Self.same
            request[name] = value
            request["transaction"] = "aa01f0b0-1500-11f1-8c3d-a1b2c3d4e502"
            let asked = try HandpointReading.observation(.object(request), kind: "saleVoidWithAmount")
            let command = asked.deviceReports.map { TransactionEvent.device($0) }
            let answer = try void([:], at: "20260301235959").events
            var history: [TransactionEvent] = []
            let reported = try sale([:], Self.present)
            for facts in [reported.events] + (isLate ? [answer, command] : [command, answer]) {
                history += Lifecycle.decide(facts, after: history, policy: reported.policy)
            }
            let state = TransactionState(folding: history)
            #expect(state.status == .voided)
            return state.anomalies.map(\.kind)
        }
        for isLate in [false, true] {
            #expect(try kinds("amount", 1000, isLate: isLate) == [])
            #expect(try kinds("amount", 900, isLate: isLate) == [.conflictingAmount])
            #expect(try kinds("currency", "EUR", isLate: isLate) == [.currencyMismatch])
            #expect(try kinds("present", false, isLate: isLate) == [.voidNotAllowed])
        }
    }

    @Test("Presence and months are facts of the payment")
    func terms() throws {
        let request: JSONObject = [
            "request": [
                "command": "saleWithAmount", "amount": 1000, "currency": "GBP", "present": "NO", "months": "06",
            ]
        ]
        let state = try fold(sale([:], request))
        #expect(state.identity.terms == PaymentTerms(isCardholderPresent: false, budgetMonths: 6))
        let asked = try VendorFixture.named("handpoint/sale-budget").observation()
        #expect(fold(asked).identity.terms == PaymentTerms(isCardholderPresent: true, budgetMonths: 6))
        // Seven months are not offered; the figure stays with the command.
        let odd: JSONValue = ["amount": 1, "currency": "ZAR", "months": 7]
        let reported = try HandpointReading.observation(
            odd,
            kind: "saleWithAmount",
            DocumentContext(namesPayment: true)
        )
        #expect(fold(reported).identity.terms == nil && reported.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test("A failed verification, one that was not required, and an unknown one are three")
    func verification() throws {
        let methods: [(JSONValue, CardPresentation.Verification?)] = [
            ("FAILED", .failed), ("NOT_REQUIRED", .notRequired), ("UNDEFINED", nil), ("PIN", nil),
        ]
        for (method, expected) in methods {
            #expect(try fold(sale(["CVM": method, "CardSchemeName": "VISA"])).card?.verification == expected)
        }
    }

    @Test("A blocked card is refused by the card, and a merchant's refusal of the signature is no decline")
    func refusals() throws {
        let blocked = try sale(["FinancialStatus": "DECLINED"], ["statusCode": 0x28])
        #expect(blocked.verdict?.evidence == .reader && fold(blocked).status == .declined)
        let byIssuer = try sale(["FinancialStatus": "DECLINED"])
        #expect(byIssuer.verdict?.evidence == .gateway)
        let signature = try sale(["FinancialStatus": "DECLINED"], ["statusCode": 0x13])
        #expect(fold(signature).status == .cancelled && signature.verdict?.evidence == .reader)
    }

    @Test("An authorised amount of request and gratuity keeps both, whatever the total says")
    func gratuity() throws {
        let amounts: JSONObject = ["RequestedAmount": "4000", "GratuityAmount": "500", "TotalAmount": "4600"]
        let state = try fold(sale(amounts, ["authorisedAmount": 4500]))
        #expect(state.captured == 4500 && state.tips == 500)
        #expect(state.anomalies.map(\.kind) == [.conflictingAmount])
    }
}
