import Canonical

// The fold of requests, verdicts and resolutions.
extension TransactionState {
    mutating func note(_ received: DocumentReceived) {
        identity.vendor = identity.vendor ?? received.vendor
        identity.reference = identity.reference ?? received.reference
        identity.merchant = identity.merchant ?? received.merchant
        identity.terminal = identity.terminal ?? received.terminal
        identity.device = identity.device ?? received.device
        // Money may have moved if one document reports the live system.
        if let isTest = received.isTest { identity.isTest = (identity.isTest ?? true) && isTest }
    }

    mutating func request(_ kind: Operation, _ request: PaymentRequest) {
        identity.request(kind)
        identity.tender = identity.tender ?? request.tender
        identity.circumstances = identity.circumstances ?? request.circumstances
        if let terms = request.terms { identity.terms = identity.terms?.filled(from: terms) ?? terms }
        learn(request.references, nil, request.at)
        if let amounts = request.amounts, objection(to: amounts.total) == nil {
            currency = currency ?? amounts.currency
            authorization.requested = authorization.requested ?? amounts.total.value
            // The terminal's own request adds taxes and tips to what the app requests.
            let isMore = amounts.isDetailed && amounts.total.value > authorization.breakdown?.total.value ?? 0
            if authorization.breakdown == nil || !hasApproval && captures.isEmpty && isMore {
                authorization.breakdown = amounts
            }
            if authorization.taxed == nil { note(taxesOf: amounts) }
            reckonTenders()
        }
        inferSale()
        inferCredit()
    }

    mutating func approve(_ approval: Approval, _ verdict: Outcome) {
        identity.infer(.authorization)
        learn(approval.references, approval.card, approval.at)
        rule(verdict, by: approval.evidence, approval.response, at: approval.at)
        // The first approval sets A, and the gateway's own replaces what was only relayed. A different one is evidence
        // of a conflict and changes nothing.
        let isConfirmation = authorization.approvedBy.map(approval.evidence.confirms) ?? false
        guard !hasApproval || isConfirmation && credit == nil && tenders.entries.isEmpty else { return }
        guard admit(approval.amounts.total) else { return }
        grant(approval.amounts, isPartial: verdict == .partiallyApproved, by: approval.evidence)
        if let asked = approval.requested, objection(to: asked) == nil {
            authorization.requested = authorization.requested ?? asked.value
        }
    }

    /// Sets A.
    private mutating func grant(_ amounts: Amounts, isPartial: Bool, by evidence: Evidence) {
        authorization.approved = amounts.total.value
        authorization.extras = amounts.countedExtras
        authorization.approvedBy = evidence
        authorization.isPartial = isPartial
        if captures.isEmpty { authorization.breakdown = amounts }
        note(taxesOf: amounts)
        if authorization.released > 0, authorized == 0, let releasedBy = closing.evidence {
            if closing.voids.isEmpty { closing.isReversed = true } else { closing.isVoided = true }
            closing.isEarly = true
            close(by: releasedBy)
        }
    }

    mutating func credit(_ approval: Approval) {
        identity.infer(.credit)
        learn(approval.references, approval.card, approval.at)
        rule(.approved, by: approval.evidence, approval.response, at: approval.at)
        if let known = credit { return repeatCredit(known, approval) }
        guard admit(approval.amounts.total) else { return }
        giveBack(approval.amounts, by: approval.evidence, in: approval.batch, at: approval.at, isInferred: false)
    }

    /// A credit that was inferred before, or that the gateway itself now reports. Everything recorded about it since
    /// stays.
    private mutating func repeatCredit(_ known: CaptureEntry, _ approval: Approval) {
        let isSame = known.amount == approval.amounts.total.value
        let isConfirmation = approval.evidence.confirms(known.evidence)
        guard isConfirmation || known.isInferred && isSame else { return }
        if !isSame {
            guard admit(approval.amounts.total) else { return }
            credit?.correct(to: approval.amounts)
            // Nothing of a credit is a tip.
            credit?.tip = 0
            credit?.firstTip = 0
        }
        credit?.isInferred = false
        credit?.batch = BatchReference.named(by: approval.batch, after: known.batch)
        credit?.localAt = known.localAt ?? approval.at?.local
        if approval.evidence.rank > known.evidence.rank { credit?.evidence = approval.evidence }
        authorization.breakdown = approval.amounts
        if let entry = credit, entry.isOpen, let closed = entry.batch.flatMap(closing(of:)) {
            credit?.settlement = closed
        }
    }

