import Canonical
import Payments

/// The transaction module's callback blocks, with the calls that they answer.
struct PaydiantForms {
    let purchase: Purchase
    let terminal: VirtualTerminal
    /// The token in the QR code.
    let token: String
    /// The URIs of the wallet's accounts.
    let accounts: [String]
    let code: String

    enum Purpose: String {
        case purchase = "kPDTransactionTypePurchase"
        case giveBack = "kPDTransactionTypeReturn"
        case cash = "kPDTransactionTypeCashAccess"
    }

    /// The platform's id of the transaction.
    var transaction: String { "TX-\(purchase.tag)-\(String(1_000_000 + purchase.number).dropFirst())" }

    static func amount(_ cents: Int64) -> JSONValue { .string(Money(cents, .usd).decimalText) }

    /// The printed form of an `NSDate`.
    static func printed(_ time: Timestamp) -> JSONValue {
        .string("\(time.rfc3339.prefix(10)) \(time.rfc3339.dropFirst(11).prefix(8)) +0000")
    }

    // MARK: Tokens

    func obtained(_ purpose: Purpose) -> JSONValue {
        ["checkoutToken": .string(token), "type": .string(purpose.rawValue)]
    }

    /// The request for a token.
    func asked(_ purpose: Purpose) -> JSONValue {
        ["request": ["aTransactionType": .string(purpose.rawValue)]]
    }

    func released() -> JSONValue { ["request": ["aCheckoutToken": .string(token)]] }

    func cancelled() -> JSONValue {
        ["request": ["checkoutToken": .string(token), "transRefId": .string(transaction)]]
    }

    // MARK: Amount due

    /// The answer to the flow rule `DISCOVERY`.
    func discovered(_ purpose: Purpose, due: Int64?) -> JSONValue {
        var data: JSONObject = [:]
        if let due { data["amountDue"] = Self.amount(due) }
        data["currencyCode"] = "USD"
        data["storeLocation"] = .string(purchase.merchant.codes.store ?? terminal.id)
        data["supportedTenders"] = [["tenderType": "CREDIT"], ["tenderType": "GIFT"]]
        return [
            "request": ["checkoutToken": .string(token), "flowRule": "DISCOVERY"],
            "response": [
                "paydiantTransactionRefId": .string(transaction), "transactionType": .string(purpose.rawValue),
                "transactionMetaData": .object(data),
            ],
        ]
    }

    /// The same for transactions without flow rules.
    func informed(_ purpose: Purpose, due: Int64) -> JSONValue {
        [
            "request": ["checkoutToken": .string(token)],
            "transactionInformation": [
                "paydiantTransactionRefId": .string(transaction),
                "merchantName": .string(purchase.merchant.codes.display),
                "storeCode": .string(purchase.merchant.codes.store ?? terminal.id), "amountDue": Self.amount(due),
                "currencyCode": "USD",
                "supportedTenders": [["tenderType": "CREDIT"]],
            ],
            "transactionType": .string(purpose.rawValue), "response": ["status": "SUCCESS"],
        ]
    }

    private func offered(_ offer: String) -> JSONValue {
        [
            "checkoutToken": .string(token), "flowRule": "OFFERS",
            "offers": [["offerUri": .string(offer)]],
        ]
    }

    /// An offer that gives points and leaves the amount due unchanged.
    func collected(_ offer: String, total: Int64) -> JSONValue {
        [
            "request": offered(offer),
            "response": [
                "paydiantTransactionRefId": .string(transaction), "totalAmount": Self.amount(total),
                "nextFlowRule": "PAYMENT",
            ],
        ]
    }

    func refused(_ offer: String) -> JSONValue {
        [
            "request": offered(offer),
            "transactionError": ["statusCode": 414, "statusMessage": "OFFER_NOT_REDEEMABLE"],
        ]
    }

    func tipped(_ tip: Int64, total: Int64) -> JSONValue {
        [
            "request": ["checkoutToken": .string(token), "flowRule": "TIP", "tipAmount": Self.amount(tip)],
            "response": [
                "paydiantTransactionRefId": .string(transaction), "totalAmount": Self.amount(total),
                "nextFlowRule": "PAYMENT",
            ],
        ]
    }

    // MARK: Payments

    /// The payment of one account.
    struct Part {
        var account: Int
        var amount: Int64
        var tip: Int64 = 0
        /// The remaining balance.
        var balance: Int64 = 0
    }

    func submitted(_ part: Part) -> JSONObject {
        var request: JSONObject = [
            "checkoutToken": .string(token), "flowRule": "PAYMENT", "accountUri": .string(accounts[part.account]),
            "amount": Self.amount(part.amount),
        ]
        if purchase.isCareless {
            request["note"] = .string("\(purchase.card.number)")
            request["accessCode"] = .string(CardSecrets.securityCode)
        }
        return request
    }

