import Canonical
import Payments

/// One iPOSgo transaction, reported by either version of deep linking, and its facts.
struct DejavooTransaction {
    var kind: String
    /// Nil if the document names a type that is in none of the vendor's tables.
    var operation: DejavooOperation?
    var meaning: CodeMeaning
    var response: Response
    /// Nil if the document has no amount; only voids may lack one.
    var amounts: Amounts?
    /// The requested amount, if the app sends its request along.
    var requested: Money?
    var references: References
    var card: CardPresentation?
    var batch: BatchReference?
    /// The retrieval reference number of the original payment, from the app's request.
    var original: String?
    var time: String?
    var at: ReportedTime?
    /// Anomalies about the fields of this document.
    var anomalies: [Anomaly] = []
    /// The JSON pointer to the amounts.
    var moneyPointer: String
    /// Facts about the operation that no other event has.
    var details: [Detail] = []
    /// True if the document names no type, so that the operation was assumed.
    var isTypeAssumed = false

    /// iPOSgo captures a pre-authorization once, with a ticket that may add a tip. Taxes and fees of the terminal's
    /// profile are added to the requested amount.
    static let policy = LifecyclePolicy(
        tipExceedsAuthorization: true,
        capturesOnce: true,
        requestIsFloor: true,
        reusesGatewayID: true
    )

    /// The present fields of these names.
    static func details(_ names: [(fields: Fields, field: String, label: String)]) throws -> [Detail] {
        try names.compactMap { fields, field, label in
            try fields.text(field).map { Detail(label, String($0.prefix(64))) }
        }
    }

    func observation() throws -> Observation {
        let transaction = references.vendorTransaction ?? references.retrievalReference
        var observation = Observation(
            subject: .transaction(try facts()),
            keys: keys,
            identity: transaction.map {
                DocumentIdentity(
                    account: references.terminal,
                    transaction: $0,
                    kind: "\(kind):\(operation?.rawValue ?? "unknown")",
                    time: time
                )
            },
            occurredAt: at,
            policy: Self.policy
        )
        if isTypeAssumed {
            for (asked, operation) in Self.assumable {
                var answer = self
                answer.operation = operation
                // Some codes have another meaning for a void.
                let read = response.code.flatMap {
                    DejavooAnswer(host: $0, message: response.message, operation: operation)
                }
                answer.meaning = read?.meaning ?? meaning
                answer.anomalies.removeAll { $0.kind == .operationAssumed }
                observation.ifAsked[asked] = try? answer.facts()
            }
        }
        return observation
    }

    /// What an answer without a type may answer beside a sale.
    private static let assumable: [(AskedOperation, DejavooOperation)] = [
        (.followUp(.void), .void), (.followUp(.capture), .capture), (.payment(.credit), .refund),
        (.payment(.authorization), .authorization),
    ]

    private func facts() throws -> [TransactionEvent] {
        let report = DeviceReport(
            reader: .dejavoo(references.terminal),
            response: response,
            details: details,
            at: at
        )
        let reported: [TransactionEvent] = details.isEmpty ? [] : [.device(DeviceEvent(.commandAnswered, report))]
        return try events() + reported + anomalies.map { .anomalyRaised($0) }
    }

    /// A follow-up is found by the original's retrieval reference number, a new payment by its own id.
    private var keys: [ReferenceKey] {
        let own = references.vendorTransaction.map {
            [ReferenceKey(vendor: .dejavoo, scheme: .vendorTransaction, value: $0)]
        }
        let isFollowUp = operation?.isFollowUp ?? false
        var byNumber: [ReferenceKey] = []
        for number in [isFollowUp ? original : nil, references.retrievalReference] {
            for key in number.map({ Self.keys(byNumber: $0, terminal: references.terminal) }) ?? []
            where !byNumber.contains(key) {
                byNumber.append(key)
            }
        }
        return isFollowUp ? byNumber + (own ?? []) : (own ?? []) + byNumber
    }

    /// The keys made from a retrieval reference number. The number is only unique for one terminal, so the key with the
    /// terminal is stronger than the number alone.
    static func keys(byNumber number: String, terminal: String?) -> [ReferenceKey] {
        ((terminal.map { ["\($0)/\(number)"] } ?? []) + [number]).map {
            ReferenceKey(vendor: .dejavoo, scheme: .retrievalReference, value: $0)
        }
    }

    private func events() throws -> [TransactionEvent] {
        switch operation {
        case nil: untyped
        case .sale: try payment { .saleRequested($0) }
        case .authorization: try payment { .authorizationRequested($0) }
        case .refund: try payment { .creditRequested($0) }
        case .capture, .void: try followUp()
        }
    }

