package import Canonical
package import Payments

/// An event of a payment, with the position and time at which it was recorded.
package struct RecordedFact: Sendable, Hashable {
    package var position: Int64
    package var at: Timestamp
    /// The time of the event, by the clock of its sender.
    package var occurredAt: Timestamp
    package var event: TransactionEvent

    /// - Parameter occurredAt: By default the time at which the event was recorded.
    package init(position: Int64, at: Timestamp, occurredAt: Timestamp? = nil, event: TransactionEvent) {
        self.position = position
        self.at = at
        self.occurredAt = occurredAt ?? at
        self.event = event
    }
}

extension TransactionState {
    /// Folds the recorded events of a payment, in order.
    package init(recorded facts: some Sequence<RecordedFact>) {
        self.init()
        for fact in facts { fold(fact) }
    }

    /// Folds a recorded event with the time of its sender, as the ledger does when it decides.
    package mutating func fold(_ fact: RecordedFact) { Lifecycle.evolve(&self, fact.event, at: fact.occurredAt) }
}

extension PaymentEvidence {
    /// Reads the evidence from the events of a payment.
    ///
    /// The events do not contain the attempts of other payments with the same card, nor the queries about a doubt: the
    /// caller adds them.
    ///
    /// - Parameters:
    ///   - facts: Every event of the payment's stream, in order.
    ///   - wanted: The operation to resubmit; nil for the payment itself, or for the reversal if one is due.
    ///   - codes: Reads the codes of answers by the rules of their vendor.
    package init(folding facts: [RecordedFact], wanted: ReplayRequest? = nil, codes: VendorCodeReader) {
        var state = TransactionState()
        var approvedAt: Timestamp?
        for fact in facts {
            state.fold(fact)
            if state.hasApproval, approvedAt == nil { approvedAt = fact.at }
        }
        var balance = PaymentBalance(state, approvedAt: approvedAt)
        if balance.capturedAt != nil { balance.capturedAt = Self.capturedAt(facts) }
        let operation = ReplayOperation.payment(state.operation ?? .sale)
        let request = balance.isReversalDue ? ReplayRequest(.reversal) : ReplayRequest(operation)
        self.init(
            wanted: wanted
                ?? ReplayRequest(
                    request.operation,
                    amount: state.authorization.requested.flatMap { state.money($0) },
                    tip: request.operation.isPayment ? state.requestedTip : nil
                ),
            vendor: state.identity.vendor,
            scheme: state.card?.brand.flatMap { CardScheme(brand: $0) },
            use: state.card.flatMap(\.use),
            balance: balance
        )
        let queries = QueryTimes(facts)
        for fact in facts { take(fact, operation, codes, queries) }
        if !attempts.contains(where: { $0.operation == operation }), let first = answers.map(\.at).min() {
            // The request itself was not recorded.
            let position = answers.map(\.position).min() ?? 0
            attempts.append(AttemptEvidence(position: position, at: first, operation: operation))
        }
        if balance.status == .inDoubt { doubts.append(paymentDoubt(operation, facts)) }
        if state.lacksAttemptAnswer, let last = facts.last {
            doubts.append(
                Doubt(operation: nil, position: last.position, sentAt: last.at, vendor: state.identity.vendor)
            )
        }
        for (index, anomaly) in state.anomalies.enumerated() where anomaly.kind == .followUpInDoubt {
            guard state.anomalies.firstIndex(of: anomaly) == index else { continue }
            let raised = facts.last { $0.event == .anomalyRaised(anomaly) }
            guard let at = raised?.at ?? facts.last?.at else { continue }
            doubts.append(
                Doubt(operation: nil, position: raised?.position ?? 0, sentAt: at, vendor: state.identity.vendor)
            )
        }
    }

    /// The time of the first capture that counts, by the times at which the events were recorded, as the rules count
    /// their windows.
    private static func capturedAt(_ facts: [RecordedFact]) -> Timestamp? {
        var state = TransactionState()
        for fact in facts { Lifecycle.evolve(&state, fact.event, at: fact.at) }
        return PaymentBalance(state, approvedAt: nil).capturedAt
    }