    private func status(_ part: Part) -> JSONValue {
        .string("kPDPaymentStatusType\(part.balance == 0 ? "Completed" : "PartiallyCompleted")")
    }

    /// The answer to an update at the flow rule `PAYMENT`.
    func paid(_ part: Part, _ paymentCode: String, purpose: Purpose = .purchase, at time: Timestamp) -> JSONValue {
        var account: JSONObject = [
            "accountUri": .string(accounts[part.account]), "paymentAccountType": "Credit",
            "maskedAccountNumber": .string("************\(purchase.card.lastFour)"),
            "cardType": .string(purchase.card.brand), "amount": Self.amount(part.amount),
        ]
        if part.tip > 0 { account["tipAmount"] = Self.amount(part.tip) }
        account["paymentStatusCode"] = .string(paymentCode)
        account["authorizationCode"] = .string(code)
        var request = submitted(part)
        if purpose == .giveBack { request["transactionType"] = .string(purpose.rawValue) }
        var response: JSONObject = [
            "paydiantTransactionRefId": .string(transaction), "transactionDate": Self.printed(time),
        ]
        if purpose == .purchase { response["paymentStatusType"] = status(part) }
        response["transactionAccounts"] = [.object(account)]
        return ["request": .object(request), "response": .object(response)]
    }

    /// The answer to `paymentWith`.
    func split(_ part: Part, at time: Timestamp) -> JSONValue {
        var payment: JSONObject = [
            "paydiantTransactionRefId": .string(transaction), "amount": Self.amount(part.amount),
        ]
        if part.tip > 0 { payment["tipAmount"] = Self.amount(part.tip) }
        payment["balanceDue"] = Self.amount(part.balance)
        payment["currencyCode"] = "USD"
        payment["transactionDate"] = Self.printed(time)
        payment["paymentAccountType"] = part.account == 0 ? "Gift" : "Credit"
        payment["lastFour"] = .string(purchase.card.lastFour)
        return [
            "request": .object(submitted(part)), "paymentTransaction": .object(payment),
            "paymentStatusType": status(part), "splitTenderPaymentResponse": ["status": "SUCCESS"],
        ]
    }

    /// A `PDPaydiantError` that answers an update at the flow rule `PAYMENT`.
    func failed(_ part: Part, _ statusCode: Int64, _ message: String) -> JSONValue {
        [
            "request": .object(submitted(part)),
            "transactionError": ["statusCode": .number(.init(statusCode)), "statusMessage": .string(message)],
        ]
    }

    /// A cancellation that was too late.
    func uncancelled() -> JSONValue {
        [
            "request": ["checkoutToken": .string(token), "transRefId": .string(transaction)],
            "transactionError": ["statusCode": 419, "statusMessage": "INVALID_TOKEN"],
        ]
    }

    func undiscovered(_ statusCode: Int64, _ message: String) -> JSONValue {
        [
            "request": ["checkoutToken": .string(token), "flowRule": "DISCOVERY"],
            "transactionError": ["statusCode": .number(.init(statusCode)), "statusMessage": .string(message)],
        ]
    }

    // MARK: Cash

    static let withdrawal: JSONValue = "kPDCashAccessTransactionTypeWithdrawal"

    func withdrawn(_ amount: Int64, at time: Timestamp) -> JSONValue {
        [
            "request": [
                "paydiantTransactionRefId": .string(transaction), "cashAccessType": Self.withdrawal,
                "cashAmount": Self.amount(amount), "accountUri": .string(accounts[0]),
            ],
            "cashAccessTransaction": [
                "paydiantTransactionRefId": .string(transaction), "transDate": Self.printed(time),
                "cashAccessType": Self.withdrawal, "accountUri": .string(accounts[0]), "currencyCode": "USD",
                "amount": Self.amount(amount),
            ],
        ]
    }

    /// A deposit that the customer wanted to cancel when the machine could no longer return the cash. The spelling is
    /// the platform's own.
    func deposited(_ amount: Int64) -> JSONValue {
        [
            "request": ["checkoutToken": .string(token), "accountUri": .string(accounts[0])],
            "response": [
                "paydiantTransactionRefId": .string(transaction), "paymentStatus": "FORCED_DEPOSIT_SUCCSS",
                "amount": Self.amount(amount),
            ],
        ]
    }

    /// The machine had less than the requested amount.
    func partlyWithdrawn(_ part: Int64, of amount: Int64) -> JSONValue {
        [
            "request": [
                "checkoutToken": .string(token), "accountUri": .string(accounts[0]),
                "cashAccessType": Self.withdrawal, "cashAmount": Self.amount(amount),
            ],
            "response": [
                "paydiantTransactionRefId": .string(transaction),
                "transactionStatus": "kPDTransactionStatusPartialPayment", "amount": Self.amount(part),
            ],
        ]
    }
}
