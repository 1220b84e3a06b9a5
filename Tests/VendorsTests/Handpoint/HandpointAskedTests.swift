import Canonical
import Payments
import Testing

@testable import Vendors

/// Voids, refunds and tips that the app asked the reader for.
@Suite("Handpoint follow-ups that were asked for")
struct HandpointAskedTests {
    private static let id: JSONValue = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"
    private static let named = DocumentContext(namesPayment: true)

    private func facts(_ observation: Observation) -> [TransactionEvent] {
        guard case .device(_, let events, _) = observation.subject else { return observation.events }
        return events.map { .device($0) }
    }

    /// The state after a sale of 10.00, and what was reported about it then.
    private func state(_ observations: Observation...) throws -> TransactionState {
        let sale = try VendorFixture.named("handpoint/finance-sale").observation()
        var history = Lifecycle.decide(sale.events, after: [], policy: sale.policy)
        for observation in observations {
            let known = TransactionState(folding: history)
            let facts = known.answer(facts(observation), ifAsked: observation.ifAsked)
            history += Lifecycle.decide(facts, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    private func command(_ kind: String, _ members: JSONObject = [:]) throws -> Observation {
        var body: JSONObject = ["amount": 1000, "currency": "GBP", "transaction": Self.id]
        for (name, value) in members.members.map({ ($0.key, $0.value) }) { body[name] = value }
        return try HandpointReading.observation(.object(body), kind: kind)
    }

    @Test(
        "A follow-up waits for its answer once its command is reported",
        arguments: [
            ("saleVoidWithAmount", FollowUp.void), ("refundWithAmount", .refund),
            ("refundVoidWithAmount", .refundVoid), ("tipAdjustment", .tipAdjustment),
        ]
    )
    func waiting(kind: String, followUp: FollowUp) throws {
        let tip = try JSONValue(parsing: "5.25".utf8)
        let asked = try command(kind, ["tipAmount": tip])
        #expect(asked.keys.map(\.value) == ["6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"])
        let state = try state(asked)
        #expect(state.unansweredFollowUps == [followUp] && state.awaitsAnswer)
    }

    @Test("An error that names no operation answers the follow-up that was asked for")
    func errors() throws {
        func error(_ status: JSONValue) throws -> Observation {
            try HandpointReading.observation(["statusCode": status], kind: "responseError", Self.named)
        }
        let cancelled = try state(command("saleVoidWithAmount"), error(0x12))
        #expect(cancelled.status == .captured && !cancelled.awaitsAnswer && cancelled.anomalies == [])
        let lost = try state(command("refundWithAmount"), error(0x2C))
        #expect(lost.anomalies == [.followUpInDoubt(.refund)] && !lost.awaitsAnswer)
    }

    @Test("The answer ends the wait, and an answer to a sale is none")
    func answers() throws {
        let void = try VendorFixture.named("handpoint/finance-void").observation()
        #expect(try !state(command("saleVoidWithAmount"), void).awaitsAnswer)
        let refused = try VendorFixture.named("handpoint/finance-void-refused").observation()
        #expect(try !state(command("saleVoidWithAmount"), refused).awaitsAnswer)
        let sale = try VendorFixture.named("handpoint/finance-sale").observation()
        #expect(try state(command("saleVoidWithAmount"), sale).unansweredFollowUps == [.void])
    }
}
