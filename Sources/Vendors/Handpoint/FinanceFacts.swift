import Canonical
import Payments

struct FinanceFacts {
    private(set) var response: FinanceResponse
    private let outcome: FinanceOutcome
    private let references: References
    private let batch: BatchReference?
    private let terms: PaymentTerms?
    /// What a void states about its payment.
    private let stated: StatedPayment?
    /// The event that stores the reader's own report.
    let reportName: DeviceEvent.Name
    /// True for an error that the SDK reports: the reader did not report the outcome for the money.
    let isError: Bool

    var meaning: CodeMeaning { outcome.meaning }

    init(_ response: FinanceResponse, isError: Bool = false) throws {
        guard response.status.isThere || response.namesFinancial || response.result != nil else {
            throw Refusal(
                .missingField,
                "A response has a statusCode, a status or a FinancialStatus.",
                pointer: response.body.pointer(to: "statusCode")
            )
        }
        self.response = response
        self.isError = isError
        outcome = try FinanceOutcome(response)
        references = try response.references
        batch = try response.batch
        terms = try response.terms
        stated = try response.stated
        let status = response.status.status
        reportName = isError ? status?.event ?? .readerErrorReported : status?.readerEvent ?? .commandAnswered
    }

    func observation() throws -> Observation {
        var facts = self
        if try isOfReader { return try facts.deviceObservation() }
        let events = try facts.events()
        var observation = Observation(
            subject: .transaction(events),
            keys: try keys,
            identity: try identity,
            occurredAt: response.at ?? response.context.reportedTime,
            policy: HandpointAdapter.policy
        )
        guard isEndOfUnnamed else { return observation }
        for asked in [FollowUp.void, .refund, .refundVoid, .tipAdjustment] {
            // The first event ends a payment; the others are reports.
            let ends: [TransactionEvent] = followUp(asked, nil, refused: refused(asked)) + events.dropFirst()
            observation.ifAsked[.followUp(asked)] = ends
        }
        return observation
    }

    /// True for the end, without an approval, of an operation that the document does not name. It is that of the
    /// follow-up that was asked for, if one was.
    private var isEndOfUnnamed: Bool {
        (response.type == nil && !response.namesUnknownType || response.type == .undefined)
            && !FinanceOutcome.isApproval(meaning) && !response.isRecovered && response.means != .statusQuery
    }

    private var isFollowUp: Bool {
        get throws {
            switch response.type {
            case .voidSale, .voidRefund, .cancelSale, .cancelRefund, .tipAdjustment: true
            case .refund: try response.original != nil
            default: false
            }
        }
    }

    /// True if the document has a key of the payment.
    var namesPayment: Bool { get throws { try !keys.isEmpty } }

    var keys: [ReferenceKey] {
        get throws {
            var names: [String] = []
            for name in [try isFollowUp ? response.original : nil, try response.transaction] {
                if let name, !names.contains(where: { $0.hasSameUTF8(as: name) }) { names.append(name) }
            }
            return names.map(HandpointAdapter.key)
        }
    }

    private var identity: DocumentIdentity? {
        get throws {
            guard let transaction = try response.transaction else { return nil }
            return DocumentIdentity(
                account: try response.details.reader?.serial,
                transaction: transaction,
                kind: [response.type?.rawValue, response.financial?.rawValue].compactMap(\.self).joined(separator: ":"),
                time: response.time
            )
        }
    }

    /// The reader's own report about the operation.
    mutating func report(_ details: [Detail]) throws -> DeviceReport {
        try response.details.report(response.status.response, details, at: response.at)
    }

    // MARK: Events

