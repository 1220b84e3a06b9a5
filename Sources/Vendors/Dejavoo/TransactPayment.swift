import Canonical
package import Payments
package import Redaction

/// An answer of iPOS Transact, or of its query for a payment: `iposTransactResponse`. Source: iPOS Transact API
/// (facts/vendor_codes, 3).
///
/// The sender adds `request`: `transactionType` (0 for the query), `transactionReferenceId`, `amount` in cents, and for
/// a follow-up the payment's `RRN`.
package struct TransactPayment {
    private let fields: Fields
    private let request: Fields?
    private let context: DocumentContext
    private let type: TransactType?
    private let isQuery: Bool
    package let meaning: CodeMeaning
    /// The query found the payment, but its outcome is not known yet.
    package let isPending: Bool
    private var anomalies: [Anomaly] = []

    init(_ fields: Fields, _ context: DocumentContext) throws {
        self.context = context
        request = try fields.object("request")
        let own = try fields.object("ipostransactresponse", "iposhpresponse", "data") ?? fields
        self.fields = own
        let asked = try request?.text("transactiontype").flatMap { Int($0) }
        isQuery = asked == 0
        let reported = try own.text("transactiontype").flatMap { Int($0) }
        type = (reported ?? asked).flatMap { TransactType(rawValue: $0) }
        let isPending = SensitiveNames.normalized(try fields.text("status") ?? "") == "pending"
        self.isPending = isPending
        meaning = isPending ? .unknown : try Self.meaning(fields, own, &anomalies)
    }

    /// Reads a scrubbed document of this kind.
    ///
    /// - Throws: `Refusal` if the document is not of this kind.
    package init(_ document: ScrubbedDocument) throws(Refusal) {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        self = try Refusal.only { try TransactPayment(Fields(object), DocumentContext()) }
    }

    /// A refusal counts as one, unless the host's code or text leaves the outcome open.
    private static func meaning(_ whole: Fields, _ own: Fields, _ anomalies: inout [Anomaly]) throws -> CodeMeaning {
        // The request was invalid and was not forwarded.
        if !whole.objects("errors").isEmpty { return .failed }
        guard let code = try own.text("responsecode") else {
            if try own.text("errorcode")?.uppercased().hasPrefix("AUTH_ERR") == true { return .failed }
            throw Refusal(
                .missingField,
                "An answer must have a responseCode.",
                pointer: own.pointer(to: "responseCode")
            )
        }
        guard let result = Int(code).flatMap({ TransactResult(rawValue: $0) }) else {
            anomalies.append(.unknownValue("responseCode"))
            return .unknown
        }
        let message = try own.text("errresponsemessage", "responsemessage")
        let host = try own.text("errresponsecode").flatMap { DejavooAnswer(host: $0, message: message) }
        switch (result.meaning, host?.meaning) {
        case (.approved, nil), (.approved, .approved?): return .approved
        case (.approved, .partiallyApproved?): return .partiallyApproved
        case (.declined, nil), (.declined, .declined?): return .declined
        case (.declined, .cancelled?): return .cancelled
        case (.declined, .failed?): return .failed
        default: return .unknown
        }
    }

    package var response: Response {
        let code = ["errresponsecode", "responsecode", "errorcode"].compactMap { (try? fields.text($0)) ?? nil }.first
        let text = ["errresponsemessage", "responsemessage", "errormessage"].compactMap {
            (try? fields.text($0)) ?? nil
        }
        return Response(code: code, message: text.first)
    }

    /// Every code, under the vendor's names.
    package var codes: [Detail] {
        [("responseCode", "responsecode"), ("errResponseCode", "errresponsecode"), ("errorCode", "errorcode")]
            .compactMap { name, field in ((try? fields.text(field)) ?? nil).map { Detail(name, $0) } }
    }

    package var isDuplicate: Bool { ["26", "94"].contains((try? fields.text("errresponsecode")) ?? "") }
    package var transactionReference: String? { (try? fields.identifier("transactionreferenceid")) ?? nil }
    package var references: References { (try? reported) ?? References() }
    package var approved: Money? { (try? amounts())?.total }
    /// True if the answer to a query reports that there is no such transaction.
    package var isNotFound: Bool { isQuery && (try? fields.text("errresponsecode")) == "25" }
    /// The data of the found payment.
    package var finding: FoundPayment {
        FoundPayment(
            approved: try? amounts(),
            lastFour: try? fields.text("cardlast4digit"),
            invoice: (try? reported)?.invoice,
            batch: (try? fields.identifier("batchnumber")).flatMap { $0 }.map(DejavooAdapter.batchNumber),
            account: try? fields.identifier("merchantid", "tpn")
        )
    }

    private var reported: References {
        get throws {
            var references = References()
            references.gatewayTransaction =
                try fields.identifier("transactionreferenceid") ?? request?.identifier("transactionreferenceid")
            references.authorizationCode = try fields.identifier("responseapprovalcode", "approvalcode")
            references.retrievalReference = try fields.identifier("rrn")
            references.vendorTransaction = try fields.identifier("transactionid")
            references.invoice = try fields.identifier("transactionnumber", "invoicenumber")
            references.merchant = context.merchant
            references.terminal = context.terminal
            return references
        }
    }

    /// Cents, without a decimal point; some answers print dollars, with a decimal point.
    private func amounts() throws -> Amounts? {
        var reader = FigureReader(currency: .usd)
        func amount(_ name: String, _ label: String) throws -> Money? {
            guard let text = try fields.text(name) else { return nil }
            return text.contains(".")
                ? try reader.decimal(fields, name, as: label) : try reader.impliedCents(fields, name, as: label)
        }
        let tip = try amount("tips", "tips")
        guard let total = try amount("totalamount", "totalAmount") ?? amount("amount", "amount") else { return nil }
        return Amounts(total: total, tip: tip, figures: reader.recorded)
    }

    private var requested: Money? {
        get throws {
            guard let request else { return nil }
            var reader = FigureReader(currency: .usd)
            return try reader.impliedCents(request, "amount", as: "request.amount")
        }
    }

    // MARK: Facts

    func observation() throws -> Observation {
        let references = try reported
        if isQuery { return observation(try found(references), references) }
        if type == .tipAdjust { return observation([], references) }
        if type == .refund, try request?.identifier("rrn") != nil {
            return observation(try refund(references), references)
        }
        let operation: DejavooOperation? =
            switch type {
            case .sale?: .sale
            case .refund?: .refund
            case .preAuth?: .authorization
            case .ticket?: .capture
            case .void?: .void
            case .tipAdjust?, nil: nil
            }
        var card = CardPresentation()
        card.brand = try fields.text("cardtype")
        card.lastFour = try fields.text("cardlast4digit").flatMap { $0.utf8.count == 4 ? $0 : nil }
        if let last = card.lastFour { card.maskedNumber = "***\(last)" }
        return try DejavooTransaction(
            kind: DejavooKind.transactResponse.rawValue,
            operation: operation,
            meaning: meaning,
            response: response,
            amounts: amounts() ?? requested.map { Amounts(total: $0) },
            requested: requested,
            references: references,
            card: card.ifAnything,
            batch: fields.identifier("batchnumber").map {
                BatchReference(vendor: .dejavoo, account: references.terminal, number: DejavooAdapter.batchNumber($0))
            },
            original: request?.identifier("rrn"),
            time: nil,
            at: context.reportedTime,
            anomalies: anomalies,
            moneyPointer: "/totalAmount"
        ).observation()
    }

    /// A linked refund, identified by the original payment's number. Deep linking and SPIn have no such refund.
    private func refund(_ references: References) throws -> [TransactionEvent] {
        let original = References(
            retrievalReference: try request?.identifier("rrn"),
            merchant: references.merchant,
            terminal: references.terminal
        )
        switch meaning {
        case .declined, .cancelled, .failed:
            let refusal = try FollowUpRefusal.Outcome(meaning).map {
                FollowUpRefusal(
                    .refund,
                    outcome: $0,
                    amount: try requested,
                    original: original.retrievalReference.map { References(retrievalReference: $0) },
                    evidence: .gateway,
                    response: response,
                    at: context.reportedTime
                )
            }
            return refusal.map { [.followUpRefused($0)] } ?? []
        case .unknown:
            return [
                .outcomeUnknown(
                    Verdict(evidence: .gateway, response: response, references: original, at: context.reportedTime)
                ),
                .anomalyRaised(.followUpInDoubt(.refund)),
            ]
        case .approved, .partiallyApproved:
            let own = references.vendorTransaction ?? references.gatewayTransaction
            let refund = Return(
                id: own.map { "refund:\($0)" } ?? "refund",
                amount: try amounts()?.total ?? requested,
                evidence: .gateway,
                response: response,
                references: original,
                at: context.reportedTime
            )
            return refund.amount == nil
                ? [.refunded(refund), .anomalyRaised(.refundWithoutAmount)] : [.refunded(refund)]
        }
    }

    private func found(_ references: References) throws -> [TransactionEvent] {
        func resolved(_ outcome: Resolution.Outcome, _ amounts: Amounts?) -> TransactionEvent {
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
        switch meaning {
        case .approved, .partiallyApproved:
            guard let amounts = try amounts() else {
                throw Refusal(.missingMoney, "The payment that was found has no amount.", pointer: "/totalAmount")
            }
            return [resolved(meaning == .approved ? .approved : .partiallyApproved, amounts)]
        case .declined, .cancelled: return [resolved(.declined, nil)]
        case .failed: return []
        case .unknown:
            return [
                .outcomeUnknown(
                    Verdict(
                        evidence: .gateway,
                        response: response,
                        references: references,
                        at: context.reportedTime,
                        means: .statusQuery
                    )
                )
            ]
        }
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
