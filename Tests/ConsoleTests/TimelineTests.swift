import Canonical
import EventLog
import Payments
import Projections
import Testing

@testable import Console

/// The lanes of a timeline, and its line about each event.
@Suite struct TimelineTests {
    private static let response = Response(code: "51", message: "Insufficient funds")
    private static let amounts = Amounts(total: Money(1340, .usd))
    private static let document = DocumentReceived(
        vendor: .bridgepay,
        kind: "BPNPayment",
        document: .null,
        redactions: [RedactionNote(path: "/a", rule: "pan", action: "masked")]
    )

    private static let dispute = DisputeReport(
        chargeback: "k1",
        reasonCode: "10.4",
        respondBy: "2026-03-31",
        reason: "as reported",
        at: Timestamp(microsecondsSince1970: 1)
    )

    private static let samples: [(TransactionEvent, String?, String)] = [
        (.documentReceived(document), "BridgePay, BPNPayment, 1 redaction", "reader"),
        (.saleRequested(PaymentRequest(amounts: amounts, references: References())), "13.40 USD", "reader"),
        (.declined(Verdict(evidence: .reader, response: response)), "51, Insufficient funds", "reader"),
        (.declined(Verdict(evidence: .settlement, response: Response())), nil, "gateway"),
        (
            .captured(Capture(id: "1", amounts: amounts, evidence: .gateway, response: response)),
            "13.40 USD, 51, Insufficient funds", "gateway"
        ),
        (.device(DeviceEvent(.cardPresented, DeviceReport(response: response))), "51, Insufficient funds", "reader"),
        (.receiptIssued(ReceiptIssue(copy: .customer, reason: "torn")), "torn", "gateway"),
        (.dispute(DisputeEvent(.described, dispute)), "10.4, 2026-03-31, as reported", "gateway"),
        (.anomalyRaised(Anomaly(.keysDisagree, "two payments")), "keys-disagree, two payments", "state"),
    ]

    @Test(arguments: samples) func anEventHasItsLineAndLane(
        _ event: TransactionEvent,
        _ line: String?,
        _ lane: String
    ) throws {
        let members = try #require(try Self.members(event.type, event.data().text))
        #expect(members["detail"] == .given(line) && members["lane"] == .text(lane))
        #expect(EventSummary(event).line == line)
    }

    @Test func anEventOfALaterBuildHasNoDetail() throws {
        let members = try #require(try Self.members("Teleported", #"{"amount":{"value":1,"currency":"USD"}}"#))
        #expect(members["detail"] == .given(nil as String?) && members["title"] == .text("Teleported"))
    }

    /// The members of a timeline's only entry.
    private static func members(_ type: String, _ data: String) throws -> [String: PageValue]? {
        let event = RecordedEvent(
            position: 7,
            id: UUID128(high: 1, low: 2),
            tenant: "acme",
            stream: "transaction/00000000-0000-8000-8000-000000000001",
            version: 1,
            type: type,
            schema: 1,
            occurredAt: Timestamp(microsecondsSince1970: 1),
            recordedAt: Timestamp(microsecondsSince1970: 2),
            actor: "key:till",
            correlation: "r-1",
            causation: nil,
            data: data
        )
        guard case .list(let entries) = Timeline([event], in: .utc).value, case .object(let members)? = entries.first
        else { return nil }
        return members
    }
}
