import Access
import Canonical
import Composition
import DaybookTestKit
import Foundation
import Intake
import Testing

@testable import Console

/// A payment's page, and its row in the list.
struct TransactionPageTests {
    private static let list = ConsoleView.transactions.rawValue

    /// The page of the only payment.
    private static func page(_ visitor: Browser) async throws -> String {
        let links = PageReading(try await visitor.get(list).body).links("\(list)/")
        try #require(links.count == 1, "\(links)")
        let page = try await visitor.get(links[0]).body
        #expect(Markup(page).faults.isEmpty, "\(Markup(page).faults)")
        return page
    }

    private static func sale(_ invoice: String, isTest: Bool) -> JSONValue {
        [
            "kind": "BPNPayment", "transaction": .string(invoice),
            "body": [
                "BPNPaymentRequest": [
                    "invoiceNumber": .string(invoice), "amount": "7.50", "testMode": .bool(isTest),
                    "transactionType": "TRANSACTION_TYPE_SALE", "tenderType": "TENDER_TYPE_CREDIT",
                ],
                "BridgeCommResponse": [
                    "transactionID": .string(invoice), "requestType": "004", "responseCode": "0",
                    "authorizationCode": "786986", "authorizedAmount": "$7.50",
                    "gatewayTransactionID": .string("21497\(invoice)"), "gatewayMessage": "A01 - Approved",
                    "gatewayResult": "00000", "ISOCurrencyCode": "USD", "cardType": "Visa",
                    "maskedPAN": "4***********9269",
                ],
            ],
        ]
    }