    private mutating func events() throws -> [TransactionEvent] {
        let isApproved = FinanceOutcome.isApproval(meaning)
        var type = response.type
        var anomalies = outcome.anomalies
        let isTypeOpen = type == nil || type == .undefined || type == .recoverResult
        if isTypeOpen, isApproved, !response.namesType || type != nil {
            type = .sale
            anomalies.append(Anomaly(.operationAssumed, "the document names no type; it was read as a sale"))
        }
        let card = try response.card()
        var facts: [TransactionEvent]
        switch type {
        case .sale:
            let amounts = try amounts(isStrict: isApproved, &anomalies)
            facts = payment(amounts, card) { .saleRequested($0) }
        case .refund where try !isFollowUp:
            let amounts = try amounts(isStrict: isApproved, &anomalies)
            facts = payment(amounts, card, isCredit: true) { .creditRequested($0) }
        case .refund:
            let amounts = try amounts(isStrict: isApproved, &anomalies)
            let done = TransactionEvent.refunded(try refund(amounts.approved?.total))
            facts = followUp(.refund, done, refused: refused(.refund, amount: amounts.asked?.total))
        case .voidSale: facts = followUp(.void, .voided(voided("void")), refused: refused(.void))
        case .cancelSale:
            facts = followUp(.reversal, .reversed(voided("cancellation")), refused: refused(.reversal))
        case .voidRefund, .cancelRefund:
            let refund = try voidedRefundID
            let done = TransactionEvent.refundVoided(voided(refund))
            facts = followUp(.refundVoid, of: refund, done, refused: refused(.refundVoid))
        case .tipAdjustment:
            let done = isApproved ? TransactionEvent.tipAdjusted(try tipAdjustment()) : nil
            facts = followUp(.tipAdjustment, done, refused: refused(.tipAdjustment, tip: try? tipAdjustment().tip))
        // The gateway's own list has types that no reader reports; the approval of the payment is still certain.
        case nil where isApproved && response.means == .statusQuery:
            let amounts = try amounts(isStrict: true, &anomalies)
            facts = [resolution(meaning == .approved ? .approved : .partiallyApproved, amounts.approved)]
        default: facts = [unsettled(card)]
        }
        let report = try report(try response.rest)
        facts.append(.device(DeviceEvent(reportName, report)))
        facts += try response.receipts(report.reader).map { .device($0) }
        return facts + (anomalies + response.details.anomalies).map { .anomalyRaised($0) }
    }

    private func amounts(isStrict: Bool, _ anomalies: inout [Anomaly]) throws -> FinanceAmounts {
        let amounts = try FinanceAmounts(response, isPartial: meaning == .partiallyApproved, isStrict: isStrict)
        anomalies += amounts.anomalies
        return amounts
    }

    /// The gateway if it answered, else the reader. A blocked card is refused by its own chip, without the gateway
    /// (document 002, line 1407).
    private var evidence: Evidence {
        if isError || response.status.status?.isOfCard == true { return .reader }
        return FinanceOutcome.isApproval(meaning) || meaning == .declined ? .gateway : .reader
    }

    private func verdict(_ card: CardPresentation?) -> Verdict {
        Verdict(
            evidence: evidence,
            response: response.status.response,
            references: references,
            card: card,
            at: response.at ?? response.context.reportedTime,
            // A busy reader never begins what is asked for, but may be busy with this payment (document 002, line 1370).
            condition: response.status.status?.id == 0x0004 ? .unlessBegun : nil
        )
    }

    private func event(_ verdict: Verdict) -> TransactionEvent {
        switch meaning {
        case .declined: .declined(verdict)
        case .cancelled: .cancelled(verdict)
        case .failed: .failed(verdict)
        case .unknown, .approved, .partiallyApproved: .outcomeUnknown(verdict)
        }
    }

    /// If the operation is unknown, only a result without a movement of money is certain; any other is in doubt.
    private func unsettled(_ card: CardPresentation?) -> TransactionEvent { event(verdict(card)) }

    // MARK: Payments

    private func payment(
        _ amounts: FinanceAmounts,
        _ card: CardPresentation?,
        isCredit: Bool = false,
        _ request: (PaymentRequest) -> TransactionEvent
    ) -> [TransactionEvent] {
        let start = request(
            PaymentRequest(amounts: amounts.asked, references: references, terms: terms, at: response.at)
        )
        guard let approved = amounts.approved, FinanceOutcome.isApproval(meaning) else {
            return [start] + denial(card)
        }
        let approval = Approval(
            amounts: approved,
            requested: meaning == .partiallyApproved ? amounts.asked?.total : nil,
            evidence: evidence,
            response: response.status.response,
            references: references,
            card: card,
            at: response.at
        )
        let isWhole = meaning == .approved
        let resolved = response.isRecovered ? [resolution(isWhole ? .approved : .partiallyApproved, approved)] : []
        if isCredit { return [start] + resolved + [.creditApproved(approval)] }
        let capture = Capture(
            id: Capture.saleID,
            amounts: approved,
            evidence: evidence,
            response: response.status.response,
            references: references,
            batch: batch,
            at: response.at
        )
        return [start] + resolved + [
            isWhole ? .authorizationApproved(approval) : .partiallyApproved(approval), .captured(capture),
        ]
    }

