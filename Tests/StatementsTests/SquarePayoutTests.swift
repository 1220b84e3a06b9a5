import Statements
import Testing

/// Square's payouts without their entries.
@Suite struct SquarePayoutTests {
    private static let payout = """
        {"id":"po_9","status":"PAID","location_id":"L1","created_at":"2026-01-07T02:00:00Z",\
        "amount_money":{"amount":9420,"currency":"USD"},"arrival_date":"2026-01-08"}
        """

    @Test(arguments: [
        "{\"payouts\":[\(payout)]}", "{\"payout\":\(payout)}", payout, "[\(payout)]", "\(payout)\n\(payout)",
    ])
    func itIsRecognised(text: String) throws {
        #expect(StatementFormat.recognise(text.utf8) == .squarePayout)
        let reading = try Reading(.squarePayout, text)
        #expect(reading.lines.allSatisfy { $0.type == .payout && $0.net == -9420 && $0.references[.payout] == "po_9" })
        #expect(!reading.lines.isEmpty && reading.failing.isEmpty)
    }

    /// Objects of Square and of others that may contain some of the same words.
    @Test(arguments: [
        #"{"payments":[{"id":"p1","amount_money":{"amount":1,"currency":"USD"},"location_id":"L1"}]}"#,
        #"{"payouts":[{"id":"po_1","amount":1,"arrival_date":1767830400}]}"#, #"{"payouts":[]}"#,
    ])
    func othersAreNot(text: String) {
        #expect(StatementFormat.recognise(text.utf8) == nil)
    }
}
