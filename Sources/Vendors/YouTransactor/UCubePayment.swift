import Canonical
import EMV
import Payments

/// The facts of one uCube payment: the host's answer and the terminal's, separately. If they disagree both are
/// recorded; an approval of the host that the terminal did not complete is due for reversal.
struct UCubePayment {
    private let context: UCubeContext
    private let kind: String
    private let references: References
    private let card: CardPresentation?

    /// - Parameter kind: The kind of the document, for its identity.
    init(_ context: UCubeContext, kind: String) throws {
        self.context = context
        self.kind = kind
        references = try context.references
        card = try context.card
    }

    static let policy = LifecyclePolicy(terminalCompletes: true)

    func observation() throws -> Observation {
        let events = try events()
        return Observation(
            subject: .transaction(events),
            keys: keys,
            identity: context.chipKey.map {
                DocumentIdentity(
                    account: context.info?.serial,
                    transaction: $0,
                    kind: "\(kind):\(context.statusText ?? "-")",
                    time: context.at?.description
                )
            },
            occurredAt: context.at,
            policy: Self.policy
        )
    }

    /// The host's answer without an amount. An approval stays in doubt until the terminal's result arrives, and is due
    /// for reversal if that is a refusal.
    func hostObservation() throws -> Observation {
        let fact: TransactionEvent? =
            switch context.host {
            case .approved: .outcomeUnknown(verdict(.gateway, hostResponse, said: .approved))
            case .partiallyApproved: .outcomeUnknown(verdict(.gateway, hostResponse, said: .partiallyApproved))
            case .declined: .declined(verdict(.gateway, hostResponse))
            case .unknown: .outcomeUnknown(verdict(.gateway, hostResponse))
            case .notAsked, nil: nil
            }
        let events = try context.deviceEvents().map { TransactionEvent.device($0) } + [fact].compactMap { $0 }
        let anomalies = context.anomalies.filter { $0.kind == .malformedField }
        return Observation(
            subject: .transaction(events + anomalies.map { .anomalyRaised($0) }),
            keys: keys,
            identity: nil,
            occurredAt: context.at,
            policy: Self.policy
        )
    }

    var keys: [ReferenceKey] {
        context.chipKey.map { [ReferenceKey(vendor: .youtransactor, scheme: .vendorTransaction, value: $0)] } ?? []
    }

    // MARK: Facts

    private func events() throws -> [TransactionEvent] {
        var events: [TransactionEvent] = []
        var anomalies = context.anomalies
        if let request { events.append(request) }
        events += try context.deviceEvents().map { .device($0) }
        if kind == "UCubePaymentRequest" {
            let settings = try context.settings()
            let report = DeviceReport(
                reader: context.reader,
                response: Response(code: kind),
                details: settings.isEmpty ? nil : settings,
                at: context.at
            )
            events.append(.device(DeviceEvent(.commandSent, report)))
        }
        if context.type == nil {
            events.append(.outcomeUnknown(verdict(.reader, terminalResponse)))
        } else {
            events += try hostFacts(&anomalies)
            events += try terminalFacts(&anomalies)
        }
        anomalies += context.amounts.chipAnomalies(
            context.chip,
            type: context.type,
            isApproved: events.contains { if case .authorizationApproved = $0 { true } else { false } }
        )
        return events + anomalies.map { .anomalyRaised($0) }
    }

    private var request: TransactionEvent? {
        guard let type = context.type else { return nil }
        let payment = PaymentRequest(
            amounts: context.amounts.amounts,
            references: references,
            tender: type.tender,
            at: context.at
        )
        return switch type {
        case .purchase, .purchaseCashback, .withdrawal, .manualCash: .saleRequested(payment)
        case .refund: .creditRequested(payment)
        case .inquiry: .verificationRequested(payment)
        }
    }

    private var terminalResponse: Response {
        let success = context.statusText == nil ? context.succeeded : nil
        return Response(code: context.statusText, message: success.map { "success: \($0)" })
    }

    private var hostResponse: Response { Response(code: context.hostCode?.text) }

    private func verdict(
        _ evidence: Evidence,
        _ response: Response,
        said: Outcome? = nil,
        condition: Verdict.Condition? = nil
    ) -> Verdict {
        Verdict(
            evidence: evidence,
            response: response,
            references: references,
            card: card,
            at: context.at,
            said: said,
            condition: condition
        )
    }

