import Canonical
import Payments

/// A parsed call of iPOS Transact. Source: iPOS Transact API, request parameters; the object is called
/// `transactRequest` in its table and `transactionRequest` in its samples.
struct TransactCall {
    let merchant: String?
    /// At most twenty characters.
    let reference: String?
    /// 1 sale, 2 void, 3 refund, 5 pre-authorisation, 6 ticket, 7 tip adjustment.
    let type: Int?
    let request: JSONObject

    init(_ body: JSONObject) {
        let authentication = body["merchantAuthentication"]?.object ?? [:]
        request = (body["transactionRequest"] ?? body["transactRequest"])?.object ?? [:]
        merchant = Self.text(authentication["merchantId"])
        reference = Self.text(authentication["transactionReferenceId"]).flatMap {
            (1...20).contains($0.utf8.count) ? $0 : nil
        }
        type = Self.text(request["transactionType"]).flatMap { Int($0) }
    }

    /// Numbers are sent as numbers or as texts.
    static func text(_ value: JSONValue?) -> String? {
        guard let text = value?.string ?? value?.number?.literal, !text.isEmpty else { return nil }
        return text
    }

    /// Cents, with up to eight digits.
    func cents(_ name: String) -> Int64? {
        guard let text = Self.text(request[name]), text.utf8.count <= 8,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(text)
    }

    var original: String? { Self.text(request["RRN"]) ?? Self.text(request["rrn"]) }
}

/// iPOS Transact: payments with a card's token, and follow-ups by the payment's retrieval reference number.
///
/// Sources: iPOS Transact API; Transaction Status Check API; error codes and messages. The answer to a repeated
/// reference is not documented; here it is the processor's code 94.
struct TransactGateway {
    let options: GatewayOptions
    let at: Timestamp

    func answer(_ call: TransactCall, _ books: inout GatewayBooks) -> JSONValue {
        guard let tpn = call.merchant, let reference = call.reference, let type = call.type else {
            return invalid("merchantId, transactionReferenceId and transactionType are required")
        }
        if let known = books.payments(reference: reference, at: .ipos).first(where: { $0.account == tpn }) {
            books.noteRepeat(of: known)
            return declined(call, "94", "DUPLICATE TRANSMISSION")
        }
        switch type {
        case 1: return pay(.sale, call, tpn, reference, &books)
        case 5: return pay(.authorization, call, tpn, reference, &books)
        case 2, 3, 6, 7:
            guard let rrn = call.original, let original = books.payment(rrn, at: .ipos), original.account == tpn else {
                return declined(call, "05", "NO ORIGINAL TXN")
            }
            switch type {
            case 2: return void(original, call, &books)
            case 3: return refund(original, call, reference, &books)
            case 6: return ticket(original, call, &books)
            default: return adjust(original, call, &books)
            }
        default: return invalid("transactionType is 1, 2, 3, 5, 6 or 7")
        }
    }

    /// The outcome of the payment or refund with this reference. Other follow-ups have their own reference and are not
    /// found here.
    func status(_ body: JSONObject, _ books: GatewayBooks) -> JSONValue {
        let nested = body["merchantAuthentication"]?.object ?? body
        guard let tpn = TransactCall.text(nested["merchantId"]),
            let reference = TransactCall.text(nested["transactionReferenceId"])
        else { return invalid("merchantId and transactionReferenceId are required") }
        guard let payment = books.payments(reference: reference, at: .ipos).first(where: { $0.account == tpn }) else {
            return Self.wrapped([
                "responseCode": 400, "responseMessage": "Declined", "errResponseCode": "25",
                "errResponseMessage": "TRANSACTION NOT FOUND", "transactionReferenceId": .string(reference),
            ])
        }
        return result(of: payment, type: Self.type(of: payment), payment.reference)
    }

    // MARK: Payments

    private func pay(
        _ kind: BookedPayment.Kind,
        _ call: TransactCall,
        _ tpn: String,
        _ reference: String,
        _ books: inout GatewayBooks
    ) -> JSONValue {
        guard let amount = call.cents("amount"), amount > 0 else { return invalid("amount is in cents") }
        guard let token = TransactCall.text(call.request["cardToken"]), token.utf8.count >= 20 else {
            return invalid("cardToken is required")
        }
        let tip = call.cents("tipAmount") ?? 0
        let ruled = DejavooHostAmount(amount + tip, tip: tip)
        let number = books.nextNumber
        var host = SeededRandom.host(number, seed: options.seed)
        // A token does not show its card; the same token always gets the same card.
        let card = StandInCard.presented(for: token, seed: options.seed)
        var payment = BookedPayment(
            gateway: .ipos,
            id: String(500_100_000_000 + number),
            kind: kind,
            reference: reference,
            invoice: call.request["invoiceNumber"].flatMap { TransactCall.text($0) },
            account: tpn,
            batch: books.batch(of: tpn, at: .ipos),
            original: nil,
            currency: .usd,
            requested: amount + tip,
            approved: ruled.approved,
            state: ruled.approved == 0 ? .declined : kind == .authorization ? .authorized : .captured,
            code: ruled.hostCode,
            text: ruled.message,
            result: "",
            authorizationCode: ruled.approved > 0 ? "TAS" + host.digits(3) : "",
            brand: card.brand,
            lastFour: card.lastFour,
            at: at,
            arrivesAt: nil,
            answersAt: nil
        )
        if payment.state == .captured {
            payment.captured = ruled.approved
            payment.tip = min(tip, ruled.approved)
        }
        if ruled.isPosted { books.write(payment) }
        guard ruled.isKnown else { return declined(call, ruled.hostCode, ruled.message) }
        return result(of: payment, type: call.type ?? 0, reference)
    }

