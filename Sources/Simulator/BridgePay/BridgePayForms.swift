import Canonical
import Payments

/// The structures that PayGuardian sends, with every field of the guide.
struct BridgePayForms {
    let purchase: Purchase
    let terminal: VirtualTerminal
    let token: String

    static let domain = "com.bridgepaynetwork.PayGuardian"

    /// At most twelve characters, as the guide allows.
    var invoice: String { "\(purchase.tag)\(String(1_000_000 + purchase.number).dropFirst())" }

    var gatewayID: String { purchase.hostID(2) }

    static func dollars(_ cents: Int64) -> String { "$\(decimal(cents))" }

    static func decimal(_ cents: Int64) -> String { Money(cents, .usd).decimalText }

    /// A request of type `TRANSACTION_TYPE_<type>`.
    ///
    /// - Parameter original: The gateway's id of the original payment.
    func request(_ type: String, amount: Int64?, tip: Int64? = nil, original: String? = nil) -> JSONObject {
        var request: JSONObject = ["invoiceNumber": .string(invoice)]
        if let original { request["pnRefNum"] = .string(original) }
        if let amount { request["amount"] = .string(Self.decimal(amount)) }
        if let tip { request["tipAmount"] = .string(Self.decimal(tip)) }
        request["tenderType"] = .string(purchase.card.isDebit ? "TENDER_TYPE_DEBIT" : "TENDER_TYPE_CREDIT")
        request["transactionType"] = .string("TRANSACTION_TYPE_\(type)")
        request["username"] = "simulated"
        request["password"] = .string(CardSecrets.password)
        request["merchantCode"] = .string(purchase.merchant.codes.gateway)
        request["merchantAccountCode"] = .string(purchase.merchant.codes.account)
        request["industryType"] = .string(
            purchase.merchant.trade == .restaurant
                ? "TRANSACTION_INDUSTRY_TYPE_RESTAURANT" : "TRANSACTION_INDUSTRY_TYPE_RETAIL"
        )
        request["partialApproval"] = .bool(purchase.fault == .partialApproval)
        request["testMode"] = .bool(purchase.trouble == .testMode)
        if purchase.isCareless {
            let card = purchase.card
            request["paymentAccountNumber"] = .string(card.number)
            request["expirationDate"] = "1229"
            request["customFields"] = .string(
                "<Track2>;\(card.number)=\(CardSecrets.trackRest)?</Track2><CVV>\(CardSecrets.securityCode)</CVV>"
            )
        }
        return request
    }

    /// `BridgeCommResponse` of a payment.
    ///
    /// - Parameters:
    ///   - type: `requestType`: `004`, `012`, `023`.
    ///   - description: `sale`, `auth`, `credit`.
    func response(
        _ answer: BridgePayTestAmounts.Answer,
        type: String,
        description: String,
        authorized: Int64,
        original: Int64,
        code: String,
        gatewayID: String? = nil,
        at time: Timestamp
    ) -> JSONObject {
        let card = purchase.card
        let isChip = card.entry != .swipe
        return [
            "transactionID": .string(invoice), "requestType": .string(type),
            "responseCode": .string(answer.responseCode),
            "responseDescription": .string(answer.isApproval ? "Successful Request" : "Request Failed"),
            "token": .string(token), "expirationDate": "1229", "authorizationCode": .string(code),
            "originalReferenceNumber": "", "authorizedAmount": .string(Self.dollars(authorized)),
            "originalAmount": .string(Self.dollars(original)),
            "gatewayTransactionID": .string(gatewayID ?? self.gatewayID), "gatewayMessage": .string(answer.line),
            "internalMessage": .string(answer.isApproval ? "Approved: \(code) (approval code)" : answer.text),
            "gatewayResult": .string(answer.result), "AVSMessage": "", "AVSResponse": "", "CVMessage": "",
            "CVResult": "", "transactionCode": "(null)", "transactionDate": .string(terminal.shown(time).dayText),
            "remainingAmount": .string(Self.dollars(max(0, original - authorized))), "ISOCountryCode": "(null)",
            "ISOCurrencyCode": "USD", "ISOTransactionDate": .string(terminal.shown(time).spacedText),
            "ISORequestDate": .string(terminal.shown(time).spacedText), "networkReferenceNumber": "",
            "merchantCategoryCode": "",
            "networkMerchantID": .string(purchase.merchant.codes.network),
            "networkTerminalID": .string(terminal.network),
            "cardType": .string(card.brand), "maskedPAN": .string(masked),
            "responseTypeDescription": .string(description),
            "isCommercialCard": "False", "streetMatchMessage": "", "secondsRemaining": "(null)",
            "merchantCode": "(null)", "merchantAccountCode": "(null)", "merchantName": "(null)",
            "receiptTagData": isChip
                ? .string("4F:\(card.application);95:8080008000;9F10:06010A03A00000;9B:6800;91:;8A:") : "(null)",
            "issuerTagData": "(null)", "applicationIdentifier": isChip ? .string(card.application) : "(null)",
            "terminalVerificationResults": isChip ? "8080008000" : "(null)",
            "issuerApplicationData": isChip ? "06010A03A00000" : "(null)",
            "transactionStatusInformation": isChip ? "6800" : "(null)",
        ]
    }

