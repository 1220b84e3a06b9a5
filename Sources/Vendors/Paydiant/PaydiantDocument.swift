import Canonical
import Payments

/// One document of the transaction module of any kind: the request, the answer and the checkout.
struct PaydiantDocument {
    enum Result {
        /// The call alone.
        case requested
        case completed
        case failed(PaydiantError)
    }

    let kind: String
    let method: PaydiantMethod
    let result: Result
    let asked: PaydiantFields
    let reported: PaydiantFields
    let context: DocumentContext
    /// Nil if the document names no checkout token, or one that had to be masked.
    let checkout: CheckoutReference?
    /// `paydiantTransactionRefId`.
    let transaction: String?
    let currency: Currency
    let time: String?
    let at: ReportedTime?
    /// Anomalies of fields on which no fact depends.
    var anomalies: [Anomaly] = []

    init(
        kind: String,
        method: PaydiantMethod,
        result: Result,
        asked: PaydiantFields,
        reported: PaydiantFields,
        context: DocumentContext
    ) throws {
        self.kind = kind
        self.method = method
        self.result = result
        self.asked = asked
        self.reported = reported
        self.context = context
        let all = PaydiantFields(scopes: reported.scopes + asked.scopes)
        let token = try all.text("checkouttoken", "acheckouttoken", "checkouttokenvalue")
        checkout = token.flatMap { Self.digest($0) }.map { CheckoutReference(vendor: .paydiant, digest: $0) }
        transaction = try all.identifier(
            "paydianttransactionrefid",
            "paydiantreferenceid",
            "transrefid",
            "transactionrefid"
        ).flatMap { $0.contains("*") ? nil : $0 }
        currency = try Self.currency(all)
        time = try all.text("transdate", "transactiondate", "paymentdate")
        let printed = time.flatMap { ReportedTime(printed: $0) }
        at = printed ?? context.reportedTime
        if time != nil && printed == nil { anomalies.append(Anomaly(.malformedField, "the time cannot be read")) }
        if token != nil && checkout == nil {
            anomalies.append(
                Anomaly(
                    .malformedField,
                    "the checkout token resembles a card number and was masked; it is not used as a name"
                )
            )
        }
    }

    /// The scrubber's digest of a token; nil for a masked token.
    private static func digest(_ token: String) -> String? { token.hasPrefix("sha256:") ? token : nil }

    /// Amounts are in dollars unless the document names another currency.
    private static func currency(_ fields: PaydiantFields) throws -> Currency {
        guard let name = try fields.text("currencycode", "currency") else { return .usd }
        guard let currency = Currency(named: name) else {
            throw Refusal(
                .unknownCurrency,
                "An ISO 4217 currency code is expected.",
                pointer: fields.pointer + "/currencyCode"
            )
        }
        return currency
    }

    // MARK: Names

    var references: References {
        References(
            vendorTransaction: transaction,
            merchant: reported.label("merchantid", "merchant", "merchantname"),
            gatewayAccount: reported.label("storelocation", "storecode"),
            terminal: context.terminal
        )
    }

    /// The payment's keys. The checkout token names the payment from the first call to the last; the platform's id
    /// arrives with the first answer that has it.
    var keys: [ReferenceKey] {
        var keys: [ReferenceKey] = []
        if let checkout {
            keys.append(ReferenceKey(vendor: .paydiant, scheme: .checkoutToken, value: checkout.digest))
        }
        if let transaction {
            keys.append(ReferenceKey(vendor: .paydiant, scheme: .vendorTransaction, value: transaction))
        }
        return keys
    }

    private var identity: DocumentIdentity? {
        guard let name = transaction ?? checkout?.digest else { return nil }
        let stage = flowRule.map { ":\($0)" } ?? ""
        return DocumentIdentity(account: context.merchant, transaction: name, kind: kind + stage, time: time)
    }

    /// The transaction's stage that the call is about.
    var flowRule: String? { asked.label("flowrule", "currentflowrule", "flowruletype") }

    // MARK: Values outside the tables

    mutating func note(unknown value: String, in field: String) {
        let shown = value.utf8.count <= 64 && AmountFigure.isPrintable(value) ? ": \(value)" : ""
        anomalies.append(Anomaly(.unknownValue, "\(field) is not in the vendor's table\(shown)"))
    }

    // MARK: Observations

    func observation(_ subject: Observation.Subject) -> Observation {
        Observation(
            subject: subject,
            keys: keys,
            identity: identity,
            occurredAt: at,
            policy: PaydiantAdapter.policy
        )
    }

    func payment(_ events: [TransactionEvent]) -> Observation {
        observation(.transaction(events + anomalies.map { .anomalyRaised($0) }))
    }

    /// The outcome of a token when no money is involved. Without a token the document is only an answer of the SDK on
    /// the device.
    func tokenLife(
        _ name: CheckoutEvent.Name,
        _ response: Response = Response(),
        amounts: Amounts? = nil,
        details: [Detail] = []
    ) -> Observation {
        guard let event = checkoutEvent(name, response, amounts: amounts, details: details), let checkout else {
            return device(.commandAnswered, response)
        }
        return observation(.checkout(checkout, [event], anomalies))
    }

    func checkoutEvent(
        _ name: CheckoutEvent.Name,
        _ response: Response = Response(),
        amounts: Amounts? = nil,
        details: [Detail] = []
    ) -> CheckoutEvent? {
        guard let checkout else { return nil }
        let details = self.details + details
        return CheckoutEvent(
            name,
            CheckoutReport(
                checkout: checkout,
                response: response,
                amounts: amounts,
                references: references,
                details: details.isEmpty ? nil : details,
                at: at
            )
        )
    }

    func device(
        _ name: DeviceEvent.Name,
        _ response: Response = Response(),
        attempted: Money? = nil
    ) -> Observation {
        let report = DeviceReport(
            response: response,
            details: [Detail("method", method.rawValue)] + details
                + [checkout.map { Detail("checkoutToken", $0.digest) }].compactMap(\.self),
            at: at,
            attempted: attempted
        )
        var observation = observation(.device(nil, [DeviceEvent(name, report)], anomalies))
        // A document about the token alone is not about a payment yet.
        if !isAboutPayment { observation.keys = [] }
        return observation
    }

    private var isAboutPayment: Bool {
        switch method {
        case .updateTransaction, .paymentWith, .submitATMCashAccessAmount, .cancelTransactionUsingToken: true
        case .obtainCheckoutTokenFor, .releaseCheckoutToken, .retrieveTransactionMetaData,
            .retrieveTransactionInformation, .generateAccessCode:
            false
        }
    }

    /// Further fields worth showing, under the vendor's names.
    private var details: [Detail] {
        let all = PaydiantFields(scopes: reported.scopes + asked.scopes)
        var details: [Detail] = []
        func add(_ name: String, _ value: String?) {
            if let value { details.append(Detail(name, value)) }
        }
        add("flowRule", flowRule)
        add("nextFlowRule", reported.label("nextflowrule"))
        add("transactionType", all.label("transactiontype", "atransactiontype"))
        add("cashAccessType", all.label("cashaccesstype"))
        add("transactionStatus", reported.label("transactionstatus"))
        add("paymentStatus", reported.label("paymentstatus"))
        add("storeLocation", reported.label("storelocation", "storecode"))
        add("length", asked.label("length"))
        if case .failed(let error) = result {
            add("errorCode", error.paymentCode)
            add("externalErrorCode", error.externalCode)
        }
        return details
    }
}
