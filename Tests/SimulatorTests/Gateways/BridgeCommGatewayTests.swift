import Canonical
import Payments
import Testing
import Vendors

@testable import Simulator

@Suite("BridgeComm, stood in for")
struct BridgeCommGatewayTests {
    /// The table of the adapters is the oracle: it was written from the same page, for another purpose.
    @Test("Test amounts are answered as BridgePay's table has them", arguments: BridgePayTestAmount.all)
    func amounts(row: BridgePayTestAmount) {
        for cents in [row.cents.lowerBound, row.cents.upperBound] {
            var desk = TestDesk()
            let answer = desk.pay(cents)
            #expect(answer.root == "Auth")
            #expect(answer.result == row.result, "\(cents)")
            #expect(answer.code == row.messageCode ?? "Int", "\(cents)")
            guard row.messageCode?.first == "A" else { continue }
            #expect(answer["AuthorizedAmount"] == "\(cents - row.shortfall)")
            #expect(answer["RemainingAmount"] == "\(row.shortfall)")
            #expect(desk.booked(answer.id)?.captured == cents - row.shortfall)
        }
    }

    @Test("Of the troubles E09 has the money, the others have nothing")
    func troubles() {
        var desk = TestDesk()
        #expect(desk.pay(14_500, invoice: "LOST").id == nil)
        #expect(desk.find(["InvoiceNum": "LOST"]).code == "A01")
        for (cents, invoice) in [(Int64(13_500), "DOWN"), (499, "BROKEN")] {
            _ = desk.pay(cents, invoice: invoice)
            #expect(desk.find(["InvoiceNum": invoice]).result == "800011")
        }
        #expect(desk.books.payments.count == 1)
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
        var desk = TestDesk()
        #expect(desk.pay(cents, type, also: ["AcctType": account]).code == code)
    }

    @Test("No card but test cards and tokens is taken, and no number is kept")
    func cards() throws {
        var desk = TestDesk()
        let real = desk.pay(1_000, also: ["PaymentAccountNumber": "4012888888881881"])
        #expect(real.code == "D05")
        #expect(desk.books.payments.isEmpty)
        let token = try #require(
            desk.bridgeComm("001", ["PaymentAccountNumber": "371449635392376"])["Token"]
        )
        let paid = desk.bridgeComm("004", ["TransactionType": "sale", "Amount": "700", "Token": token])
        #expect(paid.code == "A01")
        #expect(paid["CardType"] == "American Express")
        #expect(paid["MaskedPan"] == "3**********2376")
        _ = desk.pay(800)
        for entry in desk.desk.takeAdded() {
            let line = try entry.line.text
            for number in CardSecrets.cardNumbers { #expect(!line.contains(number)) }
        }
    }

    // MARK: 012

    @Test("What is not settled is voided once, whatever was asked for", arguments: ["void", "refund"])
    func unsettled(type: String) {
        var desk = TestDesk()
        let sale = desk.pay(2_000)
        let first = desk.giveBack(type, of: sale.id)
        #expect(first.root == "VoidRefund")
        #expect(first.code == "A06")
        #expect(first.id == sale.id)
        #expect(desk.booked(sale.id)?.state == .voided)
        #expect(desk.giveBack(type, of: sale.id).result == "10042")
        #expect(desk.books.payments.count == 1)
        // An authorisation is let go, not only taken out of the batch.
        #expect(desk.giveBack(type, of: desk.pay(2_000, "sale-auth", invoice: "B").id).code == "A03")
    }

    @Test("A part is voided once, and then nothing more until it is settled")
    func partialVoid() {
        var desk = TestDesk()
        let sale = desk.pay(2_000)
        let first = desk.giveBack("refund", of: sale.id, 500)
        #expect(first.code == "A07")
        #expect(first["AuthorizedAmount"] == "500")
        #expect(desk.giveBack("void", of: sale.id).result == "10033")
        #expect(desk.giveBack("refund", of: sale.id, 100).result == "10033")
        #expect(desk.booked(sale.id)?.net == Money(1_500, .usd))
        desk.settle()
        #expect(desk.giveBack("refund", of: sale.id, 1_600).code == "D25")
        #expect(desk.giveBack("refund", of: sale.id, 1_500).code == "A08")
    }

