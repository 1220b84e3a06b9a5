import Canonical
package import Payments
package import Redaction

/// An answer of SPIn's REST interface about a payment: `BasePaymentResponseContract`. Source: SPIn REST, payment
/// methods (facts/vendor_codes, 3).
///
/// The sender adds `request`: `Method`, `ReferenceId`, `Amount`, `TipAmount`; and `BatchOpen`, true if the batch of a
/// queried payment is known to be open.
package struct SpinPayment {
    private let fields: Fields
    private let general: Fields
    private let request: Fields?
    private let context: DocumentContext
    private let method: SpinMethod?
    /// The found or executed operation, by the answer.
    private let type: DejavooOperation?
    private let reading: SpinStatusCodes.Reading
    private var anomalies: [Anomaly] = []

    init(_ fields: Fields, _ context: DocumentContext) throws {
        self.fields = fields
        self.context = context
        guard let general = try fields.object("generalresponse") else {
            throw Refusal(.missingField, "An answer has its GeneralResponse.", pointer: "/GeneralResponse")
        }
        self.general = general
        request = try fields.object("request")
        method = try request?.text("method").flatMap { SpinMethod(rawValue: $0) }
        let reported = try fields.text("transactiontype").flatMap(Self.operation(named:))
        type = reported ?? method.flatMap { Self.operation(named: $0.rawValue) }
        reading = try Self.reading(general, type, &anomalies)
    }

    /// Reads a scrubbed document of this kind.
    ///
    /// - Throws: `Refusal` if the document is not of this kind.
    package init(_ document: ScrubbedDocument) throws(Refusal) {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        self = try Refusal.only { try SpinPayment(Fields(object), DocumentContext()) }
    }

    private static func operation(named name: String) -> DejavooOperation? {
        switch SensitiveNames.normalized(name) {
        case "sale": .sale
        case "return", "refund": .refund
        case "auth", "preauth": .authorization
        case "capture", "ticket": .capture
        case "void": .void
        default: nil
        }
    }

    // MARK: Meaning

    /// Combines the codes of terminal and host. If one approves and the other denies it, the outcome is unknown.
    private static func reading(
        _ general: Fields,
        _ type: DejavooOperation?,
        _ anomalies: inout [Anomaly]
    ) throws -> SpinStatusCodes.Reading {
        let message = [try general.text("message"), try general.text("detailedmessage")].compactMap(\.self)
        let result = try general.text("resultcode").map { DejavooAnswer(result: $0) }
        let host = try general.text("hostresponsecode").flatMap {
            DejavooAnswer(host: $0, message: try? general.text("hostresponsemessage"), operation: type)
        }
        if let host { anomalies += host.anomalies(about: "HostResponseCode") }
        guard let status = try general.text("statuscode") else {
            // Without the terminal's code, only a decline by the host is certain.
            guard result != nil || host != nil else {
                throw Refusal(.missingField, "An answer has its StatusCode.", pointer: "/GeneralResponse/StatusCode")
            }
            return .meaning(host?.meaning == .declined ? .declined : .unknown)
        }
        guard let reported = SpinStatusCodes.reading(of: status, message: message.joined(separator: " ")) else {
            anomalies.append(.unknownValue("StatusCode"))
            return .meaning(.unknown)
        }
        guard case .meaning(let meaning) = reported else { return reported }
        let isApproval = meaning == .approved || meaning == .partiallyApproved
        switch host?.meaning {
        case nil: return isApproval && result?.meaning != .approved ? .meaning(.unknown) : reported
        case .approved?, .partiallyApproved?:
            guard isApproval, result?.meaning == .approved else { return .meaning(.unknown) }
            return host?.meaning == .partiallyApproved ? .meaning(.partiallyApproved) : reported
        // The host did not answer: only the terminal's failure is certain.
        case .unknown?: return meaning == .failed ? reported : .meaning(.unknown)
        case .declined?, .cancelled?, .failed?: return isApproval ? .meaning(.unknown) : reported
        }
    }

    /// Nil if the answer does not concern money: not found, busy, duplicate.
    package var meaning: CodeMeaning? { if case .meaning(let meaning) = reading { meaning } else { nil } }
    package var isNotFound: Bool { reading == .notFound }
    package var isBusy: Bool { reading == .busy }
    package var isDuplicate: Bool { reading == .duplicate }
    /// The found payment has been voided since.
    package var isVoided: Bool { (try? fields.flag("voided")) ?? false }
    package var referenceID: String? { try? fields.identifier("referenceid") }
    package var approved: Money? { (try? amounts)?.total }

    /// The data of the found payment. The proxy prints no time for it.
    package var finding: FoundPayment {
        FoundPayment(
            approved: try? amounts,
            lastFour: (try? card)?.lastFour,
            invoice: try? fields.identifier("invoicenumber"),
            batch: try? batchNumber,
            account: try? fields.identifier("tpn")
        )
    }

    package var response: Response {
        let code = [try? general.text("hostresponsecode"), try? general.text("statuscode")].compactMap { $0 ?? nil }
            .first
        let text = [try? general.text("detailedmessage"), try? general.text("message")].compactMap { $0 ?? nil }.first
        return Response(code: code, message: text)
    }

    /// Every code, under the vendor's names.
    package var codes: [Detail] {
        [("ResultCode", "resultcode"), ("StatusCode", "statuscode"), ("HostResponseCode", "hostresponsecode")]
            .compactMap { name, field in ((try? general.text(field)) ?? nil).map { Detail(name, $0) } }
    }

    package var references: References { (try? reported) ?? References() }

    private var batchNumber: String? {
        get throws { try fields.identifier("batchnumber").map(DejavooAdapter.batchNumber) }
    }

    private var reported: References {
        get throws {
            let terminal = context.terminal
            let reference = try fields.identifier("referenceid") ?? request?.identifier("referenceid")
            var references = References()
            references.gatewayTransaction = reference
            references.authorizationCode = try fields.identifier("authcode")
            references.retrievalReference = try fields.identifier("rrn")
            references.hostTransaction = try fields.identifier("pnreferenceid")
            // The reference is only unique within one batch of one terminal.
            if let terminal, let batch = try batchNumber, let reference {
                references.vendorTransaction = "\(terminal)/\(batch)/\(reference)"
            }
            references.invoice = try fields.identifier("invoicenumber")
            references.merchant = context.merchant
            references.terminal = terminal
            return references
        }
    }

    /// Dollars and cents as JSON decimal numbers. `TotalAmount` includes everything, `Amount` the goods and the tip.
    private var amounts: Amounts? {
        get throws {
            guard let printed = try fields.object("amounts") else { return nil }
            var reader = FigureReader(currency: .usd)
            let total = try reader.decimal(printed, "totalamount", as: "Amounts.TotalAmount")
            let withTip = try reader.decimal(printed, "amount", as: "Amounts.Amount")
            let tip = try reader.decimal(printed, "tipamount", as: "Amounts.TipAmount")
            let fee = try reader.decimal(printed, "feeamount", as: "Amounts.FeeAmount")
            let tax = try reader.decimal(printed, "taxamount", as: "Amounts.TaxAmount")
            guard let whole = total ?? withTip else { return nil }
            let base = withTip.flatMap { goods in
                goods.value >= (tip?.value ?? 0) ? Money(goods.value - (tip?.value ?? 0), .usd) : nil
            }
            return Amounts(total: whole, base: base, tip: tip, tax: tax, fee: fee, figures: reader.recorded)
        }
    }

    private var card: CardPresentation? {
        get throws {
            guard let data = try fields.object("carddata") else { return nil }
            var card = CardPresentation()
            card.brand = try data.text("cardtype")
            card.lastFour = try data.text("last4").flatMap { $0.utf8.count == 4 ? $0 : nil }
            let first = try data.text("first4").flatMap { $0.utf8.count == 4 ? $0 : nil }
            // The number of digits in between is unknown.
            if let last = card.lastFour { card.maskedNumber = "\(first ?? "")***\(last)" }
            card.entryMethod = try data.text("entrytype")
            card.funding = try fields.text("paymenttype")?.lowercased()
            return card.ifAnything
        }
    }

    // MARK: Facts

    func observation() throws -> Observation {
        if method == .status { return try found() }
        if method == .tipAdjust { return try tipAdjustment() }
        let references = try reported
        // A duplicate is in doubt: it may be the requested payment itself.
        let meaning = meaning ?? (isBusy ? .failed : .unknown)
        var anomalies = anomalies
        if isDuplicate { anomalies.append(Anomaly(.duplicateSuspected, "StatusCode names an earlier payment")) }
        if type == nil { anomalies.append(.unknownValue("TransactionType")) }
        return try DejavooTransaction(
            kind: DejavooKind.paymentResponse.rawValue,
            operation: type,
            meaning: meaning,
            response: response,
            amounts: amounts,
            requested: requested,
            references: references,
            card: card,
            batch: batch(references),
            original: request?.identifier("rrn"),
            time: nil,
            at: context.reportedTime,
            anomalies: anomalies,
            moneyPointer: "/Amounts/TotalAmount"
        ).observation()
    }

    private func batch(_ references: References) throws -> BatchReference? {
        try batchNumber.map { BatchReference(vendor: .dejavoo, account: references.terminal, number: $0) }
    }

    private var requested: Money? {
        get throws {
            guard let request else { return nil }
            var reader = FigureReader(currency: .usd)
            return try reader.decimal(request, "amount", as: "request.Amount")
        }
    }

    /// The terminal's answer about a queried payment.
    private func found() throws -> Observation {
        let references = try reported
        var events: [TransactionEvent]
        let unresolved = TransactionEvent.outcomeUnknown(
            Verdict(
                evidence: .gateway,
                response: response,
                references: references,
                at: context.reportedTime,
                means: .statusQuery
            )
        )
        func resolved(_ outcome: Resolution.Outcome, _ amounts: Amounts? = nil) -> TransactionEvent {
            .outcomeResolved(
                Resolution(
                    outcome: outcome,
                    means: .statusQuery,
                    operation: type == .refund ? .credit : nil,
                    amounts: amounts,
                    evidence: .gateway,
                    references: references,
                    answeredAt: context.occurredAt
                )
            )
        }
        switch reading {
        case .notFound where try request?.flag("batchopen") == true: events = [resolved(.notPosted)]
        case .notFound, .busy, .duplicate, .meaning(.unknown): events = [unresolved]
        // The terminal did not understand the query; this proves nothing about the payment.
        case .meaning(.failed): events = []
        case .meaning(.declined), .meaning(.cancelled): events = [resolved(.declined)]
        case .meaning(.approved), .meaning(.partiallyApproved):
            guard let amounts = try amounts else {
                throw Refusal(.missingMoney, "The payment that was found has no amount.", pointer: "/Amounts")
            }
            events = [resolved(meaning == .approved ? .approved : .partiallyApproved, amounts)]
            if isVoided {
                events.append(
                    .voided(
                        Return(
                            id: "void",
                            evidence: .gateway,
                            response: response,
                            references: References(merchant: references.merchant, terminal: references.terminal),
                            at: context.reportedTime
                        )
                    )
                )
            }
        }
        return observation(events, references)
    }

    private func tipAdjustment() throws -> Observation {
        let references = try reported
        let original = References(merchant: references.merchant, terminal: references.terminal)
        var events: [TransactionEvent]
        switch meaning {
        case .approved?, .partiallyApproved?:
            var reader = FigureReader(currency: .usd)
            let asked = try request.flatMap { try reader.decimal($0, "tipamount", as: "request.TipAmount") }
            guard let tip = try asked ?? amounts?.tip else {
                throw Refusal(.missingMoney, "A tip adjustment has its tip.", pointer: "/request/TipAmount")
            }
            events = [
                .tipAdjusted(
                    TipAdjustment(
                        tip: tip,
                        amounts: try amounts,
                        evidence: .gateway,
                        response: response,
                        references: original,
                        at: context.reportedTime
                    )
                )
            ]
        case nil where isBusy || isNotFound: events = [.followUpRefused(try refusedTip(.failed))]
        case .unknown?, nil:
            events = [
                .outcomeUnknown(
                    Verdict(evidence: .gateway, response: response, references: original, at: context.reportedTime)
                ),
                .anomalyRaised(.followUpInDoubt(.tipAdjustment)),
            ]
        case .declined?: events = [.followUpRefused(try refusedTip(.declined))]
        case .cancelled?: events = [.followUpRefused(try refusedTip(.cancelled))]
        case .failed?: events = [.followUpRefused(try refusedTip(.failed))]
        }
        return observation(events, references)
    }

    private func refusedTip(_ outcome: FollowUpRefusal.Outcome) throws -> FollowUpRefusal {
        var reader = FigureReader(currency: .usd)
        return FollowUpRefusal(
            .tipAdjustment,
            outcome: outcome,
            tip: try request.flatMap { try reader.decimal($0, "tipamount", as: "request.TipAmount") },
            evidence: .gateway,
            response: response,
            at: context.reportedTime
        )
    }

    private func observation(_ events: [TransactionEvent], _ references: References) -> Observation {
        var keys =
            references.vendorTransaction.map {
                [ReferenceKey(vendor: .dejavoo, scheme: .vendorTransaction, value: $0)]
            } ?? []
        if let number = references.retrievalReference {
            keys += DejavooTransaction.keys(byNumber: number, terminal: references.terminal)
        }
        return Observation(
            subject: .transaction(events + anomalies.map { .anomalyRaised($0) }),
            keys: keys,
            identity: nil,
            occurredAt: context.reportedTime,
            policy: DejavooTransaction.policy
        )
    }
}
