package import Canonical
import Payments

/// Handpoint's cloud, limited to queries of a transaction's outcome; and the terminals behind it, whose payments reach
/// it.
///
/// Sources: Handpoint REST API, `transactions/{transactionReference}/status` and `/status/{selector}`; amounts of the
/// SDK's simulator and of Handpoint Express.
package struct HandpointCloud {
    package struct Answer: Sendable, Hashable {
        package let status: Int
        package let body: JSONValue
    }

    let seed: UInt64
    let at: Timestamp

    /// - Parameter selector: Nil or `first` for the first transaction of the reference, `last`, `all`, or a number from
    ///   1. Only the first transaction has its current status; later ones have their original status.
    func status(of reference: String, selector: String?, _ books: GatewayBooks) -> Answer {
        guard UUID128(text: reference.lowercased()) != nil else {
            return problem(400, "BadRequestError", "transactionReference is a UUID")
        }
        // A payment that has not arrived yet is unknown here.
        let known = books.payments(reference: reference.lowercased(), at: .handpoint).filter {
            ($0.arrivesAt ?? $0.at) <= at
        }
        switch selector {
        case nil, "first":
            return Answer(status: 200, body: known.first.map { result($0, isNow: true) } ?? undefined(reference))
        case "all" where !known.isEmpty:
            return Answer(
                status: 200,
                body: .array(known.enumerated().map { result($0.element, isNow: $0.offset == 0) })
            )
        case "last" where !known.isEmpty:
            return Answer(status: 200, body: result(known[known.count - 1], isNow: known.count == 1))
        default:
            guard let index = selector.flatMap({ Int($0) }), (1...max(1, known.count)).contains(index), !known.isEmpty
            else { return problem(404, "NotFoundError", "there is no such transaction") }
            return Answer(status: 200, body: result(known[index - 1], isNow: index == 1))
        }
    }

    private func problem(_ status: Int, _ name: String, _ message: String) -> Answer {
        Answer(
            status: status,
            body: ["error": ["statusCode": .count(status), "name": .string(name), "message": .string(message)]]
        )
    }

    // MARK: Terminals

    /// A terminal's transaction: `transactionReference`, `operation` (`sale`, `refund`, `saleReversal`), `amount` in
    /// minor units, `currency`; `originalTransactionReference` for a reversal and a linked refund;
    /// `arrivesAfterSeconds` and `answersAfterSeconds` for a delayed one.
    func sell(_ order: JSONObject, _ books: inout GatewayBooks) -> Answer {
        guard let reference = order["transactionReference"]?.string?.lowercased(), UUID128(text: reference) != nil
        else { return problem(400, "BadRequestError", "transactionReference is a UUID") }
        let operation = order["operation"]?.string ?? "sale"
        let original = order["originalTransactionReference"]?.string.flatMap {
            books.payments(reference: $0.lowercased(), at: .handpoint).first
        }
        if operation == "saleReversal" { return reverse(original, &books) }
        guard let amount = order["amount"]?.int64, (1...999_999_999_999).contains(amount) else {
            return problem(400, "BadRequestError", "amount counts minor units, from 1")
        }
        guard let currency = order["currency"]?.string.flatMap({ Currency(alpha: $0) }) else {
            return problem(400, "BadRequestError", "currency is a code of ISO 4217")
        }
        if operation == "refund", order["originalTransactionReference"] != nil {
            guard let original, original.currency == currency, amount <= original.remaining else {
                return problem(400, "BadRequestError", "there is not so much to refund")
            }
        } else if operation != "sale", operation != "refund" {
            return problem(400, "BadRequestError", "operation is sale, refund or saleReversal")
        }
        let ruled = HandpointAmount(amount)
        func seconds(_ name: String) -> Int64 { min(max(order[name]?.int64 ?? 0, 0), 86_400) }
        let arrival = at.adding(microseconds: seconds("arrivesAfterSeconds") * 1_000_000)
        let wait = max(seconds("answersAfterSeconds"), ruled.waitSeconds)
        let number = books.nextNumber
        var random = SeededRandom.host(number, seed: seed)
        let card = StandInCard.presented(for: reference, seed: seed)
        let isSale = operation == "sale"
        var payment = BookedPayment(
            gateway: .handpoint,
            id: random.uuid(),
            kind: isSale ? .sale : original == nil ? .credit : .refund,
            reference: reference,
            invoice: order["customerReference"]?.string,
            account: order["serialNumber"]?.string ?? "1640013848",
            batch: books.batch(of: order["serialNumber"]?.string ?? "1640013848", at: .handpoint),
            original: isSale ? nil : original?.id,
            currency: currency,
            requested: amount,
            approved: ruled.approved,
            state: ruled.state,
            code: ruled.issuerCode,
            text: ruled.status,
            result: "",
            authorizationCode: ruled.approved > 0 ? random.digits(6) : "",
            brand: card.brand,
            lastFour: card.lastFour,
            at: at,
            arrivesAt: arrival,
            answersAt: arrival.adding(microseconds: wait * 1_000_000)
        )
        payment.captured = ruled.approved
        books.write(payment)
        if payment.kind == .refund, payment.state == .captured, var refunded = original {
            refunded.refunded += amount
            books.write(refunded)
        }
        return Answer(status: 202, body: ["transactionReference": .string(reference)])
    }

    private func reverse(_ original: BookedPayment?, _ books: inout GatewayBooks) -> Answer {
        guard var payment = original, payment.state == .captured, !payment.isSettled, payment.refunded == 0 else {
            return problem(400, "BadRequestError", "there is nothing to reverse")
        }
        payment.state = .voided
        books.write(payment)
        return Answer(status: 202, body: ["transactionReference": .string(payment.reference)])
    }

    // MARK: Results

    /// - Parameter isNow: True for the first transaction of a reference, which has its current status; later ones have
    ///   their original status.
    private func result(_ payment: BookedPayment, isNow: Bool) -> JSONValue {
        let isOpen = payment.answersAt.map { $0 > at } ?? false
        let isApproved = payment.state == .captured || payment.state == .voided
        var status = isOpen ? "IN_PROGRESS" : payment.text
        let isBack = payment.state == .voided || payment.refunded > 0 && payment.remaining == 0
        if isNow, !isOpen, isBack { status = "REFUNDED" }
        return .object([
            "type": payment.kind == .sale ? "SALE" : "REFUND", "finStatus": .string(status),
            "currency": .string(payment.currency.alpha), "requestedAmount": .number(JSONNumber(payment.requested)),
            "totalAmount": .number(JSONNumber(isApproved && !isOpen ? payment.approved : payment.requested)),
            "tipAmount": 0, "dueAmount": .number(JSONNumber(isApproved ? payment.requested - payment.approved : 0)),
            "efttimestamp": .string(payment.at.millisecondText.filter(\.isNumber)),
            "efttransactionID": .string(payment.id), "transactionID": .string(payment.id),
            "originalEFTTransactionID": .string(payment.original ?? ""),
            "transactionReference": .string(payment.reference),
            "authorisationCode": .string(isOpen ? "" : payment.authorizationCode),
            "issuerResponseCode": .string(isOpen ? "" : payment.code), "cardSchemeName": .string(payment.brand),
            "maskedCardNumber": .string("************" + payment.lastFour),
            "customerReference": .string(payment.invoice ?? ""), "cardEntryType": "ICC", "tenderType": "CREDIT",
            "verificationMethod": "UNDEFINED", "errorMessage": "", "statusMessage": "",
        ])
    }

    /// The result for an unknown transaction: only the reference of the query.
    private func undefined(_ reference: String) -> JSONValue {
        [
            "type": "UNDEFINED", "finStatus": "UNDEFINED", "currency": "", "requestedAmount": 0, "totalAmount": 0,
            "tipAmount": 0, "dueAmount": 0, "efttransactionID": "", "transactionID": "",
            "originalEFTTransactionID": "", "transactionReference": .string(reference), "authorisationCode": "",
            "issuerResponseCode": "", "errorMessage": "", "statusMessage": "",
        ]
    }
}

