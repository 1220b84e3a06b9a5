import Canonical
import Payments

/// Deep linking V2: `Spin_Response`, which a deep link returns to the app.
enum SpinResponse {
    static func transaction(
        _ fields: Fields,
        request: Fields?,
        context: DocumentContext
    ) throws -> DejavooTransaction {
        let details = try fields.object("extdata") ?? fields
        var reader = FigureReader(currency: try Currency.named(in: [details, request], default: .usd))
        var anomalies: [Anomaly] = []
        let amounts = try amounts(details, &reader, &anomalies)
        let tpn = try details.identifier("tpn") ?? fields.identifier("tpn") ?? context.terminal
        var references = References()
        references.gatewayTransaction = try fields.identifier("refid")
        references.authorizationCode = try fields.identifier("authcode")
        references.retrievalReference = try details.identifier("rrn") ?? fields.identifier("pnref")
        references.hostTransaction = try details.identifier("hosttxnid")
        references.vendorTransaction = try details.identifier("txnid")
        references.invoice = try fields.identifier("transnum") ?? details.identifier("tracenum")
        references.merchant = context.merchant
        references.terminal = tpn
        let operation = try operation(details, request, &anomalies)
        let answer = try answer(fields, details, operation, &anomalies)
        let time = try details.text("datetime")
        let at = time.flatMap { ReportedTime(compact: $0) }
        if time != nil, at == nil { anomalies.append(.malformedField("DateTime")) }
        return DejavooTransaction(
            kind: "Spin_Response",
            operation: operation,
            meaning: answer,
            response: try response(fields, details),
            amounts: amounts,
            requested: try requested(request, reader.currency),
            references: references,
            card: try card(fields, details),
            batch: try batch(details, tpn),
            original: try request?.identifier("rrn"),
            time: time,
            at: at,
            anomalies: anomalies,
            moneyPointer: details.pointer(to: "TotalAmt"),
            details: try DejavooTransaction.details([(details, "networkmode", "networkMode")])
        )
    }

    /// The operation: by label, then by the app's request, then by `TxnType`, which names only two types. The request
    /// only shows what was requested, so the label takes precedence.
    ///
    /// - Returns: Nil if all given values are in none of the tables.
    private static func operation(
        _ details: Fields,
        _ request: Fields?,
        _ anomalies: inout [Anomaly]
    ) throws -> DejavooOperation? {
        let label = try details.text("txnlabel")
        let type = try details.text("txntype")
        let byType = type.flatMap { Int($0) }.flatMap { SpinResponseType(rawValue: $0) }?.operation
        if let label {
            if let byLabel = SpinResponseLabel(printed: label)?.operation {
                // Only the two types that the table numbers are compared; they move money in opposite directions.
                if let byType, byType != byLabel, SpinResponseType.allCases.map(\.operation).contains(byLabel) {
                    anomalies.append(Anomaly(.unknownValue, "txnLabel and TxnType name different types"))
                }
                return byLabel
            }
            anomalies.append(.unknownValue("txnLabel"))
        }
        if let type = try request?.text("trantype"), let asked = TransType(printed: type) { return asked.operation }
        if let type {
            if let operation = byType ?? SpinResponseLabel(printed: type)?.operation { return operation }
            anomalies.append(.unknownValue("TxnType"))
        }
        guard label != nil || type != nil else {
            throw Refusal(
                .missingField,
                "txnLabel or TxnType must name a sale, refund, pre-auth, ticket or void.",
                pointer: details.pointer(to: "txnLabel")
            )
        }
        return nil
    }

    // MARK: Amounts

