import Canonical
import EventLog
import Intake
import Payments
import Testing

/// Documents of one payment with the times of their senders, in every order.
@Suite("Documents that cross")
struct CrossingTests {
    /// A document that the app sent at this time of one day.
    private struct Document {
        var kind: String
        var body: JSONValue
        var time: String
    }

    private static let request: JSONValue = [
        "invoiceNumber": "8888", "amount": "137.13", "tenderType": "TENDER_TYPE_CREDIT",
        "transactionType": "TRANSACTION_TYPE_SALE", "merchantCode": "320000", "merchantAccountCode": "320001",
        "industryType": "TRANSACTION_INDUSTRY_TYPE_RETAIL",
    ]

    /// The gateway answers with a network error and prints its own local time; a query finds nothing.
    private static let unanswered = [
        Document(kind: "BPNPaymentRequest", body: request, time: "18:32:40"),
        Document(
            kind: "BPNPayment",
            body: [
                "BPNPaymentRequest": request,
                "BridgeCommResponse": [
                    "transactionID": "8888", "requestType": "004", "responseCode": "1",
                    "gatewayTransactionID": "214973401", "gatewayMessage": "E02 - Network Not Available",
                    "gatewayResult": "30022", "authorizedAmount": "$0.00", "originalAmount": "$137.13",
                    "ISOCurrencyCode": "USD", "ISOTransactionDate": "2016-10-20 14:32:47.86",
                ],
            ],
            time: "18:32:48"
        ),
        Document(
            kind: "BPNPayment",
            body: [
                "BPNFindRequest": [
                    "invoiceNumber": "8888", "merchantCode": "320000", "merchantAccountCode": "320001",
                ],
                "BridgeCommResponse": [
                    "transactionID": "8888", "requestType": "023", "responseCode": "2",
                    "responseDescription": "Transaction not found", "gatewayResult": "800011",
                ],
            ],
            time: "18:40:00"
        ),
    ]

    @Test("A query that finds nothing resolves the answer before it, whichever arrives first")
    func query() async throws {
        try await withIntake { intake, log in
            let answers = Self.unanswered.dropFirst()
            for (index, order) in Array(answers).permutations.enumerated() {
                var tenant = intake
                tenant.sender.tenant = "order-\(index)"
                var stream = ""
                for document in [Self.unanswered[0]] + order {
                    stream = try await tenant.submit(
                        "bridgepay",
                        document.kind,
                        document.body,
                        transaction: "order-8",
                        occurredAt: "2016-10-20T\(document.time)Z"
                    ).stream
                }
                let state = try await log.payment(stream, of: tenant.sender.tenant)
                #expect(state.status == .notPosted && !state.isInDoubt, "\(order.map(\.time)) \(state.anomalies)")
            }
        }
    }
}
