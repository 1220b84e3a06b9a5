import Canonical
import Payments

/// What one gateway answer, with the request it answers, attests.
struct BridgePayFacts {
    private let response: BridgePayResponse
    private let request: BridgePayRequest?
    private let operation: BridgePayOperation
    private let meaning: CodeMeaning
    private let answer: Response
    private let references: References
    private var anomalies: [TransactionEvent] = []

    init(_ response: BridgePayResponse, request: BridgePayRequest?) throws {
        self.response = response
        self.request = request
        let named = try response.operation(for: request)
        // A credit that names an original is a refund of it.
        operation = named == .credit && request?.original != nil ? .refund : named
        let (meaning, contradiction) = try response.meaning
        self.meaning = meaning
        answer = try response.response
        references = try response.references(request)
        if let contradiction { anomalies.append(.anomalyRaised(Anomaly(.conflictingOutcome, contradiction))) }
    }

    func observation() throws -> Observation {
        var facts = self
        return Observation(
            subject: .transaction(try facts.events()),
            keys: keys,
            identity: try identity,
            occurredAt: response.at,
            policy: BridgePayAdapter.policy
        )
    }

    private var keys: [ReferenceKey] {
        var ids: [String] = []
        for id in [request?.original, response.gatewayTransaction] {
            if let id, !ids.contains(where: { $0.hasSameUTF8(as: id) }) { ids.append(id) }
        }
        return ids.map { ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: $0) }
    }

    private var identity: DocumentIdentity? {
        get throws {
            guard let id = response.gatewayTransaction else { return nil }
            return DocumentIdentity(
                account: try response.fields.identifier("merchantaccountcode") ?? request?.account
                    ?? references.merchant,
                transaction: id,
                kind: operation.rawValue,
                time: try response.fields.text("isotransactiondate", "transactiondate")
            )
        }
    }

    private mutating func events() throws -> [TransactionEvent] {
        let events: [TransactionEvent] =
            switch operation {
            case .sale: try payment { .saleRequested($0) }
            case .authorization: try payment { .authorizationRequested($0) }
            case .credit: try payment { .creditRequested($0) }
            case .verification: try payment { .verificationRequested($0) }
            case .capture, .tipAdjust, .void, .refund: try followUp()
            case .find: try resolution()
            }
        return events + anomalies
    }

    // MARK: Amounts

    /// The amounts of the answer: what was authorised, or the next best figure the document has.
    private mutating func amounts(
        mayBeZero: Bool = false
    ) throws -> (approved: Amounts, asked: Money?, request: Amounts?) {
        let authorized = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")
        let original = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
        let asked = try request?.amounts(in: response.currency, authorized: authorized?.money)
        var used = authorized?.money
        if used == nil || used?.isZero == true && !mayBeZero {
            // Captures are answered with 0.00, whatever was captured.
            let others = [original?.money, asked?.total, try receiptTotal]
            used = others.compactMap(\.self).first { !$0.isZero || mayBeZero } ?? (mayBeZero ? used : nil)
            if let used, let authorized, operation != .capture {
                anomalies.append(
                    .anomalyRaised(
                        Anomaly(
                            .amountUnreadable,
                            "authorizedAmount is printed as \(authorized.figure.raw); \(used) was taken from the rest of the document"
                        )
                    )
                )
            }
        }
        guard let total = used else {
            throw Refusal(
                .missingMoney,
                "No amount can be read: neither authorizedAmount nor originalAmount nor the request's amount tells it.",
                pointer: response.fields.pointer(to: "authorizedAmount")
            )
        }
        let figures = [authorized?.figure, original?.figure].compactMap(\.self) + (asked?.figures ?? [])
        var approved = asked?.total == total ? asked ?? Amounts(total: total) : Amounts(total: total)
        approved.figures = figures.isEmpty ? nil : figures
        return (approved, asked?.total ?? original?.money, asked)
    }

    private var receiptTotal: Money? {
        get throws {
            guard let receipt = response.receipt else { return nil }
            var reader = FigureReader(currency: response.currency)
            return try reader.decimal(receipt, "totalamount", as: "BPNReceipt.totalAmount")
        }
    }

    // MARK: Payments

    private mutating func payment(
        _ requested: (PaymentRequest) -> TransactionEvent
    ) throws -> [TransactionEvent] {
        let verdict = Verdict(
            evidence: .gateway,
            response: answer,
            references: references,
            card: try response.card,
            at: response.at
        )
        guard meaning == .approved || meaning == .partiallyApproved else {
            let original = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
            let asked =
                try request?.amounts(in: response.currency, authorized: nil)
                ?? original.flatMap { printed in
                    printed.money.map { Amounts(total: $0, figures: [printed.figure]) }
                }
            return [requested(paymentRequest(asked)), Self.event(meaning, verdict)]
        }
        let (approved, asked, whole) = try amounts(mayBeZero: operation == .verification)
        let isPartial =
            meaning == .partiallyApproved
            || asked.map { approved.total.value < $0.value && operation != .verification } ?? false
        let approval = Approval(
            amounts: approved,
            requested: asked,
            evidence: .gateway,
            response: answer,
            references: references,
            card: try response.card,
            at: response.at
        )
        let start = requested(paymentRequest(whole ?? asked.map { Amounts(total: $0) }))
        switch operation {
        case .verification: return [start, .accountVerified(approval)]
        case .credit: return [start, .creditApproved(approval)]
        case .authorization:
            return [start, isPartial ? .partiallyApproved(approval) : .authorizationApproved(approval)]
        default:
            let capture = Capture(
                id: Capture.saleID,
                amounts: approved,
                evidence: .gateway,
                response: answer,
                references: references,
                at: response.at
            )
            return [
                start, isPartial ? .partiallyApproved(approval) : .authorizationApproved(approval), .captured(capture),
            ]
        }
    }

    private func paymentRequest(_ amounts: Amounts?) -> PaymentRequest {
        PaymentRequest(amounts: amounts, references: references, tender: request?.tender, at: response.at)
    }

    /// - Parameter meaning: Not an approval.
    static func event(_ meaning: CodeMeaning, _ verdict: Verdict) -> TransactionEvent {
        switch meaning {
        case .declined: .declined(verdict)
        case .cancelled: .cancelled(verdict)
        case .failed: .failed(verdict)
        case .unknown, .approved, .partiallyApproved: .outcomeUnknown(verdict)
        }
    }

    // MARK: Follow-ups

    /// A follow-up that was refused changes nothing about the payment; the document itself is its record.
    private mutating func followUp() throws -> [TransactionEvent] {
        switch meaning {
        case .declined, .cancelled, .failed: return []
        case .unknown:
            return [
                .outcomeUnknown(Verdict(evidence: .gateway, response: answer, references: references, at: response.at)),
                .anomalyRaised(.followUpInDoubt(operation.rawValue)),
            ]
        case .approved, .partiallyApproved: break
        }
        switch operation {
        case .capture:
            let capture = Capture(
                id: "capture",
                amounts: try amounts().approved,
                evidence: .gateway,
                response: answer,
                references: references,
                at: response.at
            )
            return [.captured(capture)]
        case .tipAdjust: return [.tipAdjusted(try tipAdjustment())]
        default: return [try giveBack()]
        }
    }

    private func tipAdjustment() throws -> TipAdjustment {
        let total = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")
        let base = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
        var figures = [total?.figure, base?.figure].compactMap(\.self)
        let tip: Money
        if let (told, figure) = try request?.tip(in: response.currency) {
            tip = told
            figures.append(figure)
        } else if let total = total?.money, let base = base?.money, total.value >= base.value {
            tip = Money(total.value - base.value, response.currency)
        } else {
            throw Refusal(
                .missingMoney,
                "The tip is unknown. Send BPNPaymentRequest with its tipAmount beside the response.",
                pointer: response.fields.pointer(to: "authorizedAmount")
            )
        }
        let amounts = total?.money.flatMap { total in
            total.isZero ? nil : Amounts(total: total, base: base?.money, tip: tip, figures: figures)
        }
        return TipAdjustment(
            tip: tip,
            amounts: amounts,
            evidence: .gateway,
            response: answer,
            references: references,
            at: response.at
        )
    }

    /// A refund of what is not settled is a void at the gateway, and a void of what is settled is a refund: the
    /// message code tells what was done, the request only what was meant.
    private func giveBack() throws -> TransactionEvent {
        let authorized = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")?.money
        let asked = try request?.amounts(in: response.currency, authorized: nil)?.total
        let amount = [authorized, asked].compactMap(\.self).first { !$0.isZero }
        let isVoid =
            switch response.messageCode {
            case "A02", "A08": false
            case "A03", "A06", "A07": true
            default: operation == .void
            }
        if isVoid {
            let isPartial = response.messageCode == "A07"
            return .voided(
                Return(
                    id: "void",
                    amount: isPartial ? amount : nil,
                    evidence: .gateway,
                    response: answer,
                    references: references,
                    at: response.at
                )
            )
        }
        // Every refund has an id of its own at the gateway; where the answer repeats the original's, time and
        // authorisation tell two of them apart.
        let own = [
            response.gatewayTransaction, try response.fields.text("isotransactiondate", "transactiondate"),
            references.authorizationCode,
        ]
        return .refunded(
            Return(
                id: "refund:" + own.compactMap(\.self).joined(separator: ":"),
                amount: amount,
                evidence: .gateway,
                response: answer,
                references: references,
                at: response.at
            )
        )
    }

    // MARK: Find

    /// The answer to a find request is evidence about a payment whose outcome had been unknown.
    private mutating func resolution() throws -> [TransactionEvent] {
        // 800011: no such transaction, so nothing was posted (the code has six digits).
        if try response.fields.text("gatewayresult") == "800011" { return [resolved(.notPosted, nil)] }
        switch meaning {
        case .approved: return [resolved(.approved, try amounts().approved)]
        case .partiallyApproved: return [resolved(.partiallyApproved, try amounts().approved)]
        case .declined, .cancelled: return [resolved(.declined, nil)]
        // The question was not understood; that says nothing about the payment.
        case .failed: return []
        case .unknown:
            return [
                .outcomeUnknown(Verdict(evidence: .gateway, response: answer, references: references, at: response.at))
            ]
        }
    }

    private func resolved(_ outcome: Resolution.Outcome, _ amounts: Amounts?) -> TransactionEvent {
        .outcomeResolved(
            Resolution(
                outcome: outcome,
                means: .find,
                amounts: amounts,
                evidence: .gateway,
                references: references,
                at: response.at
            )
        )
    }
}
