import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing
import Vendors

@testable import Intake

/// A Handpoint payment as its app posts it: under the app's reference until the gateway has named it.
@Suite("Handpoint intake")
struct HandpointIntakeTests {
    private static let sender = Sender(tenant: "acme", actor: "key:1", correlation: "c")
    private static let sale = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"

    private static let records = [
        #"{"kind":"saleWithAmount","transaction":"order-1","body":{"amount":9003,"currency":"GBP","cardholder":true}}"#,
        #"{"kind":"responseStatus","transaction":"order-1","body":{"statusCode":20,"xml":{"SerialNumber":"0123"}}}"#,
        #"{"kind":"responseError","transaction":"order-1","body":{"status":"Timeout on finance request"}}"#,
        // No transaction is pending yet, which proves nothing about the payment.
        #"{"kind":"responseRecoveredTransactionStatus","transaction":"order-1","body":{}}"#,
        #"""
        {"kind":"responseRecoveredTransactionStatus","transaction":"order-1","body":{"statusCode":1,"status":"AUTHORISED",
        "authorisedAmount":9003,"xml":{"TransactionType":"SALE","FinancialStatus":"AUTHORISED","TotalAmount":"9003",
        "RequestedAmount":"9003","Currency":"826","EFTTransactionID":"\#(sale)","RecoveredTransaction":"true"}}}
        """#,
        // The app has lost its reference; the gateway's reference leads to the payment.
        #"{"kind":"saleVoidWithAmount","body":{"amount":9003,"currency":"GBP","transaction":"\#(sale)"}}"#,
        #"""
        {"kind":"responseFinanceStatus","body":{"statusCode":1,"xml":{"TransactionType":"VOID_SALE",
        "FinancialStatus":"AUTHORISED","OriginalEFTTransactionID":"\#(sale)","SerialNumber":"123"}}}
        """#,
        #"{"kind":"responseError","body":{"status":"Connection broken","xml":{"SerialNumber":"0123"}}}"#,
    ]

    @Test("A sale whose answer was lost is in doubt, then recovered, then voided")
    func recovery() async throws {
        try await TestLog.with { log in
            let intake = DocumentIntake(adapters: [HandpointAdapter()], recorder: log.recorder())
            let results = await intake.submit(
                Self.records.map { Array($0.utf8) },
                limit: 1 << 20,
                vendor: "handpoint",
                sender: Self.sender
            )
            let answers = try results.map { try $0.get() }
            let payment = answers[0].stream
            let streams = Set(answers[..<7].map(\.stream))
            let types = answers.map { answer in answer.types.filter { $0 != "DocumentReceived" } }
            let anomalies = answers.flatMap(\.anomalies)
            let expected = [
                ["SaleRequested", "CommandSent"], ["CardRequested"], ["OutcomeUnknown", "ReaderErrorReported"],
                ["CommandAnswered"],
                ["SaleRequested", "OutcomeResolved", "AuthorizationApproved", "Captured", "CommandAnswered"],
                ["CommandSent"], ["Voided", "CommandAnswered"], ["ReaderErrorReported"],
            ]
            #expect(payment.hasPrefix("transaction/"))
            #expect(streams == [payment])
            #expect(types == expected)
            #expect(anomalies == [])
            // No payment was named, so the reader's problem is recorded on the reader.
            #expect(answers[7].stream == "reader/handpoint/123")
        }
    }

    @Test("One reader in all spellings of its number, and two equal reports distinguished by the sender's keys")
    func reports() async throws {
        try await TestLog.with { log in
            let intake = DocumentIntake(adapters: [HandpointAdapter()], recorder: log.recorder())
            let status = #""kind":"responseStatus","device":"0012345","body":{"statusCode":20}"#
            var answers: [IntakeAnswer] = []
            for key in ["", #","idempotencyKey":"a""#, #","idempotencyKey":"b""#, #","idempotencyKey":"b""#] {
                answers.append(try await Self.submit("{\(status)\(key)}", to: intake))
            }
            #expect(Set(answers.map(\.stream)) == ["reader/handpoint/12345"])
            #expect(answers.map(\.isDuplicate) == [false, false, false, true])
            #expect(answers[3].positions == answers[2].positions)
            let sale = #"{"kind":"saleWithAmount","device":"12345","body":{"amount":9003,"currency":"GBP"}}"#
            let asked = try await Self.submit(sale, to: intake)
            #expect(asked.stream == "reader/handpoint/12345")
        }
    }

    private static func submit(_ record: String, to intake: DocumentIntake) async throws -> IntakeAnswer {
        let results = await intake.submit([Array(record.utf8)], limit: 1 << 20, vendor: "handpoint", sender: sender)
        return try #require(results.first).get()
    }
}
