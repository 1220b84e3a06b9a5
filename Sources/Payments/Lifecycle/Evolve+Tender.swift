package import Canonical

// The fold of tenders and dispensed cash. Each distinct one adds to the approved and captured amounts, until together
// they cover the request.
extension TransactionState {
    mutating func apply(_ reported: Tender) {
        if case .reported(.credit)? = identity.operation, tenders.entries.isEmpty { return returnTender(reported) }
        add(
            TenderEntry(reported),
            TenderLine(
                amounts: reported.amounts,
                offers: reported.offers ?? [],
                references: reported.references,
                response: reported.response,
                at: reported.at
            )
        )
        guard let balance = reported.balance, objection(to: balance) == nil else { return }
        tenders.leastBalance = min(tenders.leastBalance ?? balance.value, balance.value)
        reckonTenders()
    }

    /// The payment was reported as a return: the account of the tender is credited.
    private mutating func returnTender(_ reported: Tender) {
        credit(
            Approval(
                amounts: reported.amounts,
                evidence: reported.evidence,
                response: reported.response,
                references: reported.references,
                card: reported.account?.card,
                at: reported.at
            )
        )
    }

    mutating func dispense(_ reported: Dispense) {
        if let asked = reported.requested, objection(to: asked) == nil {
            currency = currency ?? asked.currency
            authorization.requested = authorization.requested ?? asked.value
        }
        let amounts = Amounts(total: reported.dispensed, figures: reported.figures)
        let line = TenderLine(
            amounts: amounts,
            offers: [],
            references: reported.references,
            response: reported.response,
            at: reported.at
        )
        let isWholeApproved = hasApproval && tenders.entries.isEmpty
        guard isWholeApproved, let approved = authorization.approved else { return add(TenderEntry(reported), line) }
        // The whole withdrawal was approved: the part that was not dispensed is released.
        let rest = max(0, approved - max(0, reported.dispensed.value))
        let before = tenders.entries.count
        add(TenderEntry(reported), line)
        guard tenders.entries.count > before else { return }
        authorization.approved = approved
        authorization.released += rest
    }

    /// The fields that tenders and dispensed cash share beside their entries.
    private struct TenderLine {
        var amounts: Amounts
        var offers: [NamedAmount]
        var references: References
        var response: Response
        var at: ReportedTime?
    }

    private mutating func add(_ entry: TenderEntry, _ line: TenderLine) {
        identity.infer(.sale)
        learn(line.references, tenders.entries.isEmpty && card == nil ? entry.account?.card : nil, line.at)
        if let index = tenderIndex(of: entry) { return repeatTender(at: index, entry, line) }
        let entry = uniquelyNamed(entry)
        // No tender pays for money that goes back to the cardholder: it is flagged and not counted.
        guard operation != .credit, admit(line.amounts.total) else { return }
        for offer in line.offers where !tenders.offers.contains(where: { $0.id.hasSameUTF8(as: offer.id) }) {
            guard let amount = offer.amount, admit(amount) else { continue }
            tenders.offers.append(offer)
        }
        authorization.approved = (authorization.approved ?? 0) + entry.amount
        tenders.entries.append(entry)
        if entry.isCaptured { captureTender(entry, line) }
        if authorization.breakdown == nil || tenders.entries.count == 1 && captures.count <= 1 {
            authorization.breakdown = line.amounts
        }
        reckonTenders()
        rule(authorization.isPartial ? .partiallyApproved : .approved, by: entry.evidence, line.response, at: line.at)
        reckonTenders()
    }

    /// The same tender again: from higher-ranked evidence, or now with a capture of money that was only held.
    private mutating func repeatTender(at index: Int, _ reported: TenderEntry, _ line: TenderLine) {
        let known = tenders.entries[index]
        var reported = reported
        reported.id = known.id
        tenders.entries[index].learn(reported)
        if !known.isCaptured && reported.isCaptured {
            guard admit(line.amounts.total) else { return }
            tenders.entries[index].isCaptured = true
            captureTender(reported, line)
        } else if reported.evidence.rank > known.evidence.rank {
            confirmTender(at: index, reported, line)
        }
        tenders.entries[index].isPartial = tenders.entries[index].isPartial && reported.isPartial
        reckonTenders()
    }

    /// The same tender from higher-ranked evidence. The gateway's own amount replaces the relayed one; otherwise a
    /// different amount under the same id is not counted.
    private mutating func confirmTender(at index: Int, _ reported: TenderEntry, _ line: TenderLine) {
        let known = tenders.entries[index]
        let capture = captures.firstIndex { $0.id.hasSameUTF8(as: known.captureID) }
        if known.amount != reported.amount {
            guard reported.evidence.confirms(known.evidence), admit(line.amounts.total) else { return }
            authorization.approved = (authorization.approved ?? 0) + reported.amount - known.amount
            tenders.entries[index].amount = reported.amount
            tenders.entries[index].tip = reported.tip
            if let capture { captures[capture].correct(to: line.amounts) }
        }
        tenders.entries[index].evidence = reported.evidence
        if let capture { captures[capture].evidence = reported.evidence }
    }

