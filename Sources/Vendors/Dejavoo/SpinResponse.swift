import Canonical
import Payments

/// Deep linking V2: `Spin_Response`, as a deep link carries it back to the app.
enum SpinResponse {
    static func transaction(
        _ fields: Fields,
        request: Fields?,
        context: DocumentContext
    ) throws -> DejavooTransaction {
        let details = try fields.object("extdata") ?? fields
        let currency = try currency(details, request)
        var reader = FigureReader(currency: currency)
        let amounts = try amounts(details, &reader)
        let tpn = try details.identifier("tpn") ?? fields.identifier("tpn") ?? context.terminal
        var references = References()
        references.authorizationCode = try fields.identifier("authcode")
        references.retrievalReference = try details.identifier("rrn") ?? fields.identifier("pnref")
        references.hostTransaction = try details.identifier("hosttxnid")
        references.vendorTransaction = try details.identifier("txnid")
        references.invoice = try fields.identifier("transnum") ?? details.identifier("tracenum")
        references.merchant = context.merchant
        references.terminal = tpn
        let time = try details.text("datetime")
        return DejavooTransaction(
            kind: "Spin_Response",
            operation: try operation(details, request),
            meaning: try meaning(fields, details),
            response: try response(fields, details),
            amounts: amounts,
            requested: try requested(request, currency),
            references: references,
            card: try card(fields, details),
            batch: try batch(details, tpn),
            original: try request?.identifier("rrn"),
            time: time,
            at: time.flatMap { Timestamp(compact: $0) },
            moneyPointer: details.pointer(to: "TotalAmt")
        )
    }

    /// The label tells; `TxnType` has names for two kinds only.
    private static func operation(_ details: Fields, _ request: Fields?) throws -> DejavooOperation {
        if let label = try details.text("txnlabel"), let operation = DejavooOperation(named: label) { return operation }
        if let type = try request?.text("trantype"), let operation = DejavooOperation(named: type) { return operation }
        if let type = try details.text("txntype"),
            let operation = DejavooOperation(number: type) ?? DejavooOperation(named: type)
        {
            return operation
        }
        throw Refusal(
            .unsupportedOperation,
            "txnLabel or TxnType tells a sale, refund, pre-auth, ticket or void.",
            pointer: details.pointer(to: "txnLabel")
        )
    }

    /// The response names no currency: deep linking needs a device whose region is the United States.
    private static func currency(_ details: Fields, _ request: Fields?) throws -> Currency {
        for fields in [details, request] {
            guard let fields, let name = try fields.text("currencycode", "currency") else { continue }
            guard let currency = Currency(named: name.hasPrefix(".") ? String(name.dropFirst()) : name) else {
                throw Refusal(
                    .unknownCurrency,
                    "An ISO 4217 currency code is expected.",
                    pointer: fields.pointer(to: fields.has("currencycode") ? "currencycode" : "currency")
                )
            }
            return currency
        }
        return .usd
    }

    // MARK: Amounts

    private static func amounts(_ details: Fields, _ reader: inout FigureReader) throws -> Amounts? {
        let printed = try reader.decimal(details, "totalamt", as: "TotalAmt")
        let base = try reader.decimal(details, "baseamount", as: "BaseAmount")
        // Where both are printed BaseAmount is the part; Amount may include the tip.
        let amount = try reader.decimal(details, "amount", as: "Amount")
        let tip = try reader.decimal(details, "tip", as: "Tip")
        let fee = try reader.decimal(details, "fee", as: "Fee")
        var tax = try reader.decimal(details, "taxamount", as: "TaxAmount")
        let local = try reader.decimal(details, "taxcity", as: "TaxCity")
        let state = try reader.decimal(details, "taxstate", as: "TaxState")
        let pointer = details.pointer(to: "TotalAmt")
        if tax == nil, local != nil || state != nil {
            tax = try Money.zero(reader.currency).adding(all: [local, state], at: pointer)
        }
        let goods = base ?? amount
        guard let total = try printed ?? goods.map({ try $0.adding(all: [tip, tax, fee], at: pointer) }) else {
            return nil
        }
        return Amounts(total: total, base: goods, tip: tip, tax: tax, fee: fee, figures: reader.recorded)
    }

    private static func requested(_ request: Fields?, _ currency: Currency) throws -> Money? {
        guard let request else { return nil }
        var reader = FigureReader(currency: currency)
        guard let amount = try reader.decimal(request, "amount", as: "request.amount") else { return nil }
        let tip = try reader.decimal(request, "tipamount", as: "request.tipAmount")
        let fee = try reader.decimal(request, "feeamount", as: "request.feeAmount")
        // Taxes and fees of the profile come on top without being asked for: this is a floor, of use only to see
        // that less was approved.
        let floor = try amount.adding(all: [tip, fee], at: request.pointer(to: "amount"))
        return floor
    }

    // MARK: Answer

    /// The host's word, and the terminal's where the host said nothing. A success of one that the other denies is
    /// nobody's: it is unknown.
    private static func meaning(_ fields: Fields, _ details: Fields) throws -> CodeMeaning {
        let message = try fields.text("hostresponsemessage", "respmsg", "message")
        let host = try fields.text("hostresponsecode") ?? details.text("respcode") ?? fields.text("respcode")
        let byHost = host.flatMap { DejavooCodes.meaning(ofHost: $0, message: message) }
        let byResult = try fields.text("resultcode").map(DejavooCodes.meaning(ofResult:))
        switch (byHost, byResult) {
        case (nil, nil):
            throw Refusal(
                .missingField,
                "None of ResultCode, RespCode and HostResponseCode is there.",
                pointer: fields.pointer(to: "ResultCode")
            )
        case (let host?, nil): return host
        case (nil, let result?): return result == .approved ? .unknown : result
        case (.approved?, .approved?), (.partiallyApproved?, .approved?): return byHost ?? .unknown
        case (.approved?, _), (.partiallyApproved?, _): return .unknown
        case (let host?, _): return host
        }
    }

    private static func response(_ fields: Fields, _ details: Fields) throws -> Response {
        Response(
            code: try fields.text("hostresponsecode") ?? details.text("respcode") ?? fields.text("resultcode"),
            message: try fields.text("hostresponsemessage", "respmsg", "message")
        )
    }

    private static func card(_ fields: Fields, _ details: Fields) throws -> CardPresentation? {
        var card = CardPresentation()
        card.brand = try fields.text("cardtype") ?? details.text("cardtype")
        card.lastFour = try details.text("acntlast4").flatMap { $0.utf8.count == 4 ? $0 : nil }
        let firstFour = try details.text("acntfirst4").flatMap { $0.utf8.count == 4 ? $0 : nil }
        // How many digits lie between is not told.
        if let lastFour = card.lastFour { card.maskedNumber = "\(firstFour ?? "")***\(lastFour)" }
        card.entryMethod = try details.text("entrytype")
        card.funding = try fields.text("paymenttype")?.lowercased()
        if let token = try fields.text("ipostoken"), token.hasPrefix("sha256:") { card.tokenDigest = token }
        return card.ifAnything
    }

    private static func batch(_ details: Fields, _ tpn: String?) throws -> BatchReference? {
        try details.identifier("batchnum").map {
            BatchReference(vendor: .dejavoo, account: tpn, number: DejavooAdapter.batchNumber($0))
        }
    }
}
