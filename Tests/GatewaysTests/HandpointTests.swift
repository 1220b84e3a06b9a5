import Canonical
import Payments
import Testing

@testable import Gateways

@Suite("Handpoint's status query") struct HandpointTests {
    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"

    private static func find(age seconds: Int64?) -> GatewayCall {
        let begun = seconds.map { Known.now.adding(microseconds: -$0 * 1_000_000) }
        return GatewayCall(.find, reference: "a1", original: OriginalPayment(reference: reference, begunAt: begun))
    }

    @Test("The request has exactly these bytes")
    func bytes() throws {
        let request = try Known.handpoint.request(for: Self.find(age: 1), at: Known.now)
        #expect(request.method == .get && request.body == nil)
        #expect(request.path == "/transactions/\(Self.reference)/status")
        #expect(request.headers == [.init("ApiKeyCloud", Known.apiKey), .init("Accept", "application/json")])
    }

    @Test("A reference cannot change the structure of the path", arguments: [nil, "", "a/../b", "a?b", "a%2Fb", "ä"])
    func path(_ reference: String?) {
        let call = GatewayCall(.find, reference: "a1", original: OriginalPayment(reference: reference))
        #expect(throws: GatewayFailure.self) { try Known.handpoint.request(for: call, at: Known.now) }
    }

    @Test("No other operation is supported")
    func support() {
        for operation in GatewayOperation.allCases {
            #expect((Known.handpoint.support(for: operation) == .supported) == (operation == .find))
        }
    }

    static let answers: [(String, age: Int64?, GatewayAnswer.Verdict, [String])] = {
        let sale =
            #","type":"SALE","totalAmount":100,"requestedAmount":100,"currency":"USD","efttransactionID":"66d94f20-efda-11ed-929c-47fffda5f9b5""#
        let recovered = ["SaleRequested", "OutcomeResolved"]
        let approved = recovered + ["AuthorizationApproved", "Captured", "CommandAnswered"]
        let declined = recovered + ["Declined", "CommandAnswered"]
        let notPosted = recovered + ["CommandAnswered"]
        let unknown = ["OutcomeUnknown"]
        return [
            (#"{"finStatus":"AUTHORISED"\#(sale)}"#, 5, .approved, approved),
            (#"{"finStatus":"APPROVED"\#(sale)}"#, 500, .approved, approved),
            (#"{"finStatus":"CAPTURED"\#(sale)}"#, 5, .approved, approved),
            (#"{"finStatus":"REFUNDED"\#(sale)}"#, 5, .approved, approved),
            (
                #"{"finStatus":"PARTIAL_APPROVAL"\#(sale)}"#, 5, .partiallyApproved,
                recovered + ["PartiallyApproved", "Captured", "CommandAnswered"]
            ),
            (#"{"finStatus":"DECLINED"\#(sale)}"#, 5, .declined, declined),
            (#"{"finStatus":"CANCELLED"\#(sale)}"#, 5, .declined, notPosted),
            (#"{"finStatus":"FAILED"\#(sale)}"#, 5, .declined, notPosted),
            (
                #"{"finStatus":"AUTHORISED","type":"PRE_AUTHORIZATION","totalAmount":100,"currency":"USD"}"#, 5,
                .approved, ["OutcomeResolved", "CommandAnswered", "AnomalyRaised"]
            ),
            (#"{"finStatus":"IN_PROGRESS"}"#, 500, .pending(untilAgeSeconds: nil), unknown),
            (#"{"finStatus":"UNDEFINED"}"#, 0, .pending(untilAgeSeconds: 90), unknown),
            (#"{"finStatus":"UNDEFINED"}"#, 89, .pending(untilAgeSeconds: 90), unknown),
            (#"{"finStatus":"UNDEFINED"}"#, -5, .pending(untilAgeSeconds: 90), unknown),
            (#"{"finStatus":"UNDEFINED"}"#, nil, .pending(untilAgeSeconds: 90), unknown),
            (#"{"finStatus":"UNDEFINED"}"#, 90, .notPosted, ["OutcomeResolved"]),
            (#"{"finStatus":"UNDEFINED","efttransactionID":""}"#, 3_600, .notPosted, ["OutcomeResolved"]),
            // The transaction exists, whatever its status.
            (#"{"finStatus":"UNDEFINED"\#(sale)}"#, 3_600, .unknown, unknown),
            (#"{"finStatus":"PROCESSED"}"#, 5, .unknown, unknown),
            (#"{"finStatus":"SOMETHING"}"#, 500, .unknown, unknown),
        ]
    }()

    @Test("The meaning of the statuses", arguments: answers)
    func verdicts(_ text: String, _ age: Int64?, _ verdict: GatewayAnswer.Verdict, _ types: [String]) throws {
        let answer = try Known.handpoint.answer(Answers.json(text), to: Self.find(age: age), at: Known.now)
        #expect(answer.verdict == verdict)
        #expect(try answer.document?.eventTypes() == types)
    }

    @Test("An answer about another transaction is rejected")
    func another() {
        let text = #"{"finStatus":"AUTHORISED","transactionReference":"00000000-a95b-49c1-b6fe-b3f102305a76"}"#
        #expect { try Known.handpoint.answer(Answers.json(text), to: Self.find(age: 5), at: Known.now) } throws: {
            ($0 as? GatewayFailure)?.code == .otherAnswer
        }
    }
}
