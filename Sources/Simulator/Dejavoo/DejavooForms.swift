import Canonical
import Payments

/// The answers of iPOSgo over deep linking, as versions 1 and 2 print them.
struct DejavooForms {
    let purchase: Purchase
    let terminal: VirtualTerminal
    /// `TransNum`: the terminal's counter.
    let invoice: Int
    /// For example `DSC380`.
    let code: String
    let token: String
    /// The retrieval reference number of another payment that a void names.
    var mistaken: String?
    /// Values of the guide's tables that an answer can have.
    var variant: Variant?

    struct Variant: Sendable, Hashable {
        var entry: String
        var network: String
        /// `ResultCode`, `RespCode` and `HostResponseCode` of an approval.
        var result: String
        var code: String
        var label: String
        var request: String
    }

    /// The host's answer.
    struct Answer: Sendable, Hashable {
        var code: String
        var message: String
        var result = "0"

        var isApproval: Bool { code == "00" || code == "10" }
        /// True if the app stopped before anything was sent: then the payment has no id.
        var isLocal: Bool { code.isEmpty }
    }

    /// The name of a transaction type, with its number in the response table if there is one.
    enum Kind: String {
        case sale = "Sale"
        case refund = "Refund"
        case authorization = "Pre Auth"
        case ticket = "Ticket"
        case void = "Void"

        var number: String {
            switch self {
            case .sale: "1"
            case .refund: "2"
            case .authorization: "5"
            case .ticket: "6"
            case .void: "3"
            }
        }

        /// The type in the app's request, `.SALE`.
        var request: String {
            switch self {
            case .authorization: ".PRE_AUTH"
            default: ".\(rawValue.uppercased())"
            }
        }

        /// The type in a request of version 1.
        var legacyRequest: String { self == .authorization ? "PREAUTH" : rawValue.uppercased() }
    }

    /// The retrieval reference number of the payment itself.
    var retrieval: String { purchase.hostID(4) }

    /// Twelve digits of the reference, six of the terminal, and the time.
    func transaction(_ kind: Kind, at time: Timestamp) -> String {
        "\(reference(kind))\(terminal.id.suffix(6))\(time.compactText)"
    }

    private func reference(_ kind: Kind) -> String {
        switch kind {
        case .ticket: purchase.hostID(6)
        case .void: purchase.hostID(7)
        default: purchase.hostID(5)
        }
    }

    /// The retrieval reference number of a transaction of this kind.
    private func retrieval(_ kind: Kind) -> String {
        switch kind {
        case .ticket: purchase.hostID(8)
        case .void: purchase.hostID(9)
        default: retrieval
        }
    }

    private static func decimal(_ cents: Int64) -> JSONValue { .string(Money(cents, .usd).decimalText) }

    // MARK: Version 2

