import Canonical
import Payments
import Redaction

/// `FinanceResponseInfo`, which ends every operation, and `ResponseInfo` if it ends a payment.
///
/// An app may add its request as `request`, with the method's name as `command`.
struct FinanceResponse {
    let body: Fields
    let request: Fields?
    let context: DocumentContext
    var details: HandpointDetails
    let status: HeftStatus
    /// The callback or the reader reports that the response is about an earlier operation.
    let isRecovered: Bool
    /// The source of the result, for a response about an earlier operation.
    let means: Resolution.Means
    /// Nil if neither the document nor the reader's message names one of the vendor's types.
    let type: HandpointTransactionType?
    let namesType: Bool
    /// True if the document names a type that is none of the vendor's.
    var namesUnknownType: Bool { namesType && type == nil }
    let financial: HandpointFinancialStatus?
    let namesFinancial: Bool
    let result: HandpointFinancialResult?
    let time: String?
    let at: ReportedTime?

    init(
        _ body: Fields,
        context: DocumentContext,
        isRecovered: Bool = false,
        by means: Resolution.Means = .recoveredResult
    ) throws {
        self.means = means
        self.body = body
        self.context = context
        request = try body.object("request")
        details = try HandpointDetails(body)
        status = try HeftStatus(details)
        for anomaly in status.anomalies { details.note(anomaly) }
        self.isRecovered = try isRecovered || details.flag("recoveredtransaction") == true
        let typeField = try details.text("transactiontype") != nil ? "transactiontype" : "type"
        namesType = try details.text(typeField) != nil
        let reported = try details.listed(typeField, as: "TransactionType", HandpointTransactionType.init(named:))
        let asked = try request?.text("command", "method").flatMap(HandpointTransactionType.started(by:))
        let named = reported == nil || reported == .undefined ? asked ?? reported : reported
        let statusField = try details.text("financialstatus") != nil ? "financialstatus" : "finstatus"
        namesFinancial = try details.text(statusField) != nil
        let outcome = try details.listed(
            statusField,
            as: "FinancialStatus",
            HandpointFinancialStatus.init(named:)
        )
        // After a success, `status` repeats the financial status.
        let repeated = try namesFinancial ? nil : body.text("status").flatMap(HandpointFinancialStatus.init(named:))
        financial = outcome ?? repeated
        // `PROCESSED` moves no money, whatever the message.
        let isTypeOpen = named == nil || named == .undefined || named == .recoverResult
        let byMessage = isTypeOpen && financial != .processed ? Self.type(saidBy: status.response.message) : nil
        type = byMessage ?? named
        result = try Self.result(body, &details)
        time = try details.text("efttimestamp")
        at = Self.timestamp(time)
        if time != nil, at == nil {
            details.note(Anomaly(.malformedField, "EFTTimestamp: neither a time of 14 or 17 digits nor milliseconds"))
        }
    }

    /// The reader's message identifies a sale, a refund or a reversal if the type does not.
    private static func type(saidBy message: String?) -> HandpointTransactionType? {
        switch message?.uppercased() {
        case "REFUND ACCEPTED": .refund
        case "REVERSAL ACCEPTED": .voidSale
        case let message?: message.hasPrefix("AUTH CODE") ? .sale : nil
        case nil: nil
        }
    }

    private static func result(
        _ body: Fields,
        _ details: inout HandpointDetails
    ) throws -> HandpointFinancialResult? {
        guard let text = try body.text("financialresult") else { return nil }
        if let number = Int(text), let result = HandpointFinancialResult(number: number) { return result }
        details.note(Anomaly(.unknownValue, "financialResult: not a value the vendor documents"))
        return nil
    }

    /// `EFTTimestamp` has the form `yyyyMMddHHmmss`, with or without milliseconds: the reader's local time (document 002,
    /// lines 1267-1268); or is in milliseconds since 1970.
    static func timestamp(_ text: String?) -> ReportedTime? {
        guard let text else { return nil }
        if let time = ReportedTime(compact: text) { return time }
        guard (12...13).contains(text.utf8.count), CardNumber.digits(text) != nil, let milliseconds = Int64(text) else {
            return nil
        }
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Timestamp(exactMicrosecondsSince1970: microseconds).map { .instant($0) }
    }

    // MARK: Names

    /// The EFT reference, which identifies the transaction. `transactionId` of the response is the same value; only in
    /// the dictionary is `TransactionID` a counter of the reader.
    var transaction: String? {
        get throws {
            let reported = try details.identifier("efttransactionid")
            return HandpointAdapter.reference(try reported ?? body.identifier("transactionid"))
        }
    }

    /// The EFT reference of the payment that a void or linked refund is about.
    var original: String? {
        get throws {
            let reported = try details.identifier("originalefttransactionid")
            let asked = try request?.identifier("transaction", "originaltransactionid")
            return HandpointAdapter.reference(reported ?? asked)
        }
    }

