import Canonical
import Payments
import Testing
import Vendors

@testable import Simulator

@Suite("Stand-in of BridgeComm")
struct BridgeCommGatewayTests {
    /// The adapter's table is the reference: it was written from the same page for another purpose.
    @Test("Test amounts are answered as in BridgePay's table", arguments: BridgePayTestAmount.all)
    func amounts(row: BridgePayTestAmount) {
        for cents in [row.cents.lowerBound, row.cents.upperBound] {
            var handler = TestHandler()
            let answer = handler.pay(cents)
            #expect(answer.root == "Auth")
            #expect(answer.result == row.result, "\(cents)")
            #expect(answer.code == row.messageCode ?? "Int", "\(cents)")
            guard row.messageCode?.first == "A" else { continue }
            #expect(answer["AuthorizedAmount"] == "\(cents - row.shortfall)")
            #expect(answer["RemainingAmount"] == "\(row.shortfall)")
            #expect(handler.booked(answer.id)?.captured == cents - row.shortfall)
        }
    }

    @Test("Of the errors, only E09 leaves a payment behind")
    func troubles() {
        var handler = TestHandler()
        #expect(handler.pay(14_500, invoice: "LOST").id == nil)
        #expect(handler.find(["InvoiceNum": "LOST"]).code == "A01")
        for (cents, invoice) in [(Int64(13_500), "DOWN"), (499, "BROKEN")] {
            _ = handler.pay(cents, invoice: invoice)
            #expect(handler.find(["InvoiceNum": invoice]).result == "800011")
        }
        #expect(handler.books.payments.count == 1)
    }

    @Test(
        "Credits without an original, and bank accounts",
        arguments: [
            ("credit", "", 500, "A02"), ("credit", "", 6_999, "A02"), ("credit", "", 7_000, "D01"),
            ("credit", "", 18_000, "D01"), ("sale", "C", 17_000, "C01"), ("sale", "C", 18_199, "C06"),
            ("sale", "S", 600, "A01"),
        ]
    )
    func others(type: String, account: String, cents: Int64, code: String) {
        var handler = TestHandler()
        #expect(handler.pay(cents, type, also: ["AcctType": account]).code == code)
    }

    @Test("Only test cards and tokens are accepted, and no number is kept")
    func cards() throws {
        var handler = TestHandler()
        let real = handler.pay(1_000, also: ["PaymentAccountNumber": "4012888888881881"])
        #expect(real.code == "D05")
        #expect(handler.books.payments.isEmpty)
        let token = try #require(
            handler.bridgeComm("001", ["PaymentAccountNumber": "371449635392376"])["Token"]
        )
        let paid = handler.bridgeComm("004", ["TransactionType": "sale", "Amount": "700", "Token": token])
        #expect(paid.code == "A01")
        #expect(paid["CardType"] == "American Express")
        #expect(paid["MaskedPan"] == "3**********2376")
        _ = handler.pay(800)
        for entry in handler.handler.takeAdded() {
            let line = try entry.line.text
            for number in CardSecrets.cardNumbers { #expect(!line.contains(number)) }
        }
    }

    // MARK: 012

    @Test("An unsettled payment is voided once, for a void and a refund alike", arguments: ["void", "refund"])
    func unsettled(type: String) {
        var handler = TestHandler()
        let sale = handler.pay(2_000)
        let first = handler.giveBack(type, of: sale.id)
        #expect(first.root == "VoidRefund")
        #expect(first.code == "A06")
        #expect(first.id == sale.id)
        #expect(handler.booked(sale.id)?.state == .voided)
        #expect(handler.giveBack(type, of: sale.id).result == "10042")
        #expect(handler.books.payments.count == 1)
        // An authorisation is released, not only removed from the batch.
        #expect(handler.giveBack(type, of: handler.pay(2_000, "sale-auth", invoice: "B").id).code == "A03")
    }

    @Test("A part is voided once, and nothing more until settlement")
    func partialVoid() {
        var handler = TestHandler()
        let sale = handler.pay(2_000)
        let first = handler.giveBack("refund", of: sale.id, 500)
        #expect(first.code == "A07")
        #expect(first["AuthorizedAmount"] == "500")
        #expect(handler.giveBack("void", of: sale.id).result == "10033")
        #expect(handler.giveBack("refund", of: sale.id, 100).result == "10033")
        #expect(handler.booked(sale.id)?.net == Money(1_500, .usd))
        handler.settle()
        #expect(handler.giveBack("refund", of: sale.id, 1_600).code == "D25")
        #expect(handler.giveBack("refund", of: sale.id, 1_500).code == "A08")
    }