    /// The body of `Spin_Response`, with the app's request.
    ///
    /// - Parameter asked: The requested amounts; nil for a void.
    func spin(_ kind: Kind, _ answer: Answer, _ basket: Basket, asked: Basket?, at time: Timestamp) -> JSONObject {
        var details: JSONObject = ["Amount": Self.decimal(basket.base)]
        if basket.tip > 0 { details["Tip"] = Self.decimal(basket.tip) }
        if basket.fee > 0 {
            details["Fee"] = Self.decimal(basket.fee)
            details["FeeLabel"] = "Custom Fee"
        }
        details["BatchNum"] = .string("\(terminal.batch)")
        details["AcntLast4"] = .string(purchase.card.lastFour)
        details["AcntFirst4"] = .string(purchase.card.firstFour)
        details["BaseAmount"] = Self.decimal(basket.base)
        for (tax, fields) in zip(taxes(of: basket), Self.taxFields) {
            details[fields.amount] = Self.decimal(tax.amount)
            details[fields.label] = .string(tax.label)
        }
        details["RespCode"] = .string(variant?.code ?? answer.code)
        if !answer.isLocal {
            details["RRN"] = .string(retrieval(kind))
            details["HostTxnId"] = .string("000\(retrieval(kind))")
            details["txnId"] = .string(transaction(kind, at: time))
        }
        details["TraceNum"] = .string("\(invoice)")
        details["TxnType"] = .string(kind.number)
        details["EntryType"] = .string(variant?.entry ?? "tap-on-phone")
        details["TotalAmt"] = Self.decimal(basket.total)
        if basket.tax > 0 { details["TaxAmount"] = Self.decimal(basket.tax) }
        details["txnLabel"] = .string(variant?.label ?? kind.rawValue)
        details["networkMode"] = .string(variant?.network ?? "WIFI")
        details["DateTime"] = .string(terminal.shown(time).compactText)
        let response: JSONObject = [
            "RefId": .string(reference(kind)), "AuthCode": .string(answer.isApproval ? code : ""),
            "PNRef": .string(answer.isLocal ? "" : retrieval(kind)), "TransNum": .string("\(invoice)"),
            "ResultCode": .string(variant?.result ?? answer.result),
            "Message": .string(answer.isApproval ? "APPROVED" : "DECLINED"),
            "RespMsg": .string(answer.message), "PaymentType": purchase.card.isDebit ? "debit" : "credit",
            "CardType": .string(purchase.card.brand.uppercased()), "ExtData": .object(details),
            "iPOSToken": .string(token), "HostResponseCode": .string(variant?.code ?? answer.code),
            "HostResponseMessage": .string(answer.message),
        ]
        return ["request": .object(request(kind, asked)), "Spin_Response": .object(response)]
    }

    /// The app's request.
    ///
    /// - Parameter asked: Nil for a void.
    func request(_ kind: Kind, _ asked: Basket?) -> JSONObject {
        var request: JSONObject = ["tranType": .string(variant?.request ?? kind.request)]
        if let asked {
            request["amount"] = Self.decimal(asked.base)
            if asked.tip > 0 { request["tipAmount"] = Self.decimal(asked.tip) }
            if kind == .ticket, asked.fee > 0 { request["feeAmount"] = Self.decimal(asked.fee) }
            request["currencyCode"] = ".USD"
        }
        if kind == .ticket || kind == .void { request["rrn"] = .string(mistaken ?? retrieval) }
        request["showApprovalScreen"] = true
        if purchase.isCareless {
            request["cardNumber"] = .string(purchase.card.number)
            request["note"] = .string("keyed \(purchase.card.number) cvv \(CardSecrets.securityCode)")
        }
        return request
    }

    private static let taxFields = [
        (amount: "TaxCity", label: "Tax1Label"), (amount: "TaxState", label: "Tax2Label"),
    ]

    /// The local and the state tax; none without taxes.
    func taxes(of basket: Basket) -> [TaxTruth] {
        guard basket.tax > 0 else { return [] }
        let local = basket.tax / 2
        return [
            TaxTruth(label: "Local Tax", amount: local), TaxTruth(label: "State Tax", amount: basket.tax - local),
        ]
    }

    /// The body of `didReceiveRespV2Error`, with the app's request.
    func error(_ text: String) -> JSONValue {
        ["err": .string(text), "request": .object(request(.sale, purchase.basket))]
    }

    /// The link that opens iPOSgo.
    static let link: JSONValue = ["success": "iposgo://invokeApplink?ogApplink=till"]

    // MARK: Version 1

    /// The arguments of `makeARequestBasedOnTransactionTypes`.
    func legacyRequest(_ kind: Kind, _ basket: Basket) -> JSONValue {
        [
            "type": .string(
                // Version 1 documents types in both cases.
                kind == .ticket && purchase.trouble == .ticketParts ? "ticket" : kind.legacyRequest
            ),
            "amount": kind == .void || kind == .ticket ? .string(mistaken ?? retrieval) : Self.decimal(basket.base),
        ]
    }