    private mutating func captureTender(_ reported: TenderEntry, _ line: TenderLine) {
        guard !captures.contains(where: { $0.id.hasSameUTF8(as: reported.captureID) }) else { return }
        var capture = CaptureEntry(
            id: reported.captureID,
            amount: reported.amount,
            tip: reported.tip,
            evidence: reported.evidence,
            batch: nil,
            at: times.event,
            localAt: line.at?.local
        )
        capture.extras = line.amounts.countedExtras
        capture.cashBack = line.amounts.countedCashBack
        capture.taxes = line.amounts.countedTaxes
        place(&capture)
        captures.append(capture)
    }

    mutating func refuse(_ reported: TenderRefusal) {
        identity.infer(.sale)
        learn(reported.references, nil, reported.at)
        attempt(reported.amount)
        let refused = RefusedTender(reported)
        if tenders.refused.count < Tenders.mostRefused, !tenders.refused.contains(refused) {
            tenders.refused.append(refused)
        }
        guard !hasApproval, verdicts.current?.isOfTender ?? true else { return }
        let isFirst = outcome?.isDecisive != true
        rule(reported.outcome.verdict, by: reported.evidence, reported.response, at: reported.at)
        verdicts.current?.isOfTender = true
        if isFirst || reported.at != nil { noteSentBefore() }
    }

    /// The amount of an attempt with one tender. The whole request may be more.
    mutating func attempt(_ amount: Money?) {
        guard let amount, objection(to: amount) == nil else { return }
        currency = currency ?? amount.currency
        tenders.attempted = max(tenders.attempted ?? 0, amount.value)
    }

    /// Recomputes whether more is due: from the request, or else from the vendor's reports.
    mutating func reckonTenders() {
        guard !tenders.entries.isEmpty else { return }
        if tenders.entries.contains(where: \.isCash) {
            // A machine that has less than requested takes less from the account: the rest is not due.
            authorization.isPartial = false
        } else if let requested = authorization.requested {
            authorization.isPartial = covered < requested
        } else if let leastBalance = tenders.leastBalance {
            authorization.isPartial = leastBalance > 0
        } else {
            authorization.isPartial = tenders.entries.allSatisfy(\.isPartial)
        }
        guard outcome?.movesMoney == true else { return }
        verdicts.current?.outcome = authorization.isPartial ? .partiallyApproved : .approved
    }
}

extension TransactionState {
    /// The tips inside the tenders. They are not part of the request.
    private var tenderTips: Int64 { tenders.entries.reduce(0) { $0 + $1.tip } }

    /// The part of the request paid by tenders and offers, whatever happened to it later.
    var tendered: Int64 { (authorization.approved ?? 0) - tenderTips + offered }

    /// The total discount of the offers.
    package var offered: Int64 { tenders.offers.reduce(0) { $0 + ($1.amount?.value ?? 0) } }

    /// The part of the request that is covered: A, or the sum of tenders and offers.
    var covered: Int64 { tenders.entries.isEmpty ? authorized : max(0, tendered) }
}

/// A tender that was refused.
package struct RefusedTender: Sendable, Hashable, Codable {
    /// The vendor's name of the attempt, if it has one.
    package var id: String?
    package var outcome: TenderRefusal.Outcome
    package var amount: Money?
    package var account: TenderAccount?
    package var response: Response
    package var at: ReportedTime?

    init(_ reported: TenderRefusal) {
        outcome = reported.outcome
        id = reported.id
        amount = reported.amount
        account = reported.account
        response = reported.response
        at = reported.at
    }
}

/// One tender, or dispensed cash, as the payment's sums count it. Minor units.
package struct TenderEntry: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Int64
    package var tip: Int64
    /// True for cash from a machine.
    package var isCash: Bool
    package var isPartial: Bool
    package var isCaptured: Bool
    package var account: TenderAccount?
    package var evidence: Evidence

    init(_ reported: Tender) {
        id = reported.id
        amount = reported.amounts.total.value
        tip = reported.amounts.countedTip
        isCash = false
        marks = reported.marks
        balance = reported.marks?.isListed == true ? nil : reported.balance?.value
        isPartial = reported.isPartial
        isCaptured = reported.isCaptured
        account = reported.account
        evidence = reported.evidence
    }

    init(_ reported: Dispense) {
        id = reported.id
        amount = reported.dispensed.value
        tip = 0
        isCash = true
        isPartial = reported.isPartial
        isCaptured = true
        account = reported.account
        evidence = reported.evidence
    }

    /// Further marks of the tender.
    package var marks: TenderMarks?
    /// The balance after this tender, if it was reported for this tender alone.
    package var balance: Int64?

    /// The id of this tender's capture.
    package var captureID: String { (isCash ? "cash:" : "tender:") + id }
}

extension TenderAccount {
    /// The account as a card, for a payment that shows one; nil if no field is known.
    var card: CardPresentation? {
        var card = CardPresentation()
        card.brand = brand
        card.lastFour = lastFour
        card.funding = kind
        card.tokenDigest = tokenDigest
        return card == CardPresentation() ? nil : card
    }
}

extension TenderRefusal.Outcome {
    var verdict: Outcome {
        switch self {
        case .declined: .declined
        case .failed: .failed
        }
    }
}
