import Canonical
import Payments
import Testing

@testable import Simulator

@Suite("Stand-in of Handpoint's cloud")
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
        "The amount selects the result",
        arguments: [
            (Int64(1_000), "DECLINED", "05"), (2_000, "CANCELLED", ""), (3_757, "PARTIAL_APPROVAL", "10"),
            (3_779, "DECLINED", "01"), (3_784, "DECLINED", "05"), (3_793, "DECLINED", "04"), (3_768, "IN_PROGRESS", ""),
            (8_000, "AUTHORISED", "00"), (8_099, "IN_PROGRESS", ""), (8_100, "DECLINED", "91"),
            (9_001, "IN_PROGRESS", ""), (9_004, "AUTHORISED", "00"), (9_006, "DECLINED", "91"),
            (12_345, "AUTHORISED", "00"),
        ]
    )
    func amounts(amount: Int64, status: String, issuer: String) {
        var handler = TestHandler()
        #expect(handler.handler.sell(Self.order(amount), at: handler.now).status == 202)
        let result = handler.status(Self.reference).body
        #expect(result["finStatus"]?.string == status)
        #expect(result["issuerResponseCode"]?.string == issuer)
    }

    @Test("Unknown until it arrives, in progress until it is answered, then certain")
    func time() {
        var handler = TestHandler()
        #expect(handler.finStatus(Self.reference) == "UNDEFINED")
        let order = Self.order(1_500, also: ["arrivesAfterSeconds": 40, "answersAfterSeconds": 30])
        _ = handler.handler.sell(order, at: handler.now)
        handler.wait(seconds: 39)
        #expect(handler.finStatus(Self.reference) == "UNDEFINED")
        handler.wait(seconds: 1)
        #expect(handler.finStatus(Self.reference) == "IN_PROGRESS")
        handler.wait(seconds: 29)
        #expect(handler.finStatus(Self.reference) == "IN_PROGRESS")
        handler.wait(seconds: 1)
        #expect(handler.finStatus(Self.reference) == "AUTHORISED")
        // A payment that never arrives stays unknown, also long after the ninety seconds in which it could have
        // arrived.
        handler.wait(seconds: 90)
        #expect(handler.finStatus("2bfde1fc-23b1-4c67-93d9-1d4a557f4d4f") == "UNDEFINED")
    }

    @Test("The wait of a simulated amount ends")
    func waits() {
        var handler = TestHandler()
        _ = handler.handler.sell(Self.order(8_060), at: handler.now)
        handler.wait(seconds: 59)
        #expect(handler.finStatus(Self.reference) == "IN_PROGRESS")
        handler.wait(seconds: 1)
        #expect(handler.finStatus(Self.reference) == "AUTHORISED")
    }

    @Test("A refund and a reversal appear in the status of the first transaction")
    func refunds() {
        var handler = TestHandler()
        _ = handler.handler.sell(Self.order(1_500), at: handler.now)
        let link: JSONObject = ["operation": "refund", "originalTransactionReference": .string(Self.reference)]
        #expect(handler.handler.sell(Self.order(600, also: link), at: handler.now).status == 202)
        #expect(handler.finStatus(Self.reference) == "AUTHORISED")
        #expect(handler.handler.sell(Self.order(901, also: link), at: handler.now).status == 400)
        #expect(handler.handler.sell(Self.order(900, also: link), at: handler.now).status == 202)
        #expect(handler.finStatus(Self.reference) == "REFUNDED")
        let all = handler.status(Self.reference, "all").body.array
        #expect(all?.map { $0["finStatus"]?.string } == ["REFUNDED", "AUTHORISED", "AUTHORISED"])
        #expect(handler.status(Self.reference, "2").body["totalAmount"]?.int64 == 600)
        #expect(handler.status(Self.reference, "last").body["totalAmount"]?.int64 == 900)
        #expect(handler.status(Self.reference, "4").status == 404)
        #expect(handler.status(Self.reference, "none").status == 404)
        let reversal: JSONObject = [
            "transactionReference": .string(Self.reference), "operation": "saleReversal",
            "originalTransactionReference": .string(Self.reference),
        ]
        #expect(handler.handler.sell(reversal, at: handler.now).status == 400, "refunds stand on it")
    }

    @Test("Two sales with one reference are a double charge")
    func doubles() {
        var handler = TestHandler()
        for _ in 0..<2 { _ = handler.handler.sell(Self.order(1_500), at: handler.now) }
        #expect(handler.books.doubleCharges.map(\.intent) == [Self.reference])
        let reversal: JSONObject = [
            "transactionReference": .string(Self.reference), "operation": "saleReversal",
            "originalTransactionReference": .string(Self.reference),
        ]
        #expect(handler.handler.sell(reversal, at: handler.now).status == 202)
        #expect(handler.books.doubleCharges.isEmpty)
        #expect(handler.finStatus(Self.reference) == "REFUNDED")
    }

    @Test(
        "An invalid order is refused",
        arguments: [
            JSONObject(), ["transactionReference": "x"],
            ["transactionReference": .string(reference), "amount": 0, "currency": "EUR"],
            ["transactionReference": .string(reference), "amount": 5, "currency": "eur"],
            ["transactionReference": .string(reference), "amount": 5, "currency": "EUR", "operation": "gift"],
        ]
    )
    func refused(order: JSONObject) {
        var handler = TestHandler()
        #expect(handler.handler.sell(order, at: handler.now).status == 400)
        #expect(handler.books.payments.isEmpty)
        #expect(handler.status("x").status == 400)
    }
}
