import Canonical
import Payments
import Testing

@testable import Simulator

@Suite("Stand-ins of SPIn and iPOS Transact")
struct DejavooGatewayTests {
    private static func amount(_ text: String, _ reference: String, also: JSONObject = [:]) throws -> JSONObject {
        var body: JSONObject = ["ReferenceId": .string(reference)]
        body["Amount"] = .number(try #require(JSONNumber(literal: text)))
        for member in also { body[member.key] = member.value }
        return body
    }

    private static func status(_ answer: JSONValue) -> String? { answer["GeneralResponse"]?["StatusCode"]?.string }

    @Test("A reference is accepted once within a batch, and again in the next")
    func references() throws {
        var handler = TestHandler()
        let sale = try Self.amount("12.50", "r1")
        #expect(Self.status(handler.spin("Sale", sale)) == "0000")
        let again = handler.spin("Sale", sale)
        #expect(Self.status(again) == "1011")
        #expect(again["GeneralResponse"]?["ResultCode"]?.string == "1")
        #expect(handler.books.refusedRepeats(at: .dejavoo) == 1)
        #expect(Self.status(handler.spin("Sale", sale, tpn: "Z22NATASHA98")) == "0000", "another terminal")
        #expect(Self.status(handler.spin("Settle", [:])) == "0000")
        #expect(Self.status(handler.spin("Status", ["ReferenceId": "r1"])) == "1001", "the batch it was in is gone")
        #expect(Self.status(handler.spin("Sale", sale)) == "0000")
        #expect(handler.books.doubleCharges.map(\.intent) == ["r1"])
    }

    @Test("A sale's answer has major units, and its later status is the same answer")
    func sale() throws {
        var handler = TestHandler()
        let answer = handler.spin("Sale", try Self.amount("12.5", "r1", also: ["TipAmount": 1, "InvoiceNumber": "7"]))
        #expect(answer["Amounts"]?["TotalAmount"]?.number?.literal == "13.5")
        #expect(answer["Amounts"]?["TipAmount"]?.number?.literal == "1")
        #expect(answer["InvoiceNumber"]?.string == "7")
        let status = handler.spin("Status", ["ReferenceId": "r1"])
        for name in ["Amounts", "AuthCode", "RRN", "BatchNumber", "TransactionType", "GeneralResponse"] {
            #expect(status[name] == answer[name], "\(name)")
        }
        let listed = handler.spin("StatusList", ["TransactionFromIndex": 1, "TransactionToIndex": 10])
        #expect(listed["Transactions"]?.array?.map { $0["ReferenceId"]?.string } == ["r1"])
    }

    @Test(
        "The amount selects the answer",
        arguments: [
            ("10.05", "1015", "05"), ("10.51", "1015", "51"), ("10.91", "1014", "91"), ("10.28", "1014", "28"),
            ("10.00", "0000", "00"),
        ]
    )
    func amounts(text: String, status: String, host: String) throws {
        var handler = TestHandler()
        let answer = handler.spin("Sale", try Self.amount(text, "r1"))
        #expect(Self.status(answer) == status)
        #expect(answer["GeneralResponse"]?["HostResponseCode"]?.string == host)
        // 28 is a lost answer; 91 a lost request.
        let later = Self.status(handler.spin("Status", ["ReferenceId": "r1"]))
        #expect(later == ["91": "1001", "28": "0000"][host] ?? status)
    }

    @Test("50.00 with a tip of 2.00 is approved in part")
    func partial() throws {
        var handler = TestHandler()
        let answer = handler.spin("Sale", try Self.amount("50.00", "r1", also: ["TipAmount": 2]))
        #expect(Self.status(answer) == "0001")
        #expect(answer["Amounts"]?["TotalAmount"]?.number?.literal == "50")
    }

    @Test("An authorisation is captured once and voided with its whole amount only")
    func followUps() throws {
        var handler = TestHandler()
        _ = handler.spin("Auth", try Self.amount("40", "a1"))
        #expect(Self.status(handler.spin("Capture", try Self.amount("41", "a1"))) == "1004")
        let captured = handler.spin("Capture", try Self.amount("35", "a1"))
        #expect(captured["TransactionType"]?.string == "Capture")
        #expect(Self.status(handler.spin("Capture", try Self.amount("5", "a1"))) == "1004")
        let tip: JSONObject = ["ReferenceId": "a1", "TipAmount": 5]
        #expect(handler.spin("TipAdjust", tip)["Amounts"]?["TotalAmount"]?.number?.literal == "40")
        #expect(Self.status(handler.spin("Void", try Self.amount("35", "a1"))) == "1001")
        let voided = handler.spin("Void", try Self.amount("40", "a1"))
        #expect(voided["Voided"]?.bool == true)
        #expect(Self.status(handler.spin("Void", try Self.amount("40", "a1"))) == "1001")
        #expect(try handler.books.totals().first?.net.isZero == true)
    }

    @Test("A return is a separate payment, and the settlement has the sums")
    func settlement() throws {
        var handler = TestHandler()
        #expect(Self.status(handler.spin("Settle", [:])) == "1020")
        _ = handler.spin("Sale", try Self.amount("30.10", "s1"))
        _ = handler.spin("Sale", try Self.amount("3.30", "s2"))
        _ = handler.spin("Return", try Self.amount("10", "b1"))
        let report = handler.spin("Settle", [:])["SettleDetails"]?[0]?["TransactionsReports"]
        #expect(report?["SaleAmount"]?.number?.literal == "33.4")
        #expect(report?["ReturnAmount"]?.number?.literal == "10")
        #expect(report?["TotalAmount"]?.number?.literal == "23.4")
        #expect(report?["TransactionsCount"]?.int64 == 3)
        #expect(Self.status(handler.spin("Void", try Self.amount("3.30", "s2"))) == "1001")
    }

    @Test(
        "An invalid call is refused by the terminal",
        arguments: [
            ("Sale", JSONObject(), "1010"), ("Sale", ["ReferenceId": "r"], "1013"),
            ("Balance", ["ReferenceId": "r"], "1002"),
            ("Sale", ["ReferenceId": "r", "Amount": "12"], "1013"),
            ("Void", ["ReferenceId": "r", "Amount": 1], "1001"),
            ("Auth", ["ReferenceId": "r", "Amount": 5, "TipAmount": 1], "1004"),
            ("StatusList", ["TransactionFromIndex": 3, "TransactionToIndex": 2], "1013"),
        ] as [(String, JSONObject, String)]
    )
    func refused(method: String, body: JSONObject, status: String) {
        var handler = TestHandler()
        #expect(Self.status(handler.spin(method, body)) == status)
        #expect(handler.books.payments.isEmpty)
    }

    @Test("A wrong key and a missing terminal are refused")
    func keys() {
        var handler = TestHandler()
        #expect(Self.status(handler.handler.take(spin: "Settle", [:], at: handler.now).answer ?? .null) == "1013")
        let body: JSONObject = ["Tpn": "Z11NATASHA98", "Authkey": "short"]
        #expect(Self.status(handler.handler.take(spin: "Settle", body, at: handler.now).answer ?? .null) == "1009")
    }

    // MARK: iPOS Transact

    private static let token: JSONValue = "CE268D77935FDBF3F9C72E8894A1F410"

    @Test("A card's token is used to pay, authorise, capture, tip and void")
    func transact() throws {
        var handler = TestHandler()
        let held = handler.transact(5, "h1", ["amount": "4000", "cardToken": Self.token])
        #expect(held["responseCode"]?.int64 == 200)
        let rrn = try #require(held["rrn"])
        #expect(handler.transact(6, "h2", ["RRN": rrn, "amount": "4001"])["errResponseCode"]?.string == "05")
        #expect(handler.transact(6, "h3", ["RRN": rrn, "amount": "3500"])["totalAmount"]?.string == "3500")
        #expect(handler.transact(7, "h4", ["RRN": rrn, "tipAmount": "500"])["totalAmount"]?.string == "4000")
        #expect(handler.transactStatus("h1")["transactionType"]?.int64 == 6)
        #expect(handler.transact(2, "h5", ["RRN": rrn, "amount": "0"])["responseCode"]?.int64 == 200)
        #expect(handler.transact(2, "h6", ["RRN": rrn])["responseCode"]?.int64 == 400)
        #expect(handler.transactStatus("h1")["transactionType"]?.int64 == 2)
        #expect(try handler.books.totals().first?.net.isZero == true)
    }

    @Test("Refunds are limited to the original amount")
    func transactRefunds() throws {
        var handler = TestHandler()
        let rrn = try #require(handler.transact(1, "s1", ["amount": "2000", "cardToken": Self.token])["rrn"])
        _ = handler.handler.settleAll(at: .ipos)
        #expect(handler.transact(2, "v1", ["RRN": rrn])["responseCode"]?.int64 == 400, "it is settled")
        #expect(handler.transact(3, "f1", ["RRN": rrn, "amount": "1500"])["responseCode"]?.int64 == 200)
        #expect(handler.transact(3, "f2", ["RRN": rrn, "amount": "501"])["errResponseCode"]?.string == "61")
        #expect(handler.transact(3, "f3", ["RRN": rrn])["totalAmount"]?.string == "500")
        #expect(handler.transactStatus("f1")["transactionType"]?.int64 == 3)
    }

    @Test("A reference is accepted only once, and queried separately")
    func transactReferences() {
        var handler = TestHandler()
        #expect(handler.transactStatus("s1")["responseCode"]?.int64 == 400)
        let sale: JSONObject = ["amount": "1028", "cardToken": Self.token]
        #expect(handler.transact(1, "s1", sale)["errResponseMessage"]?.string == "NO REPLY")
        #expect(handler.transactStatus("s1")["totalAmount"]?.string == "1028")
        _ = handler.handler.settleAll(at: .ipos)
        #expect(handler.transact(1, "s1", sale)["errResponseCode"]?.string == "94")
        #expect(handler.books.payments.count == 1)
        #expect(handler.transact(1, String(repeating: "x", count: 21), sale)["errors"] != nil)
        #expect(handler.transact(4, "s2", sale)["errors"] != nil)
        #expect(handler.transact(1, "s3", ["amount": "12.50", "cardToken": Self.token])["errors"] != nil)
    }
}
