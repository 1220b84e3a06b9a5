import Canonical
import Payments
import Redaction

/// Deep linking V1: the content of `didReceiveResponse`.
///
/// Differences from V2: amounts are objects of a figure and a label, there is no total, and the transaction type is not
/// repeated. The app knows the requested type and can send it as `type`; without one the document is read as a sale,
/// the only example that the vendor gives.
enum LegacyResponse {
    static func transaction(_ body: Fields, context: DocumentContext) throws -> DejavooTransaction {
        guard let answer = try body.object("response") else {
            throw Refusal(.missingField, "The document has a Response.", pointer: body.pointer(to: "Response"))
        }
        let details = try body.object("txdetail")
        let currency = try Currency.named(in: [body], default: .usd)
        let tpn = try details?.identifier("tpn") ?? context.terminal
        var (amounts, anomalies) = try amounts(body, currency)
        let operation = try operation(body, &anomalies)
        let meaning = try meaning(answer, operation, &anomalies)
        var references = References()
        references.authorizationCode = try answer.identifier("appcode", "authcode")
        references.retrievalReference = try answer.identifier("rrn")
        references.hostTransaction = try answer.identifier("htxid")
        references.vendorTransaction = try answer.identifier("dtxid")
        references.gatewayTransaction = try answer.identifier("txrefno")
        references.invoice = try answer.identifier("invoiceno") ?? details?.identifier("traceno")
        references.merchant = context.merchant
        references.terminal = tpn
        let time = try details?.text("datentime")
        let at = time.flatMap { ReportedTime(compact: $0) }
        if time != nil, at == nil { anomalies.append(.malformedField("DateNTime")) }
        return DejavooTransaction(
            kind: "didReceiveResponse",
            operation: operation,
            meaning: meaning,
            response: Response(code: try answer.text("respcode"), message: try answer.text("respmsg")),
            amounts: amounts,
            requested: nil,
            references: references,
            card: try card(body, answer),
            batch: try answer.identifier("batchno").map {
                BatchReference(vendor: .dejavoo, account: tpn, number: DejavooAdapter.batchNumber($0))
            },
            original: try original(body),
            time: time,
            at: at,
            anomalies: anomalies,
            moneyPointer: body.pointer(to: "BaseAmt"),
            details: try DejavooTransaction.details([(body, "surveyans", "surveyAns")]),
            isTypeAssumed: try type(body) == nil
        )
    }

    /// The response does not name its transaction type; the app can send it as `type` or in its `request`.
    static func type(_ body: Fields) throws -> String? {
        try body.text("type", "txntype") ?? body.object("request")?.text("type")
    }

    /// - Returns: Nil for a type that is in none of the tables.
    private static func operation(_ body: Fields, _ anomalies: inout [Anomaly]) throws -> DejavooOperation? {
        guard let type = try type(body) else {
            anomalies.append(Anomaly(.operationAssumed, "the document names no type; it was read as a sale"))
            return .sale
        }
        let operation = LegacyType(printed: type)?.operation
        if operation == nil { anomalies.append(.unknownValue("type")) }
        return operation
    }

    /// A request for a void or ticket has the original's reference number in the place of the amount.
    private static func original(_ body: Fields) throws -> String? {
        guard let request = try body.object("request") else { return nil }
        if let rrn = try request.identifier("rrn") { return rrn }
        return try request.identifier("amount").flatMap {
            $0.utf8.count == 12 && CardNumber.digits($0) != nil ? $0 : nil
        }
    }

    private static func meaning(
        _ answer: Fields,
        _ operation: DejavooOperation?,
        _ anomalies: inout [Anomaly]
    ) throws -> CodeMeaning {
        guard let code = try answer.text("respcode"),
            let judged = DejavooAnswer(host: code, message: try answer.text("respmsg"), operation: operation)
        else {
            throw Refusal(.missingField, "The response has a RespCode.", pointer: answer.pointer(to: "RespCode"))
        }
        anomalies += judged.anomalies(about: "RespCode")
        return judged.meaning
    }

    /// The sample prints `100` for a field whose description has `5.00`, see `DejavooFigures.scaleAssumed`.
    private static func amounts(_ body: Fields, _ currency: Currency) throws -> (Amounts?, [Anomaly]) {
        var reader = FigureReader(currency: currency)
        var parts: [AmountPart] = []
        func read(_ names: String..., as kind: AmountPart.Kind? = nil) throws -> Money? {
            for name in names {
                guard let part = try body.object(name) else { continue }
                let amount = try reader.decimal(part, "amt", as: "\(part.pointer.dropFirst()).Amt")
                if let kind, let read = DejavooFigures.part(kind, amount, try part.text("label")) { parts.append(read) }
                return amount
            }
            return nil
        }
        let base = try read("baseamt")
        let tip = try read("tip")
        let local = try read("tax1", as: .tax)
        let state = try read("tax2", as: .tax)
        let fee = try read("basefee", "fee", as: .fee)
        guard let base else { return (nil, []) }
        let pointer = body.pointer(to: "BaseAmt")
        let tax =
            local == nil && state == nil ? nil : try Money.zero(currency).adding(all: [local, state], at: pointer)
        let total = try base.adding(all: [tip, tax, fee], at: pointer)
        let amounts = Amounts(
            total: total,
            base: base,
            tip: tip,
            tax: tax,
            fee: fee,
            parts: parts.isEmpty ? nil : parts,
            figures: reader.recorded
        )
        return (amounts, DejavooFigures.scaleAssumed(reader).map { [$0] } ?? [])
    }

    private static func card(_ body: Fields, _ answer: Fields) throws -> CardPresentation? {
        var card = CardPresentation()
        let presented = try body.object("card")
        card.brand = try presented?.text("label")
        // The first six and last four digits, adjacent.
        card.maskedNumber = try presented?.identifier("maskedpan")
        card.lastFour = CardPresentation.lastFour(of: card.maskedNumber)
        card.applicationIdentifier = try presented?.identifier("aid")
        card.funding = try answer.text("cardtype")?.lowercased()
        return card.ifAnything
    }
}