/// The outcome of a terminal's payment by its amount. Sources: Heft SDK simulator; Handpoint Express trigger amounts.
/// If the SDK's simulator loses an answer, the sale is authorised, and the gateway knows it after the wait.
struct HandpointAmount {
    let status: String
    let issuerCode: String
    let approved: Int64
    let waitSeconds: Int64

    var state: BookedPayment.State {
        switch status {
        case "AUTHORISED", "PARTIAL_APPROVAL": .captured
        case "CANCELLED": .cancelled
        default: .declined
        }
    }

    private init(_ status: String, _ issuerCode: String = "", approved: Int64 = 0, waitSeconds: Int64 = 0) {
        self.status = status
        self.issuerCode = issuerCode
        self.approved = approved
        self.waitSeconds = waitSeconds
    }

    init(_ amount: Int64) {
        switch amount {
        case 1_000: self.init("DECLINED", "05")
        case 2_000: self.init("CANCELLED")
        case 3_757: self.init("PARTIAL_APPROVAL", "10", approved: amount / 2)
        // A request time-out: the gateway does not receive the issuer's decision.
        case 3_768: self.init("FAILED", "68", waitSeconds: 86_400)
        case 3_779: self.init("DECLINED", "01")
        case 3_784: self.init("DECLINED", "05")
        case 3_793: self.init("DECLINED", "04")
        case 8_000...8_099: self.init("AUTHORISED", "00", approved: amount, waitSeconds: amount - 8_000)
        case 9_001: self.init("AUTHORISED", "00", approved: amount, waitSeconds: 20)
        case 9_002: self.init("AUTHORISED", "00", approved: amount, waitSeconds: 15)
        case 9_003: self.init("AUTHORISED", "00", approved: amount, waitSeconds: 120)
        case 9_004, 9_005: self.init("AUTHORISED", "00", approved: amount)
        case 8_100...9_000, 9_006...9_999: self.init("DECLINED", "91")
        default: self.init("AUTHORISED", "00", approved: amount)
        }
    }
}