    /// A lost and recovered result resolves the doubt: the reader's result is then final.
    private func denial(_ card: CardPresentation?) -> [TransactionEvent] {
        guard response.isRecovered, meaning != .unknown else { return [unsettled(card)] }
        return meaning == .declined
            ? [resolution(.declined, nil), unsettled(card)] : [resolution(.notPosted, nil)]
    }

    private func resolution(_ outcome: Resolution.Outcome, _ amounts: Amounts?) -> TransactionEvent {
        .outcomeResolved(
            Resolution(
                outcome: outcome,
                means: response.means,
                amounts: amounts,
                evidence: .gateway,
                references: references,
                at: response.at,
                answeredAt: response.context.occurredAt
            )
        )
    }

    // MARK: Follow-ups

    /// The refusal of a failed follow-up; nil if it did not fail. All follow-ups except refunds and tip adjustments
    /// reverse the whole amount.
    private func refused(
        _ followUp: FollowUp,
        amount: Money? = nil,
        tip: Money? = nil
    ) -> FollowUpRefusal? {
        FollowUpRefusal.Outcome(meaning).map {
            FollowUpRefusal(
                followUp,
                outcome: $0,
                amount: amount,
                isWhole: followUp != .refund && followUp != .tipAdjustment,
                tip: tip,
                original: (try? response.original).map { References(gatewayTransaction: $0) },
                evidence: evidence,
                response: response.status.response,
                at: response.at ?? response.context.reportedTime
            )
        }
    }

    private func followUp(
        _ followUp: FollowUp,
        of refund: String? = nil,
        _ done: TransactionEvent?,
        refused: FollowUpRefusal?
    ) -> [TransactionEvent] {
        let doubt = FollowUpInDoubt(followUp, refund: refund)
        switch meaning {
        case .approved, .partiallyApproved: return [done].compactMap(\.self) + endedDoubts(doubt)
        case .unknown: return [.outcomeUnknown(verdict(nil)), .anomalyRaised(.followUpInDoubt(doubt))]
        case .declined, .cancelled, .failed:
            return [refused.map { .followUpRefused($0) }].compactMap(\.self) + endedDoubts(doubt)
        }
    }

    /// The doubts that a recovered result clears: the outcome of the reader's last operation is known, whatever an
    /// error had left open.
    private func endedDoubts(_ doubt: FollowUpInDoubt) -> [TransactionEvent] {
        guard response.isRecovered else { return [] }
        var doubts = [doubt, FollowUpInDoubt(.paymentAttempt), FollowUpInDoubt(.anyFollowUp)]
        if doubt.refund != nil { doubts.append(FollowUpInDoubt(.refundVoid)) }
        return doubts.map { .anomalyCleared(.followUpInDoubt($0)) }
    }

    /// The tip is a decimal figure; every other amount is in minor units.
    private func tipAdjustment() throws -> TipAdjustment {
        let holder = response.request ?? response.body
        let pointer = holder.pointer(to: "tipamount")
        let currency = try FinanceAmounts.currency(response)
        guard let currency else {
            throw Refusal(.missingMoney, "A tip adjustment has its currency.", pointer: holder.pointer(to: "currency"))
        }
        var reader = FigureReader(currency: currency)
        guard let tip = try reader.decimal(holder, "tipamount", as: "tipAdjustment.tipAmount") else {
            throw Refusal(.missingMoney, "A tip adjustment has its tipAmount.", pointer: pointer)
        }
        return TipAdjustment(
            tip: tip,
            evidence: evidence,
            response: response.status.response,
            references: references,
            at: response.at ?? response.context.reportedTime
        )
    }

    /// A void reverses the whole amount: the vendor has no partial void, and often prints it without amount and
    /// currency.
    private func returned(_ id: String, _ amount: Money? = nil) -> Return {
        Return(
            id: id,
            amount: amount,
            evidence: evidence,
            response: response.status.response,
            references: references,
            at: response.at
        )
    }

    private func voided(_ id: String) -> Return {
        var void = returned(id)
        void.stated = stated
        return void
    }

    private func refund(_ amount: Money?) throws -> Return {
        returned(Self.refundID(try response.transaction ?? response.time), amount)
    }

    /// A void of a refund names the refund by its EFT reference.
    private var voidedRefundID: String {
        get throws { Self.refundID(try response.original) }
    }

    private static func refundID(_ reference: String?) -> String { reference.map { "refund:\($0)" } ?? "refund" }
}