    private func void(_ original: BookedPayment, _ call: TransactCall, _ books: inout GatewayBooks) -> JSONValue {
        guard !original.isSettled, original.refunded == 0, original.state == .authorized || original.state == .captured
        else {
            return declined(call, "05", "NO ORIGINAL TXN")
        }
        var payment = original
        payment.state = .voided
        books.write(payment)
        if let id = payment.original, var refunded = books.payment(id, at: .ipos) {
            refunded.refunded -= payment.captured
            books.write(refunded)
        }
        return result(of: payment, type: 2, call.reference ?? "")
    }

    /// Partial refunds up to the original's remaining amount.
    private func refund(
        _ original: BookedPayment,
        _ call: TransactCall,
        _ reference: String,
        _ books: inout GatewayBooks
    ) -> JSONValue {
        let amount = call.cents("amount") ?? original.remaining
        guard original.kind != .refund, amount > 0, amount <= original.remaining else {
            return declined(call, "61", "EXCEEDS REFUND LIMIT")
        }
        let number = books.nextNumber
        var host = SeededRandom.host(number, seed: options.seed)
        var refund = BookedPayment(
            gateway: .ipos,
            id: String(500_100_000_000 + number),
            kind: .refund,
            reference: reference,
            invoice: original.invoice,
            account: original.account,
            batch: books.batch(of: original.account, at: .ipos),
            original: original.id,
            currency: .usd,
            requested: amount,
            approved: amount,
            state: .captured,
            code: "00",
            text: "APPROVAL",
            result: "",
            authorizationCode: "TAS" + host.digits(3),
            brand: original.brand,
            lastFour: original.lastFour,
            at: at,
            arrivesAt: nil,
            answersAt: nil
        )
        refund.captured = amount
        books.write(refund)
        var payment = original
        payment.refunded += amount
        books.write(payment)
        return result(of: refund, type: 3, reference)
    }

    private func ticket(_ original: BookedPayment, _ call: TransactCall, _ books: inout GatewayBooks) -> JSONValue {
        let amount = call.cents("amount") ?? original.approved
        let tip = call.cents("tipAmount") ?? 0
        guard original.state == .authorized, amount > 0, amount <= original.approved else {
            return declined(call, "05", "NO ORIGINAL TXN")
        }
        var payment = original
        payment.state = .captured
        payment.captured = amount + tip
        payment.tip = tip
        payment.batch = books.batch(of: payment.account, at: .ipos)
        books.write(payment)
        return result(of: payment, type: 6, call.reference ?? "")
    }

    private func adjust(_ original: BookedPayment, _ call: TransactCall, _ books: inout GatewayBooks) -> JSONValue {
        guard let tip = call.cents("tipAmount") ?? call.cents("amount") else { return invalid("tipAmount is in cents") }
        guard original.kind == .sale || original.kind == .authorization, original.state == .captured,
            !original.isSettled
        else { return declined(call, "05", "NO ORIGINAL TXN") }
        var payment = original
        payment.captured += tip - payment.tip
        payment.tip = tip
        books.write(payment)
        return result(of: payment, type: 7, call.reference ?? "")
    }

    // MARK: Answers

    private static func type(of payment: BookedPayment) -> Int {
        if payment.state == .voided { return 2 }
        switch payment.kind {
        case .sale: return 1
        case .refund, .credit: return 3
        case .authorization: return payment.state == .captured ? 6 : 5
        }
    }

    private static func wrapped(_ response: JSONObject) -> JSONValue { ["iposTransactResponse": .object(response)] }

    private func invalid(_ message: String) -> JSONValue {
        ["errors": [["field": "transactionRequest", "message": .string(message)]]]
    }

    private func declined(_ call: TransactCall, _ code: String, _ message: String) -> JSONValue {
        Self.wrapped([
            "responseCode": 400, "responseMessage": "Declined", "errResponseCode": .string(code),
            "errResponseMessage": .string(message), "transactionReferenceId": .string(call.reference ?? ""),
            "transactionType": .count(call.type ?? 0),
        ])
    }

    private func result(of payment: BookedPayment, type: Int, _ reference: String) -> JSONValue {
        let isDeclined = payment.state == .declined
        let amount = payment.captured == 0 ? payment.approved : payment.captured
        return Self.wrapped([
            "responseCode": isDeclined ? 400 : 200, "responseMessage": isDeclined ? "Declined" : "Successful",
            "errResponseCode": .string(payment.code), "errResponseMessage": .string(payment.text),
            "transactionReferenceId": .string(reference), "transactionType": .count(type),
            "transactionId": .string(payment.id + payment.account.suffix(6) + payment.at.compactText),
            "transactionNumber": .string(String(payment.id.suffix(4))), "batchNumber": .string("\(payment.batch)"),
            "rrn": .string(payment.id), "responseApprovalCode": .string(payment.authorizationCode),
            "amount": .string("\(amount - payment.tip)"), "tips": .string("\(payment.tip)"),
            "totalAmount": .string("\(amount)"), "cardType": .string(payment.brand.uppercased()),
            "cardLast4Digit": .string(payment.lastFour),
        ])
    }
}
