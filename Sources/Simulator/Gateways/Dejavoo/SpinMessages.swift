import Canonical
import Payments

/// A parsed call of SPIn.
struct SpinCall {
    let method: String
    let body: JSONObject

    func text(_ name: String) -> String? { body[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    var tpn: String? { text("Tpn").flatMap { (10...12).contains($0.utf8.count) ? $0 : nil } }
    var isAuthenticated: Bool { text("Authkey")?.utf8.count == 10 || text("SPInToken") != nil }
    var reference: String? { text("ReferenceId").flatMap { $0.utf8.count <= 50 ? $0 : nil } }

    /// A JSON number in major units, read by its digits; nil if it is absent, null or not a valid amount in cents.
    func amount(_ name: String) -> Int64? {
        guard let literal = body[name]?.number?.literal,
            let money = try? Money.parse(decimal: literal, currency: .usd), money.value <= 999_999_999_999
        else { return nil }
        return money.value
    }
}

extension SpinGateway {
    /// `13.4`, `25`: as a double is printed.
    static func double(_ cents: Int64) -> JSONValue {
        var text = Money(cents, .usd).decimalText
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return JSONNumber(literal: text).map { .number($0) } ?? 0
    }

    func general(
        _ result: String,
        _ status: String,
        _ message: String,
        _ detail: String,
        host: (code: String, message: String)? = nil
    ) -> JSONValue {
        var general = JSONObject()
        if let host {
            general["HostResponseCode"] = .string(host.code)
            general["HostResponseMessage"] = .string(host.message)
        }
        general["ResultCode"] = .string(result)
        general["StatusCode"] = .string(status)
        general["Message"] = .string(message)
        general["DetailedMessage"] = .string(detail)
        return .object(general)
    }

    /// A failure of the terminal or of the proxy before it; the HTTP status is still 200.
    func failure(
        _ call: SpinCall,
        _ status: String,
        _ detail: String,
        host: (code: String, message: String)? = nil
    ) -> JSONValue {
        var answer: JSONObject = [
            "GeneralResponse": general("1", status, status == "1015" ? "Declined" : "Canceled", detail, host: host),
            "PaymentType": .string(call.text("PaymentType") ?? "Credit"), "TransactionType": .string(call.method),
            "ReferenceId": .string(call.reference ?? ""), "InvoiceNumber": .string(call.text("InvoiceNumber") ?? ""),
            "SerialNumber": "P3211229220555",
        ]
        answer["Amounts"] = ["TotalAmount": .null, "Amount": .null, "TipAmount": .null]
        return .object(answer)
    }

    /// A transaction as the terminal stores it.
    func result(of payment: BookedPayment, _ call: SpinCall) -> JSONValue {
        let isDeclined = payment.state == .declined
        let type = [BookedPayment.Kind.sale: "Sale", .authorization: "Auth", .credit: "Return"][payment.kind] ?? "Sale"
        let amount = payment.state == .authorized || payment.captured == 0 ? payment.approved : payment.captured
        let isPartial = payment.code == "10"
        var answer: JSONObject = [
            "Amounts": [
                "TotalAmount": Self.double(amount), "Amount": Self.double(amount),
                "TipAmount": Self.double(payment.tip), "FeeAmount": 0, "TaxAmount": 0,
            ],
            "GeneralResponse": isDeclined
                ? general("1", "1015", "Declined", payment.text, host: (payment.code, payment.text))
                : general(
                    "0",
                    isPartial ? "0001" : "0000",
                    isPartial ? "Partial Approval" : "Approved",
                    "\(isPartial ? payment.text : "APPROVAL") \(payment.authorizationCode)",
                    host: (
                        isPartial ? "10" : "00",
                        "\(isPartial ? payment.text : "APPROVAL") \(payment.authorizationCode)"
                    )
                ),
            "PaymentType": .string(call.text("PaymentType") ?? "Credit"),
            "TransactionType": .string(["Capture", "Void"].contains(call.method) ? call.method : type),
            "AuthCode": .string(payment.authorizationCode), "ReferenceId": .string(payment.reference),
            "InvoiceNumber": .string(payment.invoice ?? ""), "SerialNumber": "P3211229220555",
            "BatchNumber": .string("\(payment.batch)"), "TransactionNumber": .string(String(payment.id.suffix(4))),
            "Voided": .bool(payment.state == .voided), "RRN": .string(payment.id),
            "PNReferenceId": .string(payment.id),
        ]
        let first = String(StandInCard(brand: payment.brand, lastFour: payment.lastFour).masked.prefix(1))
        answer["CardData"] = [
            "CardType": .string(payment.brand == "American Express" ? "Amex" : payment.brand), "EntryType": "Chip",
            "Last4": .string(payment.lastFour), "First4": .string(first), "Name": "",
        ]
        return .object(answer)
    }
}