    /// The body of `didReceiveResponse`, with the app's request.
    func legacy(_ kind: Kind, _ answer: Answer, _ basket: Basket, at time: Timestamp) -> JSONObject {
        func amount(_ cents: Int64, _ label: String) -> JSONValue {
            ["Amt": Self.decimal(cents), "Label": .string(label)]
        }
        let number = purchase.card.number
        var body: JSONObject = [
            "request": legacyRequest(kind, basket),
            "Card": [
                "AID": .string(purchase.card.application), "Label": .string(label),
                "MaskedPan": .string("\(number.prefix(6))\(number.suffix(4))"),
            ],
            "BaseAmt": amount(basket.base, "Amount"),
            "TxDetail": [
                "DateNTime": .string(terminal.shown(time).compactText), "Tpn": .string(terminal.id),
                "TraceNo": .string("\(invoice)"),
            ],
        ]
        if basket.fee > 0 { body["BaseFee"] = amount(basket.fee, "BaseFee") }
        for tax in legacyTaxes(of: basket) { body["Tax2"] = amount(tax.amount, tax.label) }
        body["surveyAns"] = "1"
        body["Currency"] = "840"
        if basket.tip > 0 { body["Tip"] = amount(basket.tip, "Tip") }
        var response: JSONObject = [
            "AppCode": .string(answer.isApproval ? code : ""), "BatchNo": .string("\(terminal.batch)"),
            "CardType": purchase.card.isDebit ? "DEBIT" : "CREDIT",
        ]
        if !answer.isLocal {
            response["DTxId"] = .string(transaction(kind, at: time))
            response["HTxId"] = .string("000\(retrieval(kind))")
        }
        response["InvoiceNo"] = .string("\(invoice)")
        // The app's own errors use a code that the host uses as well; the text distinguishes them.
        response["RespCode"] = .string(answer.isLocal ? "05" : answer.code)
        response["RespMsg"] = .string(answer.isLocal ? "STMT/TXN INPRGRS" : "\(answer.message) ")
        if !answer.isLocal {
            response["Rrn"] = .string(retrieval(kind))
            response["TxRefNo"] = .string(reference(kind))
        }
        body["Response"] = .object(response)
        return body
    }

    /// Version 1 prints one tax; none without taxes.
    func legacyTaxes(of basket: Basket) -> [TaxTruth] {
        basket.tax > 0 ? [TaxTruth(label: "Tax2", amount: basket.tax)] : []
    }

    /// The scheme, in the guide's words where its tables are played.
    private var label: String {
        purchase.trouble == .codeTables && purchase.card.brand == "American Express"
            ? "AMEX" : purchase.card.brand.uppercased()
    }

    // MARK: Batches

    /// SPIn's totals of an open batch.
    static func summary(_ totals: BatchTotals) -> JSONValue {
        func amount(_ cents: Int64) -> JSONValue { .string(Money(cents, .usd).decimalText) }
        return [
            "GeneralResponse": ["ResultCode": "0", "StatusCode": "0000"],
            "SettleDetails": [
                [
                    "Application": "Credit",
                    "TransactionsReports": [
                        "TransactionsCount": .number(.init(Int64(totals.count))),
                        "SaleAmount": amount(totals.sales),
                        "ReturnAmount": amount(totals.returns), "TicketAmount": amount(0),
                        "ReversalAmount": amount(0), "CashAdvanceAmount": amount(0),
                        "TotalAmount": amount(totals.sales - totals.returns),
                    ],
                ]
            ],
        ]
    }

    /// The answer to `startBatchSettlement`.
    static func settlement(_ terminal: VirtualTerminal, isRefused: Bool, number: Int, at time: Timestamp) -> JSONValue {
        [
            "transaction_title": "settlements", "Tpn": .string(terminal.id), "transaction_type": 7,
            "batch_no": .number(.init(Int64(terminal.batch))),
            "timeStamp": .string(terminal.shown(time).compactText),
            "transaction_id": .string("8\(terminal.id.prefix(5))\(number)\(terminal.id.suffix(6))\(time.compactText)"),
            "status": isRefused ? "RECONCILE ERROR" : "BATCH SETTLED", "statusCode": isRefused ? "95" : "00",
        ]
    }
}
