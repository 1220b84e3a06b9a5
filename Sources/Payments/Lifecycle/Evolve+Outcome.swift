import Canonical

// How requests, verdicts and resolutions change the state.
extension TransactionState {
    mutating func note(_ received: DocumentReceived) {
        vendor = vendor ?? received.vendor
        reference = reference ?? received.reference
        merchant = merchant ?? received.merchant
        terminal = terminal ?? received.terminal
        device = device ?? received.device
    }

    mutating func request(_ kind: Operation, _ request: PaymentRequest) {
        if !isOperationTold {
            operation = kind
            isOperationTold = true
        }
        tender = tender ?? request.tender
        learn(request.references, nil, request.at)
        if let amounts = request.amounts, objection(to: amounts.total) == nil {
            currency = currency ?? amounts.currency
            requested = requested ?? amounts.total.value
            breakdown = breakdown ?? amounts
            reckonTenders()
        }
        inferSale()
    }

    mutating func approve(_ approval: Approval, _ verdict: Outcome) {
        operation = operation ?? .authorization
        learn(approval.references, approval.card, approval.at)
        rule(verdict, by: approval.evidence, approval.response, at: approval.at)
        // The first approval sets A; one that says otherwise is evidence of a conflict, and changes nothing.
        guard !hasApproval, admit(approval.amounts.total) else { return }
        grant(approval.amounts, isPartial: verdict == .partiallyApproved)
        if let asked = approval.requested, objection(to: asked) == nil { requested = requested ?? asked.value }
    }

    /// Sets A.
    private mutating func grant(_ amounts: Amounts, isPartial partial: Bool) {
        hasApproval = true
        approved = amounts.total.value
        isPartial = partial
        if captures.isEmpty { breakdown = amounts }
        if released > 0, authorized == 0, let releasedBy = closedBy {
            if voids.isEmpty { isReversed = true } else { isVoided = true }
            isClosedEarly = true
            close(by: releasedBy)
        }
    }

    mutating func credit(_ approval: Approval) {
        operation = operation ?? .credit
        learn(approval.references, approval.card, approval.at)
        rule(.approved, by: approval.evidence, approval.response, at: approval.at)
        guard credit == nil, admit(approval.amounts.total) else { return }
        hasApproval = true
        breakdown = approval.amounts
        var entry = CaptureEntry(
            id: "credit",
            amount: approval.amounts.total.value,
            tip: 0,
            evidence: approval.evidence,
            batch: approval.batch
        )
        place(&entry)
        if !pendingRefundVoids.isEmpty {
            // It was voided before it was told.
            pendingRefundVoids.removeAll()
            entry.voided = entry.amount
            isVoided = true
            isClosedEarly = true
        }
        credit = entry
    }

    mutating func verify(_ approval: Approval) {
        operation = operation ?? .verification
        learn(approval.references, approval.card, approval.at)
        rule(.verified, by: approval.evidence, approval.response, at: approval.at)
    }

    mutating func rule(_ verdict: Outcome, _ told: Verdict) {
        learn(told.references, told.card, told.at)
        rule(verdict, by: told.evidence, told.response, at: told.at, said: told.said)
    }

    mutating func resolve(_ resolution: Resolution) {
        learn(resolution.references, nil, resolution.at)
        let verdict = resolution.outcome.verdict
        // A resolution is what ends the doubt, whoever was in doubt.
        if outcome == .unknown { outcome = nil }
        rule(verdict, by: resolution.evidence, Response(code: resolution.means.rawValue), at: resolution.at)
        guard verdict.movesMoney, !hasApproval, let amounts = resolution.amounts, admit(amounts.total) else { return }
        grant(amounts, isPartial: verdict == .partiallyApproved)
        resolvedBy = resolution.evidence
        inferSale()
    }

    /// A sale is captured by its approval. An answer to a status query or a find often tells no more than that the
    /// payment was approved, so the capture is implied until it is told.
    private mutating func inferSale() {
        guard operation == .sale, let resolvedBy, let approved, captures.isEmpty else { return }
        var implied = CaptureEntry(id: Capture.saleID, amount: approved, tip: 0, evidence: resolvedBy, batch: nil)
        implied.isInferred = true
        place(&implied)
        captures.append(implied)
    }

    /// Notes what one side says, and lets it stand for the whole if nothing stronger has been said.
    mutating func rule(
        _ verdict: Outcome,
        by evidence: Evidence,
        _ response: Response,
        at: Timestamp?,
        said: Outcome? = nil
    ) {
        let facet = Facet(outcome: verdict, response: response, at: at, said: said)
        if isOutcomeOfTender {
            // Attempts that came to nothing end with whatever is said of the payment itself.
            isOutcomeOfTender = false
            outcome = nil
            outcomeEvidence = nil
        }
        switch evidence {
        case .reader: reader = stronger(facet, reader)
        case .gateway: gateway = stronger(facet, gateway)
        case .settlement: settlement = stronger(facet, settlement)
        }
        if let outcome, let outcomeEvidence,
            !Self.displaces(verdict, evidence.rank, standing: outcome, outcomeEvidence.rank)
        {
            return
        }
        outcome = verdict
        outcomeEvidence = evidence
    }

    /// True when a verdict stands in the place of an earlier one.
    private static func displaces(_ new: Outcome, _ rank: Int, standing: Outcome, _ standingRank: Int) -> Bool {
        switch (new, standing) {
        // Whoever knows that money moved ends the doubt of everybody else.
        case (_, .unknown) where new.movesMoney: true
        // What a device gave up on locally says nothing about what the host did.
        case (.cancelled, .unknown), (.failed, .unknown): rank > standingRank
        case (_, .unknown): new.isDecisive && rank >= standingRank
        case (.unknown, _): rank > standingRank && !standing.movesMoney
        default: (rank, new.weight) > (standingRank, standing.weight)
        }
    }

    private func stronger(_ new: Facet, _ old: Facet?) -> Facet {
        guard let old else { return new }
        let isWeaker = new.outcome.weight < old.outcome.weight
        let saysLess = new.outcome == .unknown && old.outcome == .unknown && new.said == nil && old.said != nil
        return isWeaker || saysLess ? old : new
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

extension Resolution.Outcome {
    /// The verdict it comes to.
    var verdict: Outcome {
        switch self {
        case .approved: .approved
        case .partiallyApproved: .partiallyApproved
        case .declined: .declined
        case .notPosted: .notPosted
        case .reversed: .reversed
        }
    }
}
