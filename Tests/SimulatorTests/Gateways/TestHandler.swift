import Canonical
import Payments

@testable import Simulator

/// A handler with a clock that tests control.
struct TestHandler {
    var handler: GatewayHandler
    var now = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
    private var requests = 0

    init(refusesDuplicates: Bool = true, faults: GatewayFaultProfile = .none) {
        handler = GatewayHandler(options: GatewayOptions(seed: 7, faults: faults, refusesDuplicates: refusesDuplicates))
    }

    var books: GatewayBooks { handler.books }

    mutating func wait(seconds: Int64) { now = now.adding(microseconds: seconds * 1_000_000) }

    // MARK: BridgeComm

    /// A request of BridgeComm, with the codes of a merchant and a new TransactionID.
    mutating func bridgeComm(_ type: String, _ message: [String: String]) -> BridgeCommAnswer {
        requests += 1
        let codes = ["MerchantCode": "320000", "MerchantAccountCode": "320001"]
        let request = BridgeCommRequest(
            type: type,
            transactionID: "t\(requests)",
            isAuthenticated: true,
            message: codes.merging(message) { $1 }
        )
        return handler.take(request, at: now).answer ?? BridgeCommAnswer(root: "none", head: [], message: nil)
    }

    /// A payment with a test card.
    mutating func pay(
        _ amount: Int64,
        _ type: String = "sale",
        invoice: String = "INV1",
        also: [String: String] = [:]
    ) -> BridgeCommAnswer {
        let message = [
            "TransactionType": type, "Amount": "\(amount)", "InvoiceNum": invoice,
            "PaymentAccountNumber": "4111111111111111",
        ]
        return bridgeComm("004", message.merging(also) { $1 })
    }

    mutating func giveBack(_ type: String, of id: String?, _ amount: Int64? = nil) -> BridgeCommAnswer {
        var message = ["TransactionType": type]
        message["ReferenceNumber"] = id
        message["Amount"] = amount.map { "\($0)" }
        return bridgeComm("012", message)
    }

    mutating func find(_ message: [String: String]) -> BridgeCommAnswer { bridgeComm("023", message) }

    mutating func settle() { _ = bridgeComm("020", [:]) }

    func booked(_ id: String?) -> BookedPayment? { books.payment(id ?? "", at: .bridgepay) }

    // MARK: Dejavoo

    mutating func spin(_ method: String, _ body: JSONObject, tpn: String = "Z11NATASHA98") -> JSONValue {
        var body = body
        body["Tpn"] = .string(tpn)
        body["Authkey"] = "zbhRAW9N6x"
        body["PaymentType"] = "Credit"
        return handler.take(spin: method, body, at: now).answer ?? .null
    }

    mutating func transact(_ type: Int, _ reference: String, _ request: JSONObject) -> JSONValue {
        var request = request
        request["transactionType"] = .number(JSONNumber(Int64(type)))
        let body: JSONObject = [
            "merchantAuthentication": [
                "merchantId": "139322815010", "transactionReferenceId": .string(reference),
            ],
            "transactionRequest": .object(request),
        ]
        let answer = handler.take(transact: body, at: now).answer
        return answer?["iposTransactResponse"] ?? answer ?? .null
    }

    mutating func transactStatus(_ reference: String) -> JSONValue {
        let body: JSONObject = ["merchantId": "139322815010", "transactionReferenceId": .string(reference)]
        return handler.take(transactStatus: body, at: now).answer?["iposTransactResponse"] ?? .null
    }

    // MARK: Handpoint

    mutating func status(_ reference: String, _ selector: String? = nil) -> HandpointCloud.Answer {
        handler.take(handpointStatus: reference, selector: selector, at: now).answer
            ?? HandpointCloud.Answer(status: 0, body: .null)
    }

    mutating func finStatus(_ reference: String) -> String? { status(reference).body["finStatus"]?.string }
}

extension BridgeCommAnswer {
    /// For example `A01`.
    var code: String { String((self["GatewayMessage"] ?? "").prefix(3)) }
    var result: String? { self["GatewayResult"] }
    var id: String? { self["GatewayTransID"] }
}