    private func approval(_ evidence: Evidence, _ response: Response) throws -> Approval {
        guard let amounts = context.amounts.amounts else {
            throw Refusal(
                .missingMoney,
                "An approved payment needs its amount, or tag 9F02.",
                pointer: context.document.fields.pointer(to: "amount")
            )
        }
        return Approval(
            amounts: amounts,
            evidence: evidence,
            response: response,
            references: references,
            card: card,
            at: context.at
        )
    }

    private func approved(_ evidence: Evidence, _ response: Response) throws -> [TransactionEvent] {
        switch context.type {
        case .refund: return [.creditApproved(try approval(evidence, response))]
        case .inquiry:
            let report = ValueReport(response: response, references: references, card: card, at: context.at)
            let inquired = TransactionEvent.value(ValueEvent(.balanceInquired, report))
            // Without an amount and its currency there is nothing to approve.
            return context.amounts.amounts == nil
                ? [inquired] : [.accountVerified(try approval(evidence, response)), inquired]
        case .purchase, .purchaseCashback, .withdrawal, .manualCash, nil:
            return [.authorizationApproved(try approval(evidence, response))]
        }
    }

    /// The host's answer, as far as the document has it.
    private func hostFacts(_ anomalies: inout [Anomaly]) throws -> [TransactionEvent] {
        switch context.host {
        case .approved: return try approved(.gateway, hostResponse)
        case .declined: return [.declined(verdict(.gateway, hostResponse))]
        case .partiallyApproved:
            anomalies.append(
                Anomaly(.amountUnreadable, "the host approved a part, and the document does not report the amount")
            )
            return [.outcomeUnknown(verdict(.gateway, hostResponse))]
        // An approval by the terminal without the host resolves the doubt.
        case .unknown: return context.terminal == .approved ? [] : [.outcomeUnknown(verdict(.gateway, hostResponse))]
        case .notAsked, nil: return []
        }
    }

    /// The terminal's result, and the conclusions from both answers.
    private func terminalFacts(_ anomalies: inout [Anomaly]) throws -> [TransactionEvent] {
        if context.isDeclinedByChip, context.status == .approved {
            anomalies.append(
                Anomaly(.conflictingOutcome, "the status is approved, the chip's last cryptogram declines")
            )
        }
        guard let meaning = context.terminal else {
            // The payment was requested, or answered by the host, but this document does not show its end.
            guard context.statusText != nil || context.succeeded != nil else { return [] }
            return [.outcomeUnknown(verdict(.reader, terminalResponse))]
        }
        if meaning == .approved { return try approvedByTerminal() }
        if context.host == .approved {
            anomalies.append(
                Anomaly(
                    .reversalDue,
                    "the host approved, the terminal ended with \(context.statusText ?? "a failure"): the approval is to be reversed"
                )
            )
        } else if context.host == nil, isInDoubt {
            let said: Outcome =
                switch meaning {
                case .declined: .declined
                case .cancelled: .cancelled
                default: .failed
                }
            let condition: Verdict.Condition? = if case .unclear = context.reach { .unlessSent } else { nil }
            return [.outcomeUnknown(verdict(.reader, terminalResponse, said: said, condition: condition))]
        }
        // Only the tags that are missing show that the host was not reached.
        let restsOnTags = context.host == nil && context.status?.happensAnytime == true
        let reported = verdict(.reader, terminalResponse, condition: restsOnTags ? .unlessSent : nil)
        switch meaning {
        case .declined: return [.declined(reported)]
        case .cancelled: return [.cancelled(reported)]
        default: return [.failed(reported)]
        }
    }

    /// True if the host may have been contacted and its answer is not in the document.
    private var isInDoubt: Bool {
        switch context.reach {
        case .beforeAuthorization: false
        case .authorization: true
        case .unclear: context.status?.happensAnytime == true
        }
    }

    private func approvedByTerminal() throws -> [TransactionEvent] {
        // The amount approved by the host is unknown.
        if context.host == .partiallyApproved { return [.outcomeUnknown(verdict(.reader, terminalResponse))] }
        let isByHost = context.host == .approved
        let events = isByHost ? [] : try approved(.reader, terminalResponse)
        switch context.type {
        case .refund, .inquiry, nil: return events
        case .purchase, .purchaseCashback, .withdrawal, .manualCash: break
        }
        // If the host declined, no money was taken.
        guard context.host != .declined else { return events }
        let approval = try approval(.reader, terminalResponse)
        return events + [
            .captured(
                Capture(
                    id: Capture.saleID,
                    amounts: approval.amounts,
                    evidence: .reader,
                    response: terminalResponse,
                    references: references,
                    at: context.at
                )
            )
        ]
    }
}