    @Test("What is settled is refunded as often as there is something left", arguments: ["void", "refund"])
    func settled(type: String) throws {
        var desk = TestDesk()
        let sale = desk.pay(2_000)
        desk.settle()
        let first = desk.giveBack(type, of: sale.id, 700)
        #expect(first.code == "A08")
        #expect(first.id != sale.id)
        #expect(desk.booked(first.id)?.original == sale.id)
        #expect(desk.giveBack(type, of: sale.id, 1_301).code == "D25")
        #expect(desk.giveBack(type, of: sale.id).code == "A08")
        #expect(desk.giveBack(type, of: sale.id, 1).code == "D25")
        let totals = try #require(try desk.books.totals().first)
        #expect(totals.charged.value == 2_000)
        #expect(totals.returned.value == 2_000)
        #expect(totals.returns == 2)
        #expect(totals.net.isZero)
        // All at once is a credit.
        let other = desk.pay(3_000, invoice: "B")
        desk.settle()
        #expect(desk.giveBack(type, of: other.id).code == "A02")
    }

    @Test("A refund is taken back before it is settled itself")
    func voidedRefund() {
        var desk = TestDesk()
        let sale = desk.pay(2_000)
        desk.settle()
        let refund = desk.giveBack("refund", of: sale.id, 700)
        #expect(desk.giveBack("void", of: refund.id).code == "A06")
        #expect(desk.booked(sale.id)?.remaining == 2_000)
    }

    @Test("What cannot be given back is refused")
    func refused() {
        var desk = TestDesk()
        #expect(desk.giveBack("void", of: nil).result == "10001")
        #expect(desk.giveBack("void", of: "999").result == "10033")
        _ = desk.pay(9_500, invoice: "NO")
        #expect(desk.giveBack("void", of: desk.find(["InvoiceNum": "NO"]).id).result == "10033")
        let sale = desk.pay(2_000)
        #expect(desk.giveBack("void", of: sale.id, 2_001).result == "30026")
        let elsewhere = desk.bridgeComm("012", ["ReferenceNumber": sale.id ?? "", "MerchantAccountCode": "4"])
        #expect(elsewhere.result == "10033")
        #expect(desk.booked(sale.id)?.state == .captured)
    }

    // MARK: Captures and tips

    @Test("A capture keeps the id, prints no amount and happens once")
    func capture() {
        var desk = TestDesk()
        let hold = desk.pay(4_000, "sale-auth")
        #expect(hold["ResponseTypeDescription"] == "auth")
        #expect(desk.booked(hold.id)?.net.isZero == true)
        let message = ["TransactionType": "capture", "ReferenceNumber": hold.id ?? ""]
        #expect(desk.bridgeComm("019", message.merging(["Amount": "4001"]) { $1 }).result == "30026")
        let capture = desk.bridgeComm("019", message.merging(["Amount": "4600", "TipAmount": "600"]) { $1 })
        #expect(capture.root == "Capture")
        #expect(capture.code == "A01")
        #expect(capture.id == hold.id)
        #expect(capture["AuthorizedAmount"] == "0")
        #expect(desk.booked(hold.id)?.captured == 4_600)
        #expect(desk.booked(hold.id)?.tip == 600)
        #expect(desk.bridgeComm("019", message.merging(["Amount": "100"]) { $1 }).code == "A04")
    }

    @Test("The last tip counts, until the batch is closed")
    func tips() {
        var desk = TestDesk()
        let sale = desk.pay(2_000)
        func message(_ tip: Int) -> [String: String] {
            ["TransactionType": "adjustment", "ReferenceNumber": sale.id ?? "", "TipAmount": "\(tip)"]
        }
        #expect(desk.bridgeComm("004", message(300)).code == "A12")
        let last = desk.bridgeComm("004", message(450))
        #expect(last["AuthorizedAmount"] == "2450")
        #expect(last["OriginalAmount"] == "2000")
        desk.settle()
        #expect(desk.bridgeComm("004", message(900)).code == "A04")
        #expect(desk.booked(sale.id)?.captured == 2_450)
    }

