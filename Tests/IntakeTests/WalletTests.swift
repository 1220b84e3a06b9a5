import Canonical
import DaybookTestKit
import EventLog
import Payments
import Redaction
import Testing
import Vendors

@testable import Intake

/// A wallet checkout from its token to its last tender, as the documents of one evening arrive.
@Suite("Wallet checkouts")
struct WalletTests {
    private static let token = #""checkoutToken":"PDT-1""#
    private static let records = [
        #"{"kind":"ObtainCheckoutTokenCompletionBlock","body":{\#(token),"type":"kPDTransactionTypePurchase"}}"#,
        #"{"kind":"retrieveTransactionMetaData","body":{"request":{\#(token),"flowRule":"DISCOVERY"},"#
            + #""response":{"amountDue":"100.00","transactionType":"kPDTransactionTypePurchase"}}}"#,
        #"{"kind":"UpdateTransactionCompletionBlock","body":{"request":{\#(token),"flowRule":"TIP","tipAmount":"3.00"},"#
            + #""response":{"paydiantTransactionRefId":"TX-1","totalAmount":"103.00"}}}"#,
        #"{"kind":"SplitTenderPaymentCompletionBlock","body":{"request":{\#(token),"amount":"60.00"},"#
            + #""paymentTransaction":{"paydiantTransactionRefId":"TX-1","amount":"60.00","balanceDue":"43.00"},"#
            + #""paymentStatusType":"kPDPaymentStatusTypePartiallyCompleted"}}"#,
        #"{"kind":"SplitTenderPaymentTransactionFailureBlock","body":{"request":{\#(token),"amount":"43.00"},"#
            + #""transactionError":{"statusCode":405}}}"#,
        #"{"kind":"SplitTenderPaymentCompletionBlock","body":{"request":{\#(token),"amount":"43.00","tipAmount":"3.00"},"#
            + #""paymentTransaction":{"paydiantTransactionRefId":"TX-1","amount":"43.00","balanceDue":"0.00"},"#
            + #""paymentStatusType":"kPDPaymentStatusTypeCompleted"}}"#,
        #"{"kind":"ReleaseCheckoutTokenFailureBlock","body":{"request":{\#(token)},"transactionError":{"statusCode":419}}}"#,
    ]

    @Test("Documents about the payment are one payment, documents about the token are recorded beside it")
    func checkout() async throws {
        try await TestLog.with { log in
            let intake = DocumentIntake(adapters: [PaydiantAdapter()], recorder: log.recorder())
            async let gathering: Void = intake.run()
            let sender = Sender(tenant: "acme", actor: "key:1", correlation: "c")
            let bytes = Self.records.map { Array($0.utf8) }
            let results = await intake.submit(bytes, limit: 1 << 20, vendor: "paydiant", sender: sender)
            let answers = try results.map { try $0.get() }
            for record in bytes {
                #expect(try await intake.submit(record, vendor: "paydiant", sender: sender).isDuplicate)
            }
            await intake.close()
            await gathering
            let beside = "checkout/" + PaymentTokenDigest.text(of: "PDT-1")
            let payment = answers[1].stream
            #expect(payment.hasPrefix("transaction/"))
            #expect(answers.map(\.stream) == [beside, payment, beside, payment, payment, payment, beside])
            #expect(
                answers.map { $0.types.dropFirst().first } == [
                    "CheckoutTokenIssued", "SaleRequested", "CheckoutUpdated", "TenderApplied", "TenderRefused",
                    "TenderApplied", "CheckoutFailed",
                ]
            )
            #expect(answers.allSatisfy { $0.anomalies.isEmpty })
        }
    }
}