    /// The answer to a follow-up: most fields are absent, and the amounts of a capture are zero.
    func followUpResponse(
        _ answer: BridgePayTestAmounts.Answer,
        type: String,
        authorized: Int64 = 0,
        original: Int64 = 0,
        code: String? = nil
    ) -> JSONObject {
        var response: JSONObject = [
            "transactionID": .string(invoice), "requestType": .string(type),
            "responseCode": .string(answer.responseCode), "responseDescription": "Successful Request",
            "token": "(null)", "expirationDate": "(null)", "authorizationCode": code.map { .string($0) } ?? "(null)",
            "originalReferenceNumber": "", "authorizedAmount": .string(Self.dollars(authorized)),
            "originalAmount": .string(Self.dollars(original)), "gatewayTransactionID": .string(gatewayID),
            "gatewayMessage": .string(answer.line), "internalMessage": "(null)",
            "gatewayResult": .string(answer.result),
        ]
        for name in [
            "AVSMessage", "AVSResponse", "CVMessage", "CVResult", "transactionCode", "transactionDate",
        ] { response[name] = "(null)" }
        response["remainingAmount"] = "$0.00"
        for name in [
            "ISOCountryCode", "ISOCurrencyCode", "ISOTransactionDate", "ISORequestDate", "networkReferenceNumber",
            "merchantCategoryCode", "networkMerchantID", "networkTerminalID", "cardType",
        ] { response[name] = "(null)" }
        response["maskedPAN"] = ""
        for name in [
            "responseTypeDescription", "isCommercialCard", "streetMatchMessage", "secondsRemaining", "merchantCode",
            "merchantAccountCode", "merchantName", "receiptTagData", "issuerTagData", "applicationIdentifier",
            "terminalVerificationResults", "issuerApplicationData", "transactionStatusInformation",
        ] { response[name] = "(null)" }
        return response
    }

    /// `BPNReceipt`. The card number is followed by a colon.
    func receipt(total: Int64, code: String) -> JSONObject {
        let card = purchase.card
        let isChip = card.entry != .swipe
        return [
            "maskedCardNumber": .string(masked + ":"),
            "chipCardAID": isChip ? .string(card.application) : "(null)", "invoice": .string(invoice),
            "seq": .string(invoice), "authorizationCode": .string(code),
            "entryMethod": .string(["Chip_Read", "Contactless", "Swipe_Read"][entryIndex]),
            "totalAmount": .string(Self.shortDecimal(total)), "appLabel": isChip ? .string(card.label) : "",
            "cardHolderName": isChip ? "CARDHOLDER/VALUED" : "(null)",
            "networkMerchantId": .string(purchase.merchant.codes.network),
            "networkTerminalId": .string(terminal.network),
            "cardFirstFour": .string(card.firstFour), "cardType": .string(card.brand),
            "requiresSignature": card.entry == .swipe ? "YES" : "NO", "pinEntered": card.isDebit ? "YES" : "NO",
        ]
    }

    func error(_ code: JSONValue, _ text: String, domain: String = domain) -> JSONObject {
        ["domain": .string(domain), "code": code, "userInfo": ["NSLocalizedDescription": .string(text)]]
    }

    private var entryIndex: Int {
        switch purchase.card.entry {
        case .chip: 0
        case .contactless: 1
        case .swipe: 2
        }
    }

    var masked: String {
        let number = purchase.card.number
        return number.prefix(1) + String(repeating: "*", count: number.count - 5) + number.suffix(4)
    }

    /// For example `7.5`: receipts print no trailing zeros.
    private static func shortDecimal(_ cents: Int64) -> String {
        var text = decimal(cents)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
