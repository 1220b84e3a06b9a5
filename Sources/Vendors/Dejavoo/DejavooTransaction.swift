import Canonical
import Payments

/// One iPOSgo transaction as either version of deep linking reports it, and the facts it attests.
struct DejavooTransaction {
    var kind: String
    /// Nil where the document names a type that is in none of the vendor's tables.
    var operation: DejavooOperation?
    var meaning: CodeMeaning
    var response: Response
    /// Nil where the document has no amount; only voids can do without.
    var amounts: Amounts?
    /// What had been asked for, where the app sends its request along.
    var requested: Money?
    var references: References
    var card: CardPresentation?
    var batch: BatchReference?
    /// The retrieval reference number of the payment this one belongs to, from the app's request.
    var original: String?
    var time: String?
    var at: Timestamp?
    /// About the fields of this document.
    var anomalies: [Anomaly] = []
    /// Where the amounts are.
    var moneyPointer: String

    /// iPOSgo captures a pre-authorisation once, by a ticket that may add a tip. Taxes and fees of the terminal's
    /// profile come on top of what the app asks for.
    static let policy = LifecyclePolicy(
        tipExceedsAuthorization: true,
        capturesOnce: true,
        requestIsFloor: true,
        reusesGatewayID: true
    )

    func observation() throws -> Observation {
        let transaction = references.vendorTransaction ?? references.retrievalReference
        return Observation(
            subject: .transaction(try events() + anomalies.map { .anomalyRaised($0) }),
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
    }

    /// A follow-up is found by the retrieval reference number of the original, a new payment by its own id.
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

    /// The names a retrieval reference number gives. It is only unique for one terminal, so with the terminal it counts
    /// for more than alone.
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

    /// Of a type nobody knows only a refusal is certain: whether money came or went, or was held, the type would tell.
    private var untyped: [TransactionEvent] {
        let verdict = Verdict(evidence: .gateway, response: response, references: references, card: card, at: at)
        return [Self.event(meaning, verdict)]
    }

    // MARK: Payments

    private func payment(
        _ request: (PaymentRequest) -> TransactionEvent
    ) throws -> [TransactionEvent] {
        let isApproved = meaning == .approved || meaning == .partiallyApproved
        // The request is a floor: taxes and fees of the profile come on top without being asked for.
        let requested = requested.flatMap { asked in amounts.map { asked.value > $0.total.value } ?? true ? asked : nil
        }
        // After a partial approval the total tells what was approved; what was asked for only the request knows.
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

    /// A ticket has an id of its own at the vendor, so a second one does not pass for the first.
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

    /// - Parameter meaning: An approval is told as unknown.
    static func event(_ meaning: CodeMeaning, _ verdict: Verdict) -> TransactionEvent {
        switch meaning {
        case .declined: .declined(verdict)
        case .cancelled: .cancelled(verdict)
        case .failed: .failed(verdict)
        case .unknown, .approved, .partiallyApproved: .outcomeUnknown(verdict)
        }
    }

    // MARK: Follow-ups

    /// A void takes back all that is open; the vendor has no partial one.
    func refused(_ followUp: FollowUpRefusal.FollowUp) -> FollowUpRefusal? {
        FollowUpRefusal.Outcome(meaning).map {
            FollowUpRefusal(
                followUp,
                outcome: $0,
                amount: followUp == .void ? nil : requested,
                isWhole: followUp == .void,
                evidence: .gateway,
                response: response,
                at: at
            )
        }
    }

    /// What a ticket or void tells of the payment it follows. Number, ids and codes in its answer are its own: the payment
    /// would be taken for another one where they come before its own. Only the app's request names the original.
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
                .anomalyRaised(.followUpInDoubt(operation == .capture ? "capture" : "void")),
            ]
        case .approved, .partiallyApproved: break
        }
        if operation == .capture {
            return [.captured(capture(ticketID, try required(amounts), of: originalReferences))]
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
