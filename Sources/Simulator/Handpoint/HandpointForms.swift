import Canonical
import Payments

/// The reports of the Heft SDK to its delegates, and the apps' calls.
struct HandpointForms {
    let purchase: Purchase
    let terminal: VirtualTerminal
    /// The payment's EFT reference.
    let reference: String
    let code: String
    /// `TransactionID`: the reader's counter.
    let number: Int

    /// Statuses of the reader, by the number that its tables print in hexadecimal.
    enum Status: Int64 {
        case success = 0x01
        case cardReadingFailed = 0x0F
        case userCancelled = 0x12
        case invalidSignature = 0x13
        case waitingCard = 0x14
        case pinInput = 0x19
        case sending = 0x21
        case receiving = 0x22
        case merchantCancelled = 0x25
        case cardCancelled = 0x27
        case responseTimeout = 0x2C

        var text: String {
            switch self {
            case .success: "Success"
            case .cardReadingFailed: "Failed to read card data"
            case .userCancelled: "User cancelled the transaction"
            case .waitingCard: "Waiting for card"
            case .pinInput: "Waiting for PIN entry"
            case .sending: "Sending data to host"
            case .receiving: "Waiting for data from host"
            case .cardCancelled, .invalidSignature, .merchantCancelled: "TRANSACTION VOID"
            case .responseTimeout: "Response to payment request timed out"
            }
        }

        /// An operation can be cancelled until the request is sent.
        var allowsCancel: Bool { self == .waitingCard }
    }

    private var currency: Currency { purchase.merchant.currency }

    // MARK: Requests

    /// The parameters of `saleWithAmount` and `refundWithAmount`.
    func request(_ amount: Int64) -> JSONObject {
        var request: JSONObject = [
            "amount": .number(.init(amount)), "currency": .string(currency.alpha), "cardholder": true,
            "reference": .string(purchase.reference),
        ]
        if purchase.isCareless { request["note"] = .string("card \(purchase.card.number)") }
        return request
    }

    /// The parameters of `saleVoidWithAmount` and `refundVoidWithAmount`.
    ///
    /// - Parameter other: The EFT reference of another payment, if the request names that.
    func voidRequest(_ amount: Int64, of other: String? = nil) -> JSONValue {
        [
            "amount": .number(.init(amount)), "currency": .string(currency.alpha), "cardholder": true,
            "transaction": .string(other ?? reference),
        ]
    }

    // MARK: Reports

    private func common(_ message: String) -> JSONObject {
        HandpointReader(terminal: terminal).common(message)
    }

    /// `responseStatus`: the progress of the operation.
    func status(_ status: Status) -> JSONValue {
        var xml = common(status.text)
        xml["CancelAllowed"] = status.allowsCancel ? "true" : "false"
        return [
            "statusCode": .number(.init(status.rawValue)), "status": .string(status.text), "xml": .object(xml),
        ]
    }

    /// `responseError`, with the app's request.
    func error(_ status: Status, _ amount: Int64) -> JSONValue {
        [
            "statusCode": .number(.init(status.rawValue)), "status": .string(status.text),
            "xml": .object(common(status.text)),
            "request": [
                "command": "saleWithAmount", "amount": .number(.init(amount)), "currency": .string(currency.alpha),
            ],
        ]
    }

    /// The end of an operation.
    struct Ending {
        var type = "SALE"
        var financial: String
        var result: Int64
        var message: String
        var status = Status.success
        var requested: Int64
        var total: Int64
        var tip: Int64 = 0
        /// The approved amount, if less than the total.
        var approved: Int64?
        /// The EFT reference of this operation; nil if there is none.
        var reference: String?
        var original: String?
        var isRecovered = false

        var isAuthorised: Bool { financial == "AUTHORISED" || financial == "PARTIAL_APPROVAL" }
    }

    /// `responseFinanceStatus`.
    func finance(_ ending: Ending, at time: Timestamp) -> JSONValue {
        var xml = common(ending.message)
        xml["TransactionType"] = .string(ending.type)
        xml["FinancialStatus"] = .string(ending.financial)
        let isVoid = ending.type.hasPrefix("VOID") || ending.type.hasPrefix("CANCEL")
        if !isVoid {
            xml["RequestedAmount"] = .string("\(ending.requested)")
            if ending.tip > 0 { xml["GratuityAmount"] = .string("\(ending.tip)") }
            xml["TotalAmount"] = .string("\(ending.total)")
            xml["Currency"] = .string(currency.numericText)
        }
        if let reference = ending.reference {
            xml["TransactionID"] = .string("\(number)")
            xml["EFTTransactionID"] = .string(reference)
        }
        if let original = ending.original { xml["OriginalEFTTransactionID"] = .string(original) }
        xml["EFTTimestamp"] = .string(terminal.shown(time).compactText)
        if ending.isAuthorised { xml["AuthorisationCode"] = .string(code) }
        if !isVoid {
            let card = purchase.card
            xml["CVM"] = .string(
                ending.isAuthorised
                    ? (card.entry == .swipe ? "SIGNATURE" : card.entry == .chip ? "PIN" : "NOT_REQUIRED") : "UNDEFINED"
            )
            xml["CardEntryType"] = .string(card.entry == .swipe ? "MSR" : "ICC")
            xml["CardSchemeName"] = .string(card.brand.uppercased())
            xml["CardTypeId"] = "3000"
        }
        if let approved = ending.approved { xml["DueAmount"] = .string("\(ending.total - approved)") }
        if ending.isRecovered { xml["RecoveredTransaction"] = "true" }
        var body: JSONObject = [
            "statusCode": .number(.init(ending.status.rawValue)), "status": .string(ending.financial),
            "financialResult": .number(.init(ending.result)),
        ]
        if ending.isAuthorised && !isVoid {
            body["authorisedAmount"] = .number(.init(ending.approved ?? ending.total))
            body["customerReceipt"] = .string(receipt(ending, at: time))
        }
        if let reference = ending.reference { body["transactionId"] = .string(reference) }
        body["xml"] = .object(xml)
        return .object(body)
    }

    /// The receipt as formatted by the reader.
    func receipt(_ ending: Ending, at time: Timestamp) -> String {
        let card = purchase.card
        let shown = terminal.shown(time).rfc3339
        let day = shown.prefix(10)
        let number = purchase.isCareless ? card.number : "**** **** **** \(card.lastFour)"
        return "<html><body><div id='merchant_name'>Merchant \(purchase.merchant.id)</div>"
            + "<div id='date'>Date: \(day)</div><div id='time'>Time: \(shown.dropFirst(11).prefix(5))</div>"
            + "Auth code: \(code)<br/><div id='receipt_owner'>** CARDHOLDER COPY **</div>"
            + "Application Label: \(card.label)<br/>CardNumber: \(number)<br/>Aid: \(card.application)<br/>"
            + "<div id='transaction_type'>\(ending.type)</div><div id='amount_value'>\(currency.alpha)"
            + "\(Money(ending.approved ?? ending.total, currency).decimalText)</div>"
            + "<br/>** \(ending.financial) **</body></html>"
    }
}