    private mutating func take(
        _ fact: RecordedFact,
        _ operation: ReplayOperation,
        _ codes: VendorCodeReader,
        _ queries: QueryTimes
    ) {
        switch fact.event {
        case .saleRequested, .authorizationRequested, .creditRequested, .verificationRequested:
            guard !attempts.contains(where: { $0.operation == operation }) else { return }
            attempts.append(AttemptEvidence(position: fact.position, at: fact.at, operation: operation))
        case .authorizationApproved(let reported), .creditApproved(let reported):
            answer(.approved, reported.evidence, reported.response, fact, operation, codes)
        case .partiallyApproved(let reported):
            answer(.partiallyApproved, reported.evidence, reported.response, fact, operation, codes)
        case .accountVerified(let reported):
            answer(.verified, reported.evidence, reported.response, fact, operation, codes)
        case .declined(let reported): answer(.declined, reported.evidence, reported.response, fact, operation, codes)
        case .cancelled(let reported): answer(.cancelled, reported.evidence, reported.response, fact, operation, codes)
        case .failed(let reported): answer(.failed, reported.evidence, reported.response, fact, operation, codes)
        case .outcomeUnknown(let reported):
            answer(.unknown, reported.evidence, reported.response, fact, operation, codes)
        case .tenderRefused(let reported):
            answer(
                reported.outcome == .declined ? .declined : .failed,
                reported.evidence,
                reported.response,
                fact,
                operation,
                codes
            )
        case .followUpRefused(let reported):
            guard let followUp = ReplayOperation(reported.followUp) else { return }
            attempts.append(AttemptEvidence(position: fact.position, at: fact.at, operation: followUp))
            answer(Outcome(reported.outcome), reported.evidence, reported.response, fact, followUp, codes)
        case .outcomeResolved(let reported):
            resolutions.append(
                ResolutionEvidence(
                    position: fact.position,
                    // The sender's clock may be ahead of the log's.
                    at: queries[fact] ?? min(reported.answeredAt ?? fact.at, fact.at),
                    outcome: reported.outcome,
                    means: reported.means,
                    by: reported.evidence
                )
            )
            // Testimony about the payment's outcome also settles the outcome of every attempt.
            if reported.testimony != nil, reported.testimony?.followUp == nil {
                for attempt in attempts { resolve(attempt.reference, reported.outcome, reported.means, fact) }
            }
        case .gateway(let event): take(event, fact, operation, codes, queries)
        default: return
        }
    }

    /// A Daybook call is an attempt with a reference.
    private mutating func take(
        _ event: GatewayEvent,
        _ fact: RecordedFact,
        _ own: ReplayOperation,
        _ codes: VendorCodeReader,
        _ queries: QueryTimes
    ) {
        let report = event.report
        if report.operation == .find {
            guard event.name == .callAnswered, let about = report.about, let outcome = report.verdict?.resolution else {
                return
            }
            return resolve(about, outcome, .find, fact, at: queries[fact])
        }
        guard let called = ReplayOperation(report.operation) else { return }
        // Gateways treat a standalone credit as a refund without a payment.
        let operation = called == .refund && own == .credit ? own : called
        switch event.name {
        case .callSent:
            // The recorded request and this call are one attempt. Recorded answers belong to an earlier attempt.
            if operation.isPayment, answers.isEmpty { attempts.removeAll { $0.reference == nil } }
            attempts.append(
                AttemptEvidence(
                    position: fact.position,
                    // The clocks of servers differ, so waits are measured by the clock of the log.
                    at: fact.at,
                    operation: operation,
                    reference: report.reference
                )
            )
        case .callFailed:
            guard let index = attempts.lastIndex(where: { $0.reference == report.reference }) else { return }
            attempts[index].isSent = false
        case .callAnswered:
            guard let outcome = report.verdict?.outcome else { return }
            answer(
                outcome,
                .gateway,
                report.response,
                fact,
                operation,
                codes,
                of: report.vendor,
                reference: report.reference
            )
        case .callTimedOut: return
        }
    }