    private mutating func giveBack(
        _ amounts: Amounts,
        by evidence: Evidence,
        in batch: BatchReference?,
        at reportedAt: ReportedTime? = nil,
        isInferred: Bool
    ) {
        authorization.breakdown = amounts
        var entry = CaptureEntry(
            id: "credit",
            amount: amounts.total.value,
            tip: 0,
            evidence: evidence,
            batch: batch,
            at: isInferred ? times.begunAt : times.event,
            localAt: isInferred ? times.earliest.local : reportedAt?.local
        )
        entry.isInferred = isInferred
        place(&entry)
        // It was voided before it was reported.
        let isVoided = pending.refundVoids.contains { !isConfirmed || $0.evidence.isConfirmation }
        pending.refundVoids.removeAll()
        if isVoided {
            entry.voided = entry.amount
            closing.isVoided = true
            closing.isEarly = true
        }
        credit = entry
    }

    mutating func verify(_ approval: Approval) {
        identity.infer(.verification)
        learn(approval.references, approval.card, approval.at)
        rule(.verified, by: approval.evidence, approval.response, at: approval.at)
    }

    mutating func rule(_ verdict: Outcome, _ reported: Verdict) {
        identity.value = identity.value ?? reported.value
        attempt(reported.attempted)
        learn(reported.references, reported.card, reported.at)
        let isFirst = outcome?.isDecisive != true
        rule(verdict, by: reported.evidence, reported.response, at: reported.at, said: reported.said)
        if isFirst || reported.at != nil { noteSentBefore() }
        noteAttempt(verdict, reported)
    }

    mutating func resolve(_ resolution: Resolution) {
        let isAnew = isNewEvidence(resolution)
        learn(resolution.references, nil, resolution.at)
        if resolution.operation == .credit {
            // Evidence shows a standalone refund. If there is a payment, it is a refund of that payment and does not
            // settle its outcome.
            guard isCreditExpected else { return }
            identity.infer(.credit)
        }
        let before = verdicts
        let verdict = resolution.outcome.verdict
        // A resolution ends the doubt of every source, except that one from below the gateway's rank says nothing about
        // what the gateway itself left unknown.
        if outcome == .unknown, let source = verdicts.current?.evidence, resolution.evidence.concludes(against: source)
        {
            verdicts.current = nil
        }
        rule(verdict, by: resolution.evidence, Response(code: resolution.means.rawValue), at: resolution.at)
        if isAnew, let at = resolution.answeredAt {
            verdicts.decidedAt.takeLater(.instant(at))
            // The zone of local times is unknown, but those recorded until now were reported before the answer.
            if let local = times.latest.local { verdicts.decidedAt.takeLater(.local(local)) }
        }
        if isAnew, let at = resolution.at { verdicts.decidedAt.takeLater(at) }
        if isAnew { noteConclusion(at: resolution.answeredAt) }
        if !isAnew {
            verdicts.decidedAt = before.decidedAt
            verdicts.decidedAtEvent = before.decidedAtEvent
            verdicts.deniedAtEvent = before.deniedAtEvent
        }
        guard verdict.movesMoney, let amounts = resolution.amounts else { return }
        guard !hasApproval else {
            return confirm(amounts, isPartial: verdict == .partiallyApproved, by: resolution.evidence)
        }
        guard admit(amounts.total) else { return }
        authorization.resolvedBy = resolution.evidence
        if operation == .credit {
            return giveBack(amounts, by: resolution.evidence, in: nil, isInferred: true)
        }
        // A total alone leaves its parts as the request states them.
        let stated = authorization.breakdown.flatMap { $0.total == amounts.total && !amounts.isDetailed ? $0 : nil }
        grant(stated ?? amounts, isPartial: verdict == .partiallyApproved, by: resolution.evidence)
        inferSale()
    }

    /// The gateway's own amount replaces the one that was only relayed, also that of a sale's capture.
    private mutating func confirm(_ amounts: Amounts, isPartial: Bool, by evidence: Evidence) {
        guard let approvedBy = authorization.approvedBy, evidence.confirms(approvedBy), credit == nil,
            tenders.entries.isEmpty, admit(amounts.total)
        else { return }
        if authorization.approved == amounts.total.value {
            authorization.approvedBy = evidence
        } else {
            grant(amounts, isPartial: isPartial, by: evidence)
        }
        guard operation == .sale, captures.count == 1, captures[0].id.hasSameUTF8(as: Capture.saleID) else { return }
        repeatCapture(at: 0, Capture(id: Capture.saleID, amounts: amounts, evidence: evidence))
    }

    /// True if nothing contradicts a standalone refund: the payment was reported as one, or nothing was reported.
    var isCreditExpected: Bool {
        if let operation { return operation == .credit }
        return !hasApproval && captures.isEmpty && refunds.isEmpty && authorization.increments.isEmpty
            && tenders.entries.isEmpty && pending.tip == nil && chargebacks.isEmpty
    }

    /// False if the evidence shows the same gateway transaction that was already settled: that says nothing about
    /// another transaction of the same name. A result kept by a reader is always that of its last operation, so it is
    /// always new.
    func isNewEvidence(_ resolution: Resolution) -> Bool {
        guard outcome?.isDecisive == true, resolution.means != .recoveredResult,
            let found = resolution.references.gatewayTransaction, let known = references.gatewayTransaction
        else { return true }
        return !found.hasSameUTF8(as: known)
    }