    @Test func testPaymentsAreMarkedInTheList() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor([.read])
            let mark = "<span class=\"badge caution\">test"
            try await console.take("bridgepay", Self.sale("2201", isTest: false))
            #expect(try await !visitor.get(Self.list).body.contains(mark))
            try await console.take("bridgepay", Self.sale("2202", isTest: true))
            let body = try await visitor.get(Self.list).body
            #expect(body.components(separatedBy: mark).count == 2, "\(body)")
        }
    }

    @Test func tendersAndOffersAreShown() async throws {
        try await TestConsole.serve { console in
            let token: JSONValue = "CT-70130001"
            let refused: JSONValue = [
                "kind": "SplitTenderPaymentTransactionFailureBlock", "transaction": "app-1",
                "body": [
                    "request": [
                        "checkoutToken": token, "paydiantTransactionRefId": "PDTX-70130001",
                        "accountUri": "acct:visa-1111", "amount": "47.00",
                    ],
                    "TransactionError": [
                        "code": 420, "domain": "kUserErrorPaymentProcessorDomain",
                        "localizedDescription": "Tipping is not supported at the current location.",
                    ],
                ],
            ]
            let offer: JSONValue = ["offerUri": "offer:5off25", "amount": "5.00"]
            let accepted: JSONValue = [
                "kind": "SplitTenderPaymentCompletionBlock", "transaction": "app-1",
                "body": [
                    "request": [
                        "checkoutToken": token, "paydiantTransactionRefId": "PDTX-70130001",
                        "accountUri": "acct:visa-1111", "amount": "42.00", "offers": ["offer:5off25"],
                    ],
                    "paymentTransaction": [
                        "paydiantTransactionRefId": "PDTX-70130001", "amount": "42.00",
                        "tender": "Visa ************1111", "offersApplied": [offer],
                    ],
                    "paymentStatusType": "kPDPaymentStatusTypeCompleted",
                    "splitTenderPaymentResponse": [
                        "paydiantTransactionRefId": "PDTX-70130001", "outstandingBalance": 0,
                    ],
                ],
            ]
            try await console.take("paydiant", refused)
            try await console.take("paydiant", accepted)
            let page = try await Self.page(console.visitor([.read]))
            let shown = try #require(
                PageReading(page).texts("<caption>Tenders and offers</caption>", "</tbody>").first,
                "\(page)"
            )
            for text in ["42.00 USD", "47.00 USD", "5.00 USD", "offer:5off25", "420: Tipping is not supported"] {
                #expect(shown.contains(text), "\(text): \(shown)")
            }
            #expect(shown.contains("Captured") && shown.contains("Failed"), "\(shown)")
        }
    }

    @Test func labelledPartsAreShown() async throws {
        try await TestConsole.serve { console in
            let record = #"""
                {"stream":"transaction/0198c1c2-6a00-7000-8000-000000000011","events":[
                {"schema":1,"occurredAt":"2026-03-01T12:00:00Z","type":"SaleRequested","data":{"amounts":{"total":{"value":1100,"currency":"USD"}},"references":{}}},
                {"schema":1,"occurredAt":"2026-03-01T12:00:05Z","type":"AuthorizationApproved","data":{"amounts":{"total":{"value":1100,"currency":"USD"},"base":{"value":1000,"currency":"USD"},"tax":{"value":100,"currency":"USD"},"parts":[{"kind":"tax","label":"City Tax","amount":{"value":70,"currency":"USD"}},{"kind":"tax","amount":{"value":30,"currency":"USD"}}]},"evidence":"gateway","response":{},"references":{}}}]}
                """#
            let sender = Sender(tenant: "acme", actor: "key:test", correlation: "test")
            let answers = await console.ledger.intake.events.submit(
                [Array(record.utf8)],
                allowingEvidence: true,
                sender: sender
            )
            for answer in answers { _ = try answer.get() }
            try await console.ledger.catchUp()
            let page = try await Self.page(console.visitor([.read]))
            let figures = PageReading(page).figures
            for (name, amount) in [("Tax: City Tax", "0.70 USD"), ("Tax: without a label", "0.30 USD")] {
                #expect(page.contains("<dt>\(name)</dt>") && figures.contains(amount), "\(name)")
            }
        }
    }

    @Test func anErrorHasTheRemedyOfItsVendor() async throws {
        try await TestConsole.serve { console in
            let request: JSONValue = [
                "kind": "BPNPaymentRequest", "transaction": "app-1",
                "body": [
                    "invoiceNumber": "B1801", "amount": "31.00", "transactionType": "TRANSACTION_TYPE_SALE",
                    "tenderType": "TENDER_TYPE_CREDIT",
                ],
            ]
            let error: JSONValue = [
                "kind": "NSError", "transaction": "app-1",
                "body": [
                    "domain": "com.bridgepaynetwork.PayGuardian", "code": "E1019",
                    "userInfo": ["NSLocalizedDescription": "Transaction cancelled. Device TimedOut."],
                ],
            ]
            try await console.take("bridgepay", request)
            try await console.take("bridgepay", error)
            let page = try await Self.page(console.visitor([.read]))
            #expect(page.contains("resume or cancel the card read in time"), "\(page)")
        }
    }

    @Test func aDoubtHasTheRemedyOfItsVendor() async throws {
        try await TestConsole.serve { console in
            let lost: JSONValue = [
                "kind": "responseFinanceStatus", "transaction": "app-1", "device": "1234040017",
                "body": [
                    "statusCode": 44, "status": "Response to payment request timed out",
                    "xml": [
                        "StatusMessage": "Response to payment request timed out", "TransactionType": "SALE",
                        "FinancialStatus": "FAILED", "RequestedAmount": "1650", "TotalAmount": "1650",
                        "Currency": "0826", "TransactionID": "000402", "SerialNumber": "1234040017",
                    ],
                    "authorisedAmount": 0, "transactionId": "", "customerReceipt": "", "merchantReceipt": "",
                    "request": ["command": "saleWithAmount", "amount": 1650, "currency": "GBP", "present": true],
                ],
            ]
            try await console.take("handpoint", lost)
            let visitor = try await console.visitor([.read])
            let remedy = "before charging again: call support"
            #expect(try await Self.page(visitor).contains(remedy))
            let doubts = PageReading(try await visitor.get(ConsoleView.doubts.rawValue).body)
            let link = try #require(doubts.links("\(ConsoleView.doubts.rawValue)/").first)
            #expect(try await visitor.get(link).body.contains(remedy))
        }
    }
}