    // MARK: 023

    @Test("A find tells how a payment stands now, that it is not there, or that it is not the only one")
    func find() {
        var desk = TestDesk()
        #expect(desk.find(["InvoiceNum": "INV1"]).result == "800011")
        #expect(desk.find([:]).result == "10001")
        #expect(desk.find(["GatewayTransID": "x1"]).result == "80008")
        let sale = desk.pay(2_000)
        #expect(desk.find(["InvoiceNum": "INV1"]).id == sale.id)
        #expect(desk.find(["GatewayTransID": sale.id ?? ""])["AuthorizedAmount"] == "2000")
        #expect(desk.find(["InvoiceNum": "INV1", "Amount": "1999"]).result == "800011")
        _ = desk.pay(15_500, invoice: "PART")
        #expect(desk.find(["InvoiceNum": "PART"]).code == "A05")
        _ = desk.pay(9_500, invoice: "NO")
        #expect(desk.find(["InvoiceNum": "NO"]).code == "D30")
        _ = desk.giveBack("void", of: sale.id)
        #expect(desk.find(["InvoiceNum": "INV1"]).code == "A06")
        _ = desk.pay(2_000)
        #expect(desk.find(["InvoiceNum": "INV1"]).result == "80003")
    }

    // MARK: Duplicates

    @Test("What looks like a payment of the open batch is refused, unless it is forced")
    func duplicates() {
        var desk = TestDesk()
        _ = desk.pay(2_000)
        let again = desk.pay(2_000)
        #expect(again.code == "D09")
        #expect(again.result == "30036")
        #expect(desk.books.refusedRepeats() == 1)
        #expect(desk.books.doubleCharges.isEmpty)
        #expect(desk.pay(2_001).code == "A01", "another amount")
        #expect(desk.pay(2_000, invoice: "INV2").code == "A01", "another invoice")
        #expect(desk.pay(2_000, also: ["ForceOnDuplicate": "TRUE"]).code == "A01")
        #expect(desk.books.doubleCharges.map(\.intent) == ["INV1"])
        #expect(desk.books.doubleCharges.first?.payments.count == 3)
    }

    @Test("Without that care, two charges for one invoice are counted")
    func careless() {
        var desk = TestDesk(refusesDuplicates: false)
        let first = desk.pay(2_000)
        let second = desk.pay(2_000)
        #expect(desk.books.doubleCharges.first?.payments.map { $0.id as String? } == [first.id, second.id])
        // One that was taken back is none any more; a declined attempt never was.
        _ = desk.giveBack("void", of: second.id)
        #expect(desk.books.doubleCharges.isEmpty)
        _ = desk.pay(9_500, invoice: "NO")
        _ = desk.pay(600, invoice: "NO")
        #expect(desk.books.doubleCharges.isEmpty)
        // Attempts under invoices of their own are one intent to whoever made them.
        _ = desk.pay(600, invoice: "NO-2")
        #expect(desk.books.doubleCharges(by: { String($0.intent.prefix(2)) }).map(\.intent) == ["NO"])
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
        var desk = TestDesk()
        let answer = desk.bridgeComm(type, [:])
        #expect(answer.root == root)
        #expect(answer["RequestType"] == type)
        #expect(answer["TransactionID"] == "t1")
    }

    @Test("Without credentials nothing is done")
    func unauthenticated() {
        var desk = TestDesk()
        let request = BridgeCommRequest(type: "020", transactionID: "t", isAuthenticated: false, message: [:])
        #expect(desk.desk.take(request, at: desk.now).answer?.root == "ErrorResponse")
        #expect(desk.pay(600, invoice: String(repeating: "x", count: 65)).root == "ErrorResponse")
        #expect(desk.books.payments.isEmpty)
    }
}