    @Test("A settled payment is refunded until nothing is left", arguments: ["void", "refund"])
    func settled(type: String) throws {
        var handler = TestHandler()
        let sale = handler.pay(2_000)
        handler.settle()
        let first = handler.giveBack(type, of: sale.id, 700)
        #expect(first.code == "A08")
        #expect(first.id != sale.id)
        #expect(handler.booked(first.id)?.original == sale.id)
        #expect(handler.giveBack(type, of: sale.id, 1_301).code == "D25")
        #expect(handler.giveBack(type, of: sale.id).code == "A08")
        #expect(handler.giveBack(type, of: sale.id, 1).code == "D25")
        let totals = try #require(try handler.books.totals().first)
        #expect(totals.charged.value == 2_000)
        #expect(totals.returned.value == 2_000)
        #expect(totals.returns == 2)
        #expect(totals.net.isZero)
        // A refund of the whole amount is a credit.
        let other = handler.pay(3_000, invoice: "B")
        handler.settle()
        #expect(handler.giveBack(type, of: other.id).code == "A02")
    }

    @Test("A refund is voided before it is settled itself")
    func voidedRefund() {
        var handler = TestHandler()
        let sale = handler.pay(2_000)
        handler.settle()
        let refund = handler.giveBack("refund", of: sale.id, 700)
        #expect(handler.giveBack("void", of: refund.id).code == "A06")
        #expect(handler.booked(sale.id)?.remaining == 2_000)
    }

    @Test("A reversal that is not possible is refused")
    func refused() {
        var handler = TestHandler()
        #expect(handler.giveBack("void", of: nil).result == "10001")
        #expect(handler.giveBack("void", of: "999").result == "10033")
        _ = handler.pay(9_500, invoice: "NO")
        #expect(handler.giveBack("void", of: handler.find(["InvoiceNum": "NO"]).id).result == "10033")
        let sale = handler.pay(2_000)
        #expect(handler.giveBack("void", of: sale.id, 2_001).result == "30026")
        let elsewhere = handler.bridgeComm("012", ["ReferenceNumber": sale.id ?? "", "MerchantAccountCode": "4"])
        #expect(elsewhere.result == "10033")
        #expect(handler.booked(sale.id)?.state == .captured)
    }

    // MARK: Captures and tips

    @Test("A capture keeps the id, prints no amount and happens once")
    func capture() {
        var handler = TestHandler()
        let hold = handler.pay(4_000, "sale-auth")
        #expect(hold["ResponseTypeDescription"] == "auth")
        #expect(handler.booked(hold.id)?.net.isZero == true)
        let message = ["TransactionType": "capture", "ReferenceNumber": hold.id ?? ""]
        #expect(handler.bridgeComm("019", message.merging(["Amount": "4001"]) { $1 }).result == "30026")
        let capture = handler.bridgeComm("019", message.merging(["Amount": "4600", "TipAmount": "600"]) { $1 })
        #expect(capture.root == "Capture")
        #expect(capture.code == "A01")
        #expect(capture.id == hold.id)
        #expect(capture["AuthorizedAmount"] == "0")
        #expect(handler.booked(hold.id)?.captured == 4_600)
        #expect(handler.booked(hold.id)?.tip == 600)
        #expect(handler.bridgeComm("019", message.merging(["Amount": "100"]) { $1 }).code == "A04")
    }

    @Test("The last tip counts, until the batch is closed")
    func tips() {
        var handler = TestHandler()
        let sale = handler.pay(2_000)
        func message(_ tip: Int) -> [String: String] {
            ["TransactionType": "adjustment", "ReferenceNumber": sale.id ?? "", "TipAmount": "\(tip)"]
        }
        #expect(handler.bridgeComm("004", message(300)).code == "A12")
        let last = handler.bridgeComm("004", message(450))
        #expect(last["AuthorizedAmount"] == "2450")
        #expect(last["OriginalAmount"] == "2000")
        handler.settle()
        #expect(handler.bridgeComm("004", message(900)).code == "A04")
        #expect(handler.booked(sale.id)?.captured == 2_450)
    }

