import Canonical

// How requests, verdicts and resolutions change the state.
extension TransactionState {
    mutating func note(_ received: DocumentReceived) {
        vendor = vendor ?? received.vendor
        merchant = merchant ?? received.merchant
        terminal = terminal ?? received.terminal
        device = device ?? received.device
    }

    mutating func request(_ kind: Operation, _ request: PaymentRequest) {
        operation = operation ?? kind
        tender = tender ?? request.tender
        learn(request.references, nil, request.at)
        guard let amounts = request.amounts, adopt(amounts.currency) else { return }
        requested = requested ?? amounts.total.value
        breakdown = breakdown ?? amounts
    }

    mutating func approve(_ approval: Approval, _ verdict: Outcome) {
        operation = operation ?? .authorization
        learn(approval.references, approval.card, approval.at)
        rule(verdict, by: approval.evidence, approval.response, at: approval.at)
        guard adopt(approval.amounts.currency) else { return }
        // The first approval sets A; one that says otherwise is evidence of a conflict, and changes nothing.
        guard !hasApproval else { return }
        hasApproval = true
        authorized = approval.amounts.total.value
        isPartial = verdict == .partiallyApproved
        breakdown = approval.amounts
        if let asked = approval.requested, asked.currency == currency { requested = requested ?? asked.value }
    }

    mutating func credit(_ approval: Approval) {
        operation = operation ?? .credit
        learn(approval.references, approval.card, approval.at)
        rule(.approved, by: approval.evidence, approval.response, at: approval.at)
        guard adopt(approval.amounts.currency), credit == nil else { return }
        hasApproval = true
        breakdown = approval.amounts
        credit = CaptureEntry(
            id: "credit",
            amount: approval.amounts.total.value,
            tip: 0,
            evidence: approval.evidence,
            batch: approval.batch
        )
    }

    mutating func verify(_ approval: Approval) {
        operation = operation ?? .verification
        learn(approval.references, approval.card, approval.at)
        rule(.verified, by: approval.evidence, approval.response, at: approval.at)
    }

    mutating func rule(_ verdict: Outcome, _ told: Verdict) {
        learn(told.references, told.card, told.at)
        rule(verdict, by: told.evidence, told.response, at: told.at)
    }

    mutating func resolve(_ resolution: Resolution) {
        learn(resolution.references, nil, resolution.at)
        let verdict: Outcome =
            switch resolution.outcome {
            case .approved: .approved
            case .partiallyApproved: .partiallyApproved
            case .declined: .declined
            case .notPosted: .notPosted
            case .reversed: .reversed
            }
        rule(verdict, by: resolution.evidence, Response(code: resolution.means.rawValue), at: resolution.at)
        guard verdict.movesMoney, !hasApproval, let amounts = resolution.amounts, adopt(amounts.currency) else {
            return
        }
        hasApproval = true
        authorized = amounts.total.value
        isPartial = verdict == .partiallyApproved
        breakdown = amounts
    }

    /// Notes what one side says, and lets it stand for the whole if nothing stronger has been said.
    mutating func rule(_ verdict: Outcome, by evidence: Evidence, _ response: Response, at: Timestamp?) {
        let facet = Facet(outcome: verdict, response: response, at: at)
        switch evidence {
        case .reader: reader = stronger(facet, reader)
        case .gateway: gateway = stronger(facet, gateway)
        case .settlement: settlement = stronger(facet, settlement)
        }
        guard let outcome, let outcomeEvidence else {
            outcome = verdict
            outcomeEvidence = evidence
            return
        }
        if (evidence.rank, verdict.weight) > (outcomeEvidence.rank, outcome.weight) {
            self.outcome = verdict
            self.outcomeEvidence = evidence
        }
    }

    private func stronger(_ new: Facet, _ old: Facet?) -> Facet {
        guard let old, old.outcome.weight > new.outcome.weight else { return new }
        return old
    }

    /// Takes the currency of the first amount told.
    ///
    /// - Returns: False when the amount is in another currency and must not be summed.
    mutating func adopt(_ told: Currency) -> Bool {
        guard let currency else {
            currency = told
            return true
        }
        return currency == told
    }

    /// Fills gaps in what is known about the payment; what was told first is kept.
    mutating func learn(_ told: References, _ presentation: CardPresentation?, _ at: Timestamp?) {
        references = references.filled(from: told)
        if let presentation { card = card?.filled(from: presentation) ?? presentation }
        guard let at else { return }
        startedAt = min(startedAt ?? at, at)
        lastAt = max(lastAt ?? at, at)
    }
}