    var references: References {
        get throws {
            References(
                // A follow-up has its own id, but belongs to the original payment.
                gatewayTransaction: try original ?? transaction,
                authorizationCode: try details.identifier("authorisationcode"),
                vendorTransaction: try transactionReference ?? xmlTransactionNumber,
                invoice: try details.identifier("customerreference") ?? request?.identifier("reference"),
                merchant: try details.identifier("mid") ?? context.merchant,
                terminal: try terminal
            )
        }
    }

    /// The UUID with which the payment was sent and which a status query uses (facts/vendor_codes, 2). The UUID of a
    /// void or linked refund names the follow-up, not the payment.
    private var transactionReference: String? {
        get throws {
            // The answer to a status query repeats the reference of the query, whatever it was.
            guard means != .statusQuery, try original == nil,
                let reported = try body.identifier("transactionreference")
            else { return nil }
            return UUID128(reported) == nil ? nil : reported
        }
    }

    private var xmlTransactionNumber: String? {
        get throws {
            guard let number = try details.xml?.identifier("transactionid") else { return nil }
            return try number.lowercased() == transaction ? nil : number
        }
    }

    private var terminal: String? {
        get throws { try details.identifier("tid") ?? context.terminal }
    }

    /// The batch, if the reader numbers it and the batch's account is known.
    var batch: BatchReference? {
        get throws {
            guard let number = try details.identifier("batchnumber"),
                let account = try terminal ?? details.reader?.serial
            else { return nil }
            return BatchReference(vendor: .handpoint, account: account, number: number)
        }
    }

    // MARK: Terms

    /// Whether the app stated that the cardholder is present, and over how many months the sale is spread.
    var terms: PaymentTerms? {
        get throws { try request.flatMap { try PaymentTerms(handpoint: $0) } }
    }

    /// What a void states about the payment it is of (document 002, lines 158, 253).
    var stated: StatedPayment? {
        get throws {
            // The amounts of a void are often absent, and nothing else is read from them.
            var reader = (try? FinanceAmounts.currency(self)).map { FigureReader(currency: $0) }
            let asked = try? request.flatMap { try reader?.minorUnits($0, "amount", as: "request.amount") }
            let total = try? reader?.minorUnits(details.holder(of: "totalamount"), "totalamount", as: "TotalAmount")
            let stated = StatedPayment(
                amount: asked ?? total.flatMap { $0.isZero ? nil : $0 },
                isCardholderPresent: try terms?.isCardholderPresent
            )
            return stated.amount == nil && stated.isCardholderPresent == nil ? nil : stated
        }
    }

    // MARK: Card

    mutating func card() throws -> CardPresentation? {
        var card = CardPresentation()
        card.brand = try details.text("cardschemename")
        card.maskedNumber = try details.identifier("maskedcardnumber")
        card.lastFour = CardPresentation.lastFour(of: card.maskedNumber)
        let verification = try details.listed("cvm", as: "CVM", HandpointVerification.init(named:))
        card.requiresSignature = verification?.requiresSignature
        card.pinEntered = verification?.pinEntered
        card.verification = verification?.result
        let entry = try details.listed("cardentrytype", as: "CardEntryType", HandpointCardEntry.init(named:))
        let written = try details.text("cardentrytype")
        card.entryMethod = entry == .undefined ? nil : written.map { String($0.prefix(64)) }
        if let token = try details.text("cardtoken"), token.hasPrefix("sha256:") { card.tokenDigest = token }
        return card.ifAnything
    }

    // MARK: Details

    /// Fields that the facts have no place for.
    var rest: [Detail] {
        get throws {
            try details.details([
                ("transactiontype", "TransactionType"), ("financialstatus", "FinancialStatus"),
                ("gratuitypercentage", "GratuityPercentage"), ("cardtypeid", "CardTypeId"),
                ("errormessage", "ErrorMessage"), ("budgetnumber", "BudgetNumber"), ("arc", "arc"),
                ("recoveredtransaction", "RecoveredTransaction"), ("tendertype", "TenderType"),
                ("paymentscenario", "paymentScenario"), ("balanceamount", "BalanceAmount"),
                ("balancecurrency", "BalanceCurrency"), ("balancesign", "BalanceSign"), ("dueamount", "DueAmount"),
                ("code", "code"), ("isrestarting", "isRestarting"),
            ])
        }
    }

    /// The receipts, as events with their text.
    func receipts(_ reader: ReaderReference?) throws -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        for (field, copy) in [("merchantreceipt", "merchant"), ("customerreceipt", "customer")] {
            guard let html = try body.passage(field) else { continue }
            let report = DeviceReport(
                reader: reader,
                details: [Detail("copy", copy), Detail("text", ReceiptText.of(html))],
                at: at
            )
            events.append(DeviceEvent(.receiptPrinted, report))
        }
        return events
    }
}

enum ReceiptText {
    static let longestInBytes = 8_192

    /// The visible text of the receipt; the document keeps the receipt itself.
    static func of(_ html: String) -> String {
        TextScrubber().scrub(Markup(html).text).truncated(toBytes: longestInBytes).text
    }
}

extension HandpointVerification {
    init?(named text: String) { self.init(rawValue: text.uppercased()) }
}

extension HandpointCardEntry {
    init?(named text: String) { self.init(rawValue: text.uppercased()) }
}