    private func required(_ amounts: Amounts?) throws -> Amounts {
        guard let amounts else {
            throw Refusal(.missingMoney, "The document has no amount.", pointer: moneyPointer)
        }
        return amounts
    }

    /// For an unknown transaction type only a refusal is certain: the type would show whether money was paid, refunded
    /// or held.
    private var untyped: [TransactionEvent] {
        let verdict = Verdict(evidence: .gateway, response: response, references: references, card: card, at: at)
        return [Self.event(meaning, verdict)]
    }

    // MARK: Payments

    private func payment(
        _ request: (PaymentRequest) -> TransactionEvent
    ) throws -> [TransactionEvent] {
        let isApproved = meaning == .approved || meaning == .partiallyApproved
        // The request is a minimum: taxes and fees of the profile are added without being requested.
        let requested = requested.flatMap { asked in amounts.map { asked.value > $0.total.value } ?? true ? asked : nil
        }
        // After a partial approval the total is the approved amount; the requested amount is only in the request.
        let asked = requested.map { Amounts(total: $0) } ?? (meaning == .partiallyApproved ? nil : amounts)
        let start = request(PaymentRequest(amounts: asked, references: references, tender: card?.funding, at: at))
        guard isApproved else {
            let verdict = Verdict(evidence: .gateway, response: response, references: references, card: card, at: at)
            return [start, Self.event(meaning, verdict)]
        }
        let total = try required(amounts)
        let approval = Approval(
            amounts: total,
            requested: requested,
            evidence: .gateway,
            response: response,
            references: references,
            card: card,
            batch: operation == .refund ? batch : nil,
            at: at
        )
        if operation == .refund { return [start, .creditApproved(approval)] }
        let approved: TransactionEvent =
            meaning == .partiallyApproved ? .partiallyApproved(approval) : .authorizationApproved(approval)
        return operation == .authorization
            ? [start, approved] : [start, approved, .captured(capture(Capture.saleID, total, of: references))]
    }

    /// A ticket has its own vendor id, so a second ticket does not count as the first.
    private var ticketID: String { references.vendorTransaction.map { "ticket:\($0)" } ?? "ticket" }

    private func capture(_ id: String, _ amounts: Amounts, of payment: References) -> Capture {
        Capture(
            id: id,
            amounts: amounts,
            evidence: .gateway,
            response: response,
            references: payment,
            batch: batch,
            at: at
        )
    }

    /// - Parameter meaning: An approval is recorded as unknown.
    static func event(_ meaning: CodeMeaning, _ verdict: Verdict) -> TransactionEvent {
        switch meaning {
        case .declined: .declined(verdict)
        case .cancelled: .cancelled(verdict)
        case .failed: .failed(verdict)
        case .unknown, .approved, .partiallyApproved: .outcomeUnknown(verdict)
        }
    }

    // MARK: Follow-ups

    /// A void reverses everything that is open; the vendor has no partial void.
    func refused(_ followUp: FollowUp) -> FollowUpRefusal? {
        FollowUpRefusal.Outcome(meaning).map {
            FollowUpRefusal(
                followUp,
                outcome: $0,
                amount: followUp == .void ? nil : requested,
                isWhole: followUp == .void,
                original: original.map { References(retrievalReference: $0) },
                evidence: .gateway,
                response: response,
                at: at
            )
        }
    }

    /// The original payment's references in the answer to a ticket or void. The answer's number, ids and codes are the
    /// follow-up's own; if they arrived first, the payment would be taken for another one. Only the app's request names
    /// the original.
    private var originalReferences: References {
        References(retrievalReference: original, merchant: references.merchant, terminal: references.terminal)
    }

    private func followUp() throws -> [TransactionEvent] {
        switch meaning {
        case .declined, .cancelled, .failed:
            return refused(operation == .capture ? .capture : .void).map { [.followUpRefused($0)] } ?? []
        case .unknown:
            return [
                .outcomeUnknown(
                    Verdict(evidence: .gateway, response: response, references: originalReferences, at: at)
                ),
                .anomalyRaised(.followUpInDoubt(operation == .capture ? .capture : .void)),
            ]
        case .approved, .partiallyApproved: break
        }
        if operation == .capture {
            var ticket = capture(ticketID, try required(amounts), of: originalReferences)
            // The processor settles the ticket under its own number.
            ticket.own = references
            return [.captured(ticket)]
        }
        let void = Return(
            id: "void",
            evidence: .gateway,
            response: response,
            references: originalReferences,
            batch: batch,
            at: at
        )
        return [.voided(void)]
    }
}