    private mutating func resolve(
        _ reference: String?,
        _ outcome: Resolution.Outcome,
        _ means: Resolution.Means,
        _ fact: RecordedFact,
        at time: Timestamp? = nil
    ) {
        guard let reference else { return }
        resolutions.append(
            ResolutionEvidence(
                position: fact.position,
                at: time ?? fact.at,
                outcome: outcome,
                means: means,
                reference: reference
            )
        )
    }

    private mutating func answer(
        _ outcome: Outcome,
        _ by: Payments.Evidence,
        _ response: Response,
        _ fact: RecordedFact,
        _ operation: ReplayOperation,
        _ codes: VendorCodeReader,
        of other: Vendor? = nil,
        reference: String? = nil
    ) {
        var answer = AnswerEvidence(
            position: fact.position,
            at: fact.at,
            operation: operation,
            by: by,
            outcome: outcome,
            message: response.message,
            reference: reference
        )
        answer.read(response.code, of: other ?? vendor, codes)
        answer.answer = response.issuer?.code ?? answer.answer
        answer.advice = response.issuer?.advice
        answers.append(answer)
    }

    private func paymentDoubt(_ operation: ReplayOperation, _ facts: [RecordedFact]) -> Doubt {
        let unknown = answers.filter { $0.outcome == .unknown }.max { $0.position < $1.position }
        let sent = attempts.filter { $0.operation == operation }.map(\.at).max()
        let at = sent ?? unknown?.at ?? facts.last?.at ?? .earliest
        return Doubt(
            operation: operation,
            position: unknown?.position ?? facts.last?.position ?? 0,
            sentAt: at,
            vendor: vendor
        )
    }
}

extension TransactionState {
    /// The tip that was requested with the payment; nil once another total was reported.
    package var requestedTip: Money? {
        guard let parts = authorization.breakdown, parts.total.value == authorization.requested,
            parts.tip?.isZero == false
        else { return nil }
        return parts.tip
    }
}

extension Outcome {
    fileprivate init(_ refusal: FollowUpRefusal.Outcome) {
        self =
            switch refusal {
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            }
    }
}

extension AnswerEvidence {
    /// Adds the one code that an event keeps, which may belong to several tables. Without a vendor it is the issuer's
    /// answer.
    package mutating func read(_ code: String?, of vendor: Vendor?, _ codes: VendorCodeReader) {
        guard let code, !code.isEmpty else { return }
        let meaning = vendor.map { codes(code, $0, by) } ?? VendorCode(isIssuerAnswer: true)
        self.codes += meaning.tables.map { AnswerCode($0, code, restIsIssuers: meaning.restIsIssuers) }
        if meaning.isIssuerAnswer { answer = code }
    }
}

extension GatewayVerdictName {
    /// The outcome that the answer to a query proves; nil if it proves none.
    fileprivate var resolution: Resolution.Outcome? {
        switch self {
        case .approved: .approved
        case .partiallyApproved: .partiallyApproved
        case .declined: .declined
        case .notPosted: .notPosted
        case .pending, .ambiguous, .unknown, .refused: nil
        }
    }

    /// The outcome of a request by its answer; nil if the answer leaves it open.
    fileprivate var outcome: Outcome? {
        switch self {
        case .approved: .approved
        case .partiallyApproved: .partiallyApproved
        case .declined: .declined
        case .refused: .failed
        case .pending, .ambiguous, .unknown, .notPosted: nil
        }
    }
}

extension CardPresentation {
    /// Nil if the entry method is not reported, or reported in unknown words.
    fileprivate var use: CardUse? {
        if cardWasRead { return .cardPresent }
        let method = (entryMethod ?? "").lowercased().filter(\.isLetter)
        return ["cnp", "keyed", "manual", "ecommerce"].contains(method) ? .cardNotPresent : nil
    }

    private var cardWasRead: Bool { applicationCryptogram != nil || pinEntered == true || chipAmounts != nil }
}
