import Canonical
import Payments

/// SPIn's proxy, with one terminal for each TPN.
///
/// Sources: SPIn REST API, methods and error codes. A `ReferenceId` is unique within a batch. After `Settle` the
/// terminal has no data of the closed batch: `Status` does not find its payments.
struct SpinGateway {
    let options: GatewayOptions
    let at: Timestamp

    static let methods = [
        "Sale", "Auth", "Capture", "Void", "Return", "TipAdjust", "Status", "StatusList", "Settle",
    ]

    func answer(_ method: String, _ body: JSONObject, _ books: inout GatewayBooks) -> JSONValue {
        let call = SpinCall(method: method, body: body)
        guard let tpn = call.tpn else { return failure(call, "1013", "Bad Request") }
        guard call.isAuthenticated else { return failure(call, "1009", "Authentication Failed") }
        if method == "Settle" { return settle(call, tpn, &books) }
        if method == "StatusList" { return statusList(call, tpn, books) }
        guard call.reference != nil else { return failure(call, "1010", "Missing Reference ID") }
        switch method {
        case "Sale": return pay(.sale, call, tpn, &books)
        case "Auth": return pay(.authorization, call, tpn, &books)
        case "Return": return pay(.credit, call, tpn, &books)
        case "Capture": return capture(call, tpn, &books)
        case "Void": return void(call, tpn, &books)
        case "TipAdjust": return adjust(call, tpn, &books)
        case "Status": return status(call, tpn, books)
        default: return failure(call, "1002", "Not Implemented")
        }
    }

    // MARK: Payments