    /// Turns an approval into a credit, if the payment is reported as a credit only after evidence showed the approval.
    private mutating func inferCredit() {
        guard operation == .credit, let resolvedBy = authorization.resolvedBy,
            let total = authorization.approved.flatMap({ money($0) }), credit == nil, captures.isEmpty,
            tenders.entries.isEmpty
        else { return }
        authorization.approved = nil
        authorization.isPartial = false
        giveBack(
            authorization.breakdown.flatMap { $0.total == total ? $0 : nil } ?? Amounts(total: total),
            by: resolvedBy,
            in: nil,
            isInferred: true
        )
    }

    /// The approval of a sale also captures it. The answer to a status query or a find often reports only the approval,
    /// so the capture is implied until it is reported.
    private mutating func inferSale() {
        guard operation == .sale, let resolvedBy = authorization.resolvedBy, let approved = authorization.approved,
            captures.isEmpty
        else { return }
        var implied = CaptureEntry(
            id: Capture.saleID,
            amount: approved,
            tip: 0,
            evidence: resolvedBy,
            batch: nil,
            at: times.begunAt,
            localAt: times.earliest.local
        )
        if let breakdown = authorization.breakdown, breakdown.total.value == approved {
            (implied.tip, implied.firstTip) = (breakdown.countedTip, breakdown.countedTip)
            implied.extras = breakdown.countedExtras
            implied.cashBack = breakdown.countedCashBack
        }
        implied.taxes = authorization.taxed?.taxes(of: implied) ?? []
        implied.isInferred = true
        place(&implied)
        captures.append(implied)
    }

    /// Records the verdict of one side, and makes it the payment's outcome unless stronger evidence exists.
    mutating func rule(
        _ verdict: Outcome,
        by evidence: Evidence,
        _ response: Response,
        at: ReportedTime?,
        said: Outcome? = nil
    ) {
        let facet = Facet(
            outcome: verdict,
            response: response,
            at: at,
            said: said,
            isRelayed: evidence == .relayed
        )
        noteAnswer(verdict, by: evidence, at: at)
        noteDenial(verdict, by: evidence, at: at)
        if verdict.isDecisive { noteDecision(at: at) }
        verdicts[evidence] = stronger(facet, verdicts[evidence])
        // The verdict of single tenders ends when a verdict on the payment itself is recorded.
        if let current = verdicts.current, !current.isOfTender,
            !Self.displaces(verdict, evidence, current: current.outcome, current.evidence)
        {
            return
        }
        verdicts.current = CurrentOutcome(outcome: verdict, evidence: evidence)
    }

    /// True if a verdict replaces an earlier one.
    private static func displaces(
        _ new: Outcome,
        _ evidence: Evidence,
        current: Outcome,
        _ currentEvidence: Evidence
    ) -> Bool {
        let (rank, currentRank) = (evidence.rank, currentEvidence.rank)
        return switch (new, current) {
        // Evidence that money moved ends the doubt of all sides.
        case (_, .unknown) where new.movesMoney: true
        // A local failure or cancellation on a device says nothing about the host's outcome.
        case (.cancelled, .unknown), (.failed, .unknown): rank > currentRank
        case (.unknown, .unknown): rank > currentRank
        case (_, .unknown): new.isDecisive && rank >= currentRank
        case (.unknown, _): rank > currentRank && !current.movesMoney
        default: (rank, new.weight) > (currentRank, current.weight)
        }
    }

    private func stronger(_ new: Facet, _ old: Facet?) -> Facet {
        guard let old else { return new }
        // The gateway's own answer stands, whichever was recorded first. What it left unknown, only relayed money ends.
        if new.isRelayed != old.isRelayed {
            let (own, relayed) = new.isRelayed ? (old, new) : (new, old)
            return own.outcome.isDecisive || !relayed.outcome.movesMoney ? own : relayed
        }
        let isWeaker = new.outcome.weight < old.outcome.weight
        let saysLess = new.outcome == .unknown && old.outcome == .unknown && new.said == nil && old.said != nil
        return isWeaker || saysLess ? old : new
    }

    /// Fills gaps in what is known about the payment. The first reported value is kept.
    mutating func learn(_ reported: References, _ presentation: CardPresentation?, _ at: ReportedTime?) {
        var known = references
        // Earlier events name the account also as the merchant. The merchant at the processor replaces it.
        let account = known.gatewayAccount ?? reported.gatewayAccount
        if known.merchant.hasSameUTF8(as: account) { known.merchant = nil }
        known = known.filled(from: reported)
        known.merchant = known.merchant ?? references.merchant
        references = known
        if let presentation { card = card?.filled(from: presentation) ?? presentation }
        guard let at else { return }
        times.earliest.takeEarlier(at)
        times.latest.takeLater(at)
    }
}

extension Resolution.Outcome {
    /// The corresponding outcome.
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