    private static func amounts(
        _ details: Fields,
        _ reader: inout FigureReader,
        _ anomalies: inout [Anomaly]
    ) throws -> Amounts? {
        let printed = try reader.decimal(details, "totalamt", as: "TotalAmt")
        let base = try reader.decimal(details, "baseamount", as: "BaseAmount")
        // If both are printed, BaseAmount is the part; Amount may include the tip.
        let amount = try reader.decimal(details, "amount", as: "Amount")
        let tip = try reader.decimal(details, "tip", as: "Tip")
        let fee = try reader.decimal(details, "fee", as: "Fee")
        var tax = try reader.decimal(details, "taxamount", as: "TaxAmount")
        let local = try reader.decimal(details, "taxcity", as: "TaxCity")
        let state = try reader.decimal(details, "taxstate", as: "TaxState")
        let pointer = details.pointer(to: "TotalAmt")
        if local != nil || state != nil {
            let sum = try Money.zero(reader.currency).adding(all: [local, state], at: pointer)
            if let tax, tax != sum {
                anomalies.append(
                    Anomaly(.amountsDoNotAddUp, "TaxAmount is \(tax.value), the local and state taxes are \(sum.value)")
                )
            }
            tax = tax ?? sum
        }
        let parts = try [
            DejavooFigures.part(.tax, local, details.text("tax1label")),
            DejavooFigures.part(.tax, state, details.text("tax2label")),
            DejavooFigures.part(.fee, fee, details.text("feelabel")),
        ].compactMap(\.self)
        let goods = base ?? amount
        guard let total = try printed ?? goods.map({ try $0.adding(all: [tip, tax, fee], at: pointer) }) else {
            return nil
        }
        return Amounts(
            total: total,
            base: goods,
            tip: tip,
            tax: tax,
            fee: fee,
            parts: parts.isEmpty ? nil : parts,
            figures: reader.recorded
        )
    }

    private static func requested(_ request: Fields?, _ currency: Currency) throws -> Money? {
        guard let request else { return nil }
        var reader = FigureReader(currency: currency)
        guard let amount = try reader.decimal(request, "amount", as: "request.amount") else { return nil }
        let tip = try reader.decimal(request, "tipamount", as: "request.tipAmount")
        let fee = try reader.decimal(request, "feeamount", as: "request.feeAmount")
        // Taxes and fees of the profile are added without being requested. This minimum only serves to detect a partial
        // approval.
        let floor = try amount.adding(all: [tip, fee], at: request.pointer(to: "amount"))
        return floor
    }

    // MARK: Answer

    /// The host's code, or the terminal's if the host did not answer. If one approves and the other denies it, the
    /// outcome is unknown. `HostResponseCode` and `RespCode` both print the host's code and are compared in the same
    /// way.
    private static func answer(
        _ fields: Fields,
        _ details: Fields,
        _ operation: DejavooOperation?,
        _ anomalies: inout [Anomaly]
    ) throws -> CodeMeaning {
        let message = try fields.text("hostresponsemessage", "respmsg", "message")
        var byHost: CodeMeaning?
        for (field, code) in [
            ("HostResponseCode", try fields.text("hostresponsecode")),
            ("RespCode", try details.text("respcode") ?? fields.text("respcode")),
        ] {
            guard let code, let answer = DejavooAnswer(host: code, message: message, operation: operation) else {
                continue
            }
            for anomaly in answer.anomalies(about: field) where byHost == nil { anomalies.append(anomaly) }
            if answer.isReversalResult { return answer.meaning }
            byHost = byHost.map { agreed($0, answer.meaning) } ?? answer.meaning
        }
        let result = try fields.text("resultcode").map { DejavooAnswer(result: $0) }
        anomalies += result?.anomalies(about: "ResultCode") ?? []
        switch (byHost, result?.meaning) {
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
        case (.declined?, .approved?), (.failed?, .approved?), (.cancelled?, .approved?):
            anomalies.append(Anomaly(.conflictingOutcome, "ResultCode reports an approval, the host's code a refusal"))
            return byHost ?? .unknown
        case (let host?, _): return host
        }
    }

    /// Combines two prints of one answer: unknown if only one of them is an approval.
    private static func agreed(_ first: CodeMeaning, _ second: CodeMeaning) -> CodeMeaning {
        let approvals: Set<CodeMeaning> = [.approved, .partiallyApproved]
        return approvals.contains(first) == approvals.contains(second) ? first : .unknown
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
        // The number of digits in between is unknown.
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