    private func pay(
        _ kind: BookedPayment.Kind,
        _ call: SpinCall,
        _ tpn: String,
        _ books: inout GatewayBooks
    ) -> JSONValue {
        guard let amount = call.amount("Amount"), amount > 0, let reference = call.reference else {
            return failure(call, "1013", "Bad Request")
        }
        // An authorisation may not have a tip or a fee.
        let tip = call.amount("TipAmount") ?? 0
        if kind != .sale, tip != 0 { return failure(call, "1004", "Not Allowed") }
        if let known = stored(reference, tpn, books) {
            books.noteRepeat(of: known)
            return failure(call, "1011", "Duplicate Reference Id")
        }
        let total = amount + tip
        let ruled = DejavooHostAmount(total, tip: tip)
        let number = books.nextNumber
        var host = SeededRandom.host(number, seed: options.seed)
        let card = StandInCard.presented(for: reference, seed: options.seed)
        var payment = BookedPayment(
            gateway: .dejavoo,
            id: String(400_900_000_000 + number),
            kind: kind,
            reference: reference,
            invoice: call.text("InvoiceNumber"),
            account: tpn,
            batch: books.batch(of: tpn, at: .dejavoo),
            original: nil,
            currency: .usd,
            requested: total,
            approved: ruled.approved,
            state: ruled.approved == 0 ? .declined : kind == .authorization ? .authorized : .captured,
            code: ruled.hostCode,
            text: ruled.message,
            result: "",
            authorizationCode: ruled.approved > 0 ? "DSC" + host.digits(3) : "",
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
        guard ruled.isKnown else {
            return failure(call, "1014", "Communication Error", host: (ruled.hostCode, ruled.message))
        }
        return result(of: payment, call)
    }

    private func capture(_ call: SpinCall, _ tpn: String, _ books: inout GatewayBooks) -> JSONValue {
        guard var payment = stored(call.reference, tpn, books), payment.kind == .authorization else {
            return failure(call, "1001", "Not Found")
        }
        let tip = call.amount("TipAmount") ?? 0
        guard payment.state == .authorized, let amount = call.amount("Amount"), amount > 0,
            amount <= payment.approved
        else { return failure(call, "1004", "Not Allowed") }
        payment.state = .captured
        payment.captured = amount + tip
        payment.tip = tip
        payment.batch = books.batch(of: tpn, at: .dejavoo)
        books.write(payment)
        return result(of: payment, call)
    }

    /// A void requires the payment's whole amount.
    private func void(_ call: SpinCall, _ tpn: String, _ books: inout GatewayBooks) -> JSONValue {
        guard var payment = stored(call.reference, tpn, books), payment.state != .voided,
            call.amount("Amount") == (payment.state == .authorized ? payment.approved : payment.captured)
        else { return failure(call, "1001", "Not Found") }
        payment.state = .voided
        books.write(payment)
        return result(of: payment, call)
    }

    private func adjust(_ call: SpinCall, _ tpn: String, _ books: inout GatewayBooks) -> JSONValue {
        guard let tip = call.amount("TipAmount") else { return failure(call, "1013", "Bad Request") }
        guard var payment = stored(call.reference, tpn, books), payment.state == .captured, payment.kind != .credit
        else { return failure(call, "1001", "Not Found") }
        payment.captured += tip - payment.tip
        payment.tip = tip
        books.write(payment)
        return result(of: payment, call)
    }

    // MARK: Queries

    private func status(_ call: SpinCall, _ tpn: String, _ books: GatewayBooks) -> JSONValue {
        if let payment = stored(call.reference, tpn, books) { return result(of: payment, call) }
        let declined = inBatch(tpn, books).last { $0.reference == call.reference }
        return declined.map { result(of: $0, call) } ?? failure(call, "1001", "Not Found")
    }

    private func statusList(_ call: SpinCall, _ tpn: String, _ books: GatewayBooks) -> JSONValue {
        guard let from = call.body["TransactionFromIndex"]?.int64, let to = call.body["TransactionToIndex"]?.int64,
            (1...5_000).contains(from), (from...5_000).contains(to)
        else { return failure(call, "1013", "Bad Request") }
        let listed = inBatch(tpn, books).enumerated().filter { (from...to).contains(Int64($0.offset) + 1) }
        return [
            "GeneralResponse": general("0", "0000", "Approved", "Ok"),
            "Transactions": .array(listed.map { result(of: $0.element, call) }),
        ]
    }

    private func settle(_ call: SpinCall, _ tpn: String, _ books: inout GatewayBooks) -> JSONValue {
        let voided = inBatch(tpn, books).filter { $0.state == .voided }
        let batch = books.batch(of: tpn, at: .dejavoo)
        let settled = books.settle(tpn, at: .dejavoo)
        guard !settled.isEmpty else { return failure(call, "1020", "No Open Batch") }
        let sales = settled.filter { $0.kind != .credit }.reduce(0) { $0 + $1.captured }
        let returns = settled.filter { $0.kind == .credit }.reduce(0) { $0 + $1.captured }
        return [
            "GeneralResponse": general("0", "0000", "Approved", "Ok"), "BatchNumber": .string("\(batch)"),
            "SettleDetails": [
                [
                    "Application": "Credit", "HostStatus": "00", "DetailedMessage": "BATCH CLOSED",
                    "TransactionsReports": [
                        "TransactionsCount": .count(settled.count), "SaleAmount": Self.double(sales),
                        "ReturnAmount": Self.double(returns),
                        "VoidAmount": Self.double(voided.reduce(0) { $0 + $1.captured }), "AuthAmount": 0,
                        "TotalAmount": Self.double(sales - returns),
                    ],
                ]
            ],
        ]
    }

    // MARK: The terminal's batch

    /// The payments in the terminal's open batch, declined attempts included.
    private func inBatch(_ tpn: String, _ books: GatewayBooks) -> [BookedPayment] {
        let batch = books.batch(of: tpn, at: .dejavoo)
        return books.payments.filter {
            $0.gateway == .dejavoo && $0.account == tpn && !$0.isSettled
                && ($0.batch == batch || $0.state == .authorized)
        }
    }

    /// The approved payment with this reference in the open batch.
    private func stored(_ reference: String?, _ tpn: String, _ books: GatewayBooks) -> BookedPayment? {
        guard let reference else { return nil }
        let batch = books.batch(of: tpn, at: .dejavoo)
        return books.payments(reference: reference, at: .dejavoo).last {
            $0.account == tpn && !$0.isSettled && $0.state != .declined
                && ($0.batch == batch || $0.state == .authorized)
        }
    }
}