    // MARK: 023

    @Test("A find reports a payment's current status, that it does not exist, or that several match")
    func find() {
        var handler = TestHandler()
        #expect(handler.find(["InvoiceNum": "INV1"]).result == "800011")
        #expect(handler.find([:]).result == "10001")
        #expect(handler.find(["GatewayTransID": "x1"]).result == "80008")
        let sale = handler.pay(2_000)
        #expect(handler.find(["InvoiceNum": "INV1"]).id == sale.id)
        #expect(handler.find(["GatewayTransID": sale.id ?? ""])["AuthorizedAmount"] == "2000")
        #expect(handler.find(["InvoiceNum": "INV1", "Amount": "1999"]).result == "800011")
        _ = handler.pay(15_500, invoice: "PART")
        #expect(handler.find(["InvoiceNum": "PART"]).code == "A05")
        _ = handler.pay(9_500, invoice: "NO")
        #expect(handler.find(["InvoiceNum": "NO"]).code == "D30")
        _ = handler.giveBack("void", of: sale.id)
        #expect(handler.find(["InvoiceNum": "INV1"]).code == "A06")
        _ = handler.pay(2_000)
        #expect(handler.find(["InvoiceNum": "INV1"]).result == "80003")
    }

    // MARK: Duplicates

    @Test("A duplicate of a payment in the open batch is refused, unless it is forced")
    func duplicates() {
        var handler = TestHandler()
        _ = handler.pay(2_000)
        let again = handler.pay(2_000)
        #expect(again.code == "D09")
        #expect(again.result == "30036")
        #expect(handler.books.refusedRepeats() == 1)
        #expect(handler.books.doubleCharges.isEmpty)
        #expect(handler.pay(2_001).code == "A01", "another amount")
        #expect(handler.pay(2_000, invoice: "INV2").code == "A01", "another invoice")
        #expect(handler.pay(2_000, also: ["ForceOnDuplicate": "TRUE"]).code == "A01")
        #expect(handler.books.doubleCharges.map(\.intent) == ["INV1"])
        #expect(handler.books.doubleCharges.first?.payments.count == 3)
    }

    @Test("Without duplicate refusal, two charges for one invoice are counted")
    func careless() {
        var handler = TestHandler(refusesDuplicates: false)
        let first = handler.pay(2_000)
        let second = handler.pay(2_000)
        #expect(handler.books.doubleCharges.first?.payments.map { $0.id as String? } == [first.id, second.id])
        // A reversed charge does not count; a declined attempt never did.
        _ = handler.giveBack("void", of: second.id)
        #expect(handler.books.doubleCharges.isEmpty)
        _ = handler.pay(9_500, invoice: "NO")
        _ = handler.pay(600, invoice: "NO")
        #expect(handler.books.doubleCharges.isEmpty)
        // Attempts with different invoices can be one purchase for the caller.
        _ = handler.pay(600, invoice: "NO-2")
        #expect(handler.books.doubleCharges(by: { String($0.intent.prefix(2)) }).map(\.intent) == ["NO"])
    }

    // MARK: Services

    @Test(
        "Each request type has its root",
        arguments: [
            ("001", "GetToken"), ("004", "Auth"), ("007", "UpdatePassword"), ("011", "MerchantInfo"),
            ("012", "VoidRefund"), ("014", "ManageGiftCard"), ("015", "AccountInquiry"), ("019", "Capture"),
            ("020", "CloseCycle"), ("023", "Find"), ("099", "ErrorResponse"),
        ]
    )
    func roots(type: String, root: String) {
        var handler = TestHandler()
        let answer = handler.bridgeComm(type, [:])
        #expect(answer.root == root)
        #expect(answer["RequestType"] == type)
        #expect(answer["TransactionID"] == "t1")
    }

    @Test("Nothing is done without credentials")
    func unauthenticated() {
        var handler = TestHandler()
        let request = BridgeCommRequest(type: "020", transactionID: "t", isAuthenticated: false, message: [:])
        #expect(handler.handler.take(request, at: handler.now).answer?.root == "ErrorResponse")
        #expect(handler.pay(600, invoice: String(repeating: "x", count: 65)).root == "ErrorResponse")
        #expect(handler.books.payments.isEmpty)
    }
}
