import Canonical
import Payments
import Testing

@testable import Simulator

@Suite("Handpoint's cloud, stood in for")
struct HandpointCloudTests {
    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"

    private static func order(_ amount: Int64, also: JSONObject = [:]) -> JSONObject {
        var order: JSONObject = [
            "transactionReference": .string(reference), "amount": .number(JSONNumber(amount)), "currency": "EUR",
        ]
        for member in also { order[member.key] = member.value }
        return order
    }

    @Test(
        "Amounts make results",
        arguments: [
            (Int64(1_000), "DECLINED", "05"), (2_000, "CANCELLED", ""), (3_757, "PARTIAL_APPROVAL", "10"),
            (3_779, "DECLINED", "01"), (3_784, "DECLINED", "05"), (3_793, "DECLINED", "04"), (3_768, "IN_PROGRESS", ""),
            (8_000, "AUTHORISED", "00"), (8_099, "IN_PROGRESS", ""), (8_100, "DECLINED", "91"),
            (9_001, "IN_PROGRESS", ""), (9_004, "AUTHORISED", "00"), (9_006, "DECLINED", "91"),
            (12_345, "AUTHORISED", "00"),
        ]
    )
    func amounts(amount: Int64, status: String, issuer: String) {
        var desk = TestDesk()
        #expect(desk.desk.sell(Self.order(amount), at: desk.now).status == 202)
        let result = desk.status(Self.reference).body
        #expect(result["finStatus"]?.string == status)
        #expect(result["issuerResponseCode"]?.string == issuer)
    }

    @Test("Unknown until it arrives, in progress until it is answered, then certain")
    func time() {
        var desk = TestDesk()
        #expect(desk.finStatus(Self.reference) == "UNDEFINED")
        let order = Self.order(1_500, also: ["arrivesAfterSeconds": 40, "answersAfterSeconds": 30])
        _ = desk.desk.sell(order, at: desk.now)
        desk.wait(seconds: 39)
        #expect(desk.finStatus(Self.reference) == "UNDEFINED")
        desk.wait(seconds: 1)
        #expect(desk.finStatus(Self.reference) == "IN_PROGRESS")
        desk.wait(seconds: 29)
        #expect(desk.finStatus(Self.reference) == "IN_PROGRESS")
        desk.wait(seconds: 1)
        #expect(desk.finStatus(Self.reference) == "AUTHORISED")
        // What never arrives stays unknown, also long after the ninety seconds in which it could have.
        desk.wait(seconds: 90)
        #expect(desk.finStatus("2bfde1fc-23b1-4c67-93d9-1d4a557f4d4f") == "UNDEFINED")
    }

    @Test("The wait of a simulated amount ends")
    func waits() {
        var desk = TestDesk()
        _ = desk.desk.sell(Self.order(8_060), at: desk.now)
        desk.wait(seconds: 59)
        #expect(desk.finStatus(Self.reference) == "IN_PROGRESS")
        desk.wait(seconds: 1)
        #expect(desk.finStatus(Self.reference) == "AUTHORISED")
    }

    @Test("A refund and a reversal show in the status of the first transaction")
    func refunds() {
        var desk = TestDesk()
        _ = desk.desk.sell(Self.order(1_500), at: desk.now)
        let link: JSONObject = ["operation": "refund", "originalTransactionReference": .string(Self.reference)]
        #expect(desk.desk.sell(Self.order(600, also: link), at: desk.now).status == 202)
        #expect(desk.finStatus(Self.reference) == "AUTHORISED")
        #expect(desk.desk.sell(Self.order(901, also: link), at: desk.now).status == 400)
        #expect(desk.desk.sell(Self.order(900, also: link), at: desk.now).status == 202)
        #expect(desk.finStatus(Self.reference) == "REFUNDED")
        let all = desk.status(Self.reference, "all").body.array
        #expect(all?.map { $0["finStatus"]?.string } == ["REFUNDED", "AUTHORISED", "AUTHORISED"])
        #expect(desk.status(Self.reference, "2").body["totalAmount"]?.int64 == 600)
        #expect(desk.status(Self.reference, "last").body["totalAmount"]?.int64 == 900)
        #expect(desk.status(Self.reference, "4").status == 404)
        #expect(desk.status(Self.reference, "none").status == 404)
        let reversal: JSONObject = [
            "transactionReference": .string(Self.reference), "operation": "saleReversal",
            "originalTransactionReference": .string(Self.reference),
        ]
        #expect(desk.desk.sell(reversal, at: desk.now).status == 400, "refunds stand on it")
    }

    @Test("Two sales under one reference are a double charge")
    func doubles() {
        var desk = TestDesk()
        for _ in 0..<2 { _ = desk.desk.sell(Self.order(1_500), at: desk.now) }
        #expect(desk.books.doubleCharges.map(\.intent) == [Self.reference])
        let reversal: JSONObject = [
            "transactionReference": .string(Self.reference), "operation": "saleReversal",
            "originalTransactionReference": .string(Self.reference),
        ]
        #expect(desk.desk.sell(reversal, at: desk.now).status == 202)
        #expect(desk.books.doubleCharges.isEmpty)
        #expect(desk.finStatus(Self.reference) == "REFUNDED")
    }

    @Test(
        "What is no order is refused",
        arguments: [
            JSONObject(), ["transactionReference": "x"],
            ["transactionReference": .string(reference), "amount": 0, "currency": "EUR"],
            ["transactionReference": .string(reference), "amount": 5, "currency": "eur"],
            ["transactionReference": .string(reference), "amount": 5, "currency": "EUR", "operation": "gift"],
        ]
    )
    func refused(order: JSONObject) {
        var desk = TestDesk()
        #expect(desk.desk.sell(order, at: desk.now).status == 400)
        #expect(desk.books.payments.isEmpty)
        #expect(desk.status("x").status == 400)
    }
}
