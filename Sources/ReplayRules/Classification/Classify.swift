package import Canonical
import Payments

/// Rules on whether a wanted operation may be resubmitted, by the rules of a book. Total: a case that no rule covers
/// needs review by an operator. The order in which evidence is listed has no effect.
///
/// An unknown outcome is never `resubmit`: until evidence ends the doubt it is `waitUntil` the time of the next query,
/// or `needsPerson`. An operation that may have moved money is never `resubmit` either. A reversal moves no money and
/// is repeated until it is acknowledged, or its schedule ends.
///
/// - Parameter time: The current time. Attempts, answers and doubts are from before it.
package func classify(_ evidence: PaymentEvidence, at time: Timestamp, book: RuleBook) -> Ruling {
    let judge = Classification(evidence: evidence, time: time, book: book)
    if evidence.balance.isTest { return Ruling(.never, .test, judge.everything) }
    let ruling = judge.ruling()
    // Whatever the rules decide from the answers: while a call is open, nothing that moves money is resubmitted.
    guard ruling.disposition == .resubmit, evidence.balance.mayHaveActed, evidence.wanted.operation != .reversal
    else { return ruling }
    return Ruling(.needsPerson, .callOpen, judge.everything)
}

extension Classification {
    fileprivate func ruling() -> Ruling {
        switch operation {
        case .payment: payment()
        case .followUp(.capture): capture()
        case .followUp(.tipAdjustment): tipAdjustment()
        case .followUp(.void): void()
        case .followUp(.refund): refund()
        case .followUp(.reversal): reversal()
        case .followUp(.increment), .followUp(.refundVoid): Ruling(.needsPerson, .unknown, everything)
        }
    }
}

/// The working state of one ruling.
struct Classification {
    let evidence: PaymentEvidence
    let time: Timestamp
    let book: RuleBook

    var balance: PaymentBalance { evidence.balance }
    var operation: ReplayOperation { evidence.wanted.operation }
    var vendor: String? { evidence.vendor?.rawValue }

    /// All positions: the evidence of a ruling that no single fact decides.
    var everything: [Int64] {
        evidence.answers.map(\.position) + evidence.attempts.filter(\.isThisPayment).map(\.position)
            + evidence.resolutions.map(\.position) + evidence.doubts.map(\.position)
    }

    /// The answers to the wanted operation.
    var answers: [AnswerEvidence] { evidence.answers.filter { $0.operation == operation } }

    /// The attempts at the wanted operation.
    var attempts: [AttemptEvidence] { evidence.attempts.filter { $0.isThisPayment && $0.operation == operation } }

    // MARK: Doubts

    /// The ruling while something is in doubt; nil if there is no doubt.
    func doubts(_ doubts: [Doubt]) -> Ruling? {
        guard !doubts.isEmpty else { return nil }
        let positions = doubts.map(\.position)
        let about = Findings(
            evidence.answers.filter { answer in doubts.contains { $0.position == answer.position } },
            scheme: evidence.scheme,
            book: book
        )
        if let finding = about.first({ $0 == .ambiguous || $0 == .bind }) {
            return Ruling(.needsPerson, rule: finding.rule, evidence: positions + [finding.position])
        }
        var next: (at: Timestamp, rule: String)?
        for doubt in doubts.sorted(by: { ($0.position, $0.sentAt) < ($1.position, $1.sentAt) }) {
            switch nextQuery(doubt, queries: doubt.queries, now: time, book: book) {
            case .ended(.handedToPerson, let rule):
                return Ruling(.needsPerson, rule: rule, evidence: positions + doubt.queries.map(\.position))
            case .ended:
                let end = (at: time, rule: FixedRule.doubtEnded.rawValue)
                if next.map({ end.at < $0.at }) ?? true { next = end }
            case .query(let at, let rule):
                if next.map({ (at, rule) < ($0.at, $0.rule) }) ?? true { next = (at, rule) }
            }
        }
        guard var due = next else { return Ruling(.needsPerson, .unknown, positions) }
        // A payment the host is still processing is not queried for a short time.
        if let busy = about.all.last(where: { $0.answerClass == "in-flight" }), let rest = book.limit("wait.in-flight"),
            let seconds = rest.number, busy.at.adding(seconds: seconds) > due.at
        {
            due = (busy.at.adding(seconds: seconds), rest.id)
        }
        return Ruling(.waitUntil(max(due.at, time)), rule: due.rule, evidence: positions)
    }

    /// The doubts about attempts that were sent and not answered.
    func unanswered() -> [Doubt] {
        let sent = attempts.filter(\.isSent)
        let last = sent.max { ($0.at, $0.position) < ($1.at, $1.position) }
        return sent.filter { $0.reference == nil ? $0 == last && !isAnswered($0) : !isNamed($0) }.map { attempt in
            Doubt(operation: operation, position: attempt.position, sentAt: attempt.at, vendor: evidence.vendor)
        }
    }

    /// True if an answer or a resolution came after an attempt without a reference.
    private func isAnswered(_ attempt: AttemptEvidence) -> Bool {
        answers.contains { $0.at >= attempt.at || $0.position >= attempt.position }
            || evidence.resolutions.contains { $0.at >= attempt.at || $0.position >= attempt.position }
    }

    /// True if an answer or a resolution names this attempt's reference.
    private func isNamed(_ attempt: AttemptEvidence) -> Bool {
        answers.contains { $0.reference == attempt.reference }
            || evidence.resolutions.contains { $0.reference == attempt.reference }
    }

    // MARK: Payments

    func payment() -> Ruling {
        if balance.isReversalDue, !balance.isVoided, !balance.isReversed {
            return Ruling(.needsPerson, .reversalDue, everything, instead: .reversal)
        }
        if balance.status == .settlementRejected { return Ruling(.needsPerson, .settlementRejected, everything) }
        if balance.isPosted { return Ruling(.alreadyPosted, .posted, everything) }
        if let ruling = doubts(evidence.doubts) { return ruling }
        switch balance.status {
        case .inDoubt:
            // Without a doubt to query, the schedule can do nothing.
            return Ruling(.needsPerson, .unknown, everything)
        case .voided: return Ruling(.never, .voided, everything)
        case .cancelled: return Ruling(.never, .cancelled, everything)
        case .reversed: return Ruling(.needsPerson, .reversed, everything)
        case .expired: return Ruling(.needsPerson, .expired, everything)
        default: break
        }
        // The current outcome denies the payment, although some of it was held, captured or reversed.
        if balance.isVoided { return Ruling(.never, .voided, everything) }
        if balance.isReversed { return Ruling(.needsPerson, .reversed, everything) }
        if balance.authorized != 0 || balance.captured != 0 || balance.refunded != 0 || balance.chargedBack != 0 {
            return Ruling(.needsPerson, .approvalReported, everything)
        }
        if let ruling = doubts(unanswered()) { return ruling }
        if !balance.contradictions.isEmpty { return Ruling(.needsPerson, .contradiction, everything) }
        return denied()
    }

    // MARK: Declined, failed and not posted

    /// The ruling on an operation that was declined, failed, not posted or not sent.
    func denied() -> Ruling {
        let reported = answers.filter { $0.outcome.movesMoney || $0.outcome == .verified }.map(\.position)
        if !reported.isEmpty { return Ruling(.needsPerson, .approvalReported, reported) }
        let found = evidence.resolutions.filter { $0.outcome.isNoDenial }.map(\.position)
        if operation.isPayment, !found.isEmpty { return Ruling(.needsPerson, .approvalReported, found) }
        if answers.isEmpty, evidence.resolutions.isEmpty || !operation.isPayment {
            guard !attempts.isEmpty, attempts.allSatisfy({ !$0.isSent }) else {
                return Ruling(.needsPerson, operation.isPayment ? .unknown : .notRequested, everything)
            }
            return gated(
                rule: FixedRule.notSent.rawValue,
                evidence: attempts.map(\.position),
                notBefore: nil,
                isFresh: true
            )
        }
        let findings = Findings(answers, scheme: evidence.scheme, book: book)
        if let finding = findings.first({ $0 == .never }) {
            return Ruling(.never, rule: finding.rule, evidence: [finding.position])
        }
        if answers.contains(where: { $0.outcome == .cancelled }) {
            return Ruling(.never, .cancelled, answers.filter { $0.outcome == .cancelled }.map(\.position))
        }
        if let finding = findings.first({ $0 == .posted || $0 == .postedInPart }) {
            return Ruling(.needsPerson, .contradiction, [finding.position])
        }
        if operation == .void, let finding = findings.first({ $0 == .reversed }) {
            return Ruling(.alreadyPosted, rule: finding.rule, evidence: [finding.position])
        }
        if let finding = findings.first({
            $0 == .reversed || $0 == .nothingToReverse || $0 == .bind || $0 == .ambiguous
        }) {
            return Ruling(.needsPerson, rule: finding.rule, evidence: [finding.position])
        }
        return unproven(findings) ?? latest(findings)
    }

    /// The ruling on answers whose codes leave the outcome unknown, until a query proves it; nil if there are none.
    private func unproven(_ findings: Findings) -> Ruling? {
        let doubtful = findings.all.filter { finding in
            let isDoubtful = finding.treatment.mayHaveMovedMoney
            return isDoubtful && !isProven(finding.position)
        }
        let answersUnknown = answers.filter { answer in
            answer.outcome == .unknown && !isProven(answer.position)
        }
        let positions = Set(doubtful.map(\.position) + answersUnknown.map(\.position))
        guard !positions.isEmpty else { return nil }
        let open = answers.filter { positions.contains($0.position) }.map { answer in
            let sent = attempts.filter { $0.isSent && $0.at <= answer.at }.map(\.at).max() ?? answer.at
            return Doubt(operation: operation, position: answer.position, sentAt: sent, vendor: evidence.vendor)
        }
        return doubts(open) ?? Ruling(.needsPerson, .unknown, positions)
    }

    /// True if a later resolution proves what the answer at the position left unknown. One from below the gateway's rank
    /// proves nothing about the gateway's own answer.
    private func isProven(_ position: Int64) -> Bool {
        let isOwn = answers.contains { $0.position == position && $0.by.isConfirmation }
        return evidence.resolutions.contains {
            $0.position > position && isProof($0) && ($0.by.isConfirmation || !isOwn)
        }
    }

    /// True for a resolution that proves the outcome of a payment. A "not posted" from a query counts only if it came
    /// late enough.
    private func isProof(_ resolution: ResolutionEvidence) -> Bool {
        guard operation.isPayment else { return false }
        switch resolution.outcome {
        case .declined: return true
        case .approved, .partiallyApproved, .reversed: return false
        case .notPosted:
            guard resolution.means == .statusQuery || resolution.means == .find else { return true }
            guard let seconds = book.limit("wait.unposted", vendor)?.number else { return false }
            let sent = attempts.filter { $0.isSent && $0.position < resolution.position }.map(\.at).max()
            return sent.map { resolution.at >= $0.adding(seconds: seconds) } ?? false
        }
    }

    /// The ruling from the answers to the last attempt.
    private func latest(_ findings: Findings) -> Ruling {
        let proof = evidence.resolutions.filter(isProof).max { $0.position < $1.position }
        let sent = attempts.filter(\.isSent).max { ($0.at, $0.position) < ($1.at, $1.position) }
        let current = answers.filter { answer in
            sent.map { answer.at >= $0.at || answer.position >= $0.position } ?? true
        }
        let positions = Set(current.map(\.position))
        let said = findings.all.filter { positions.contains($0.position) && $0.treatment != .informative }
        if let finding = said.first(where: { $0.treatment.care == 4 }) {
            return Ruling(.needsPerson, rule: finding.rule, evidence: [finding.position])
        }
        if operation.isPayment, balance.status == .notPosted {
            guard let proof, proof.outcome == .notPosted else { return tooEarly() }
            // Nothing has reached the host, so the host cannot suspect a duplicate.
            return gated(
                rule: FixedRule.notPosted.rawValue,
                evidence: [proof.position],
                notBefore: nil,
                isFresh: true,
                enquired: said
            )
        }
        let unknown = findings.unknown.intersection(positions)
        guard unknown.isEmpty else { return Ruling(.needsPerson, .unknown, unknown) }
        let reasons = said.filter { !($0.treatment.mayHaveMovedMoney && !$0.treatment.isEnquiry) }
        guard let first = reasons.max(by: { (earliest($0), $1.rule) < (earliest($1), $0.rule) }) else {
            let rule: FixedRule = proof?.outcome == .declined ? .foundDeclined : .unknown
            return Ruling(.needsPerson, rule, everything)
        }
        return gated(
            rule: first.rule,
            evidence: reasons.map(\.position),
            notBefore: earliest(first),
            isFresh: false,
            enquired: reasons
        )
    }

    /// The ruling after a query that came too early to prove "not posted".
    private func tooEarly() -> Ruling {
        let resolutions = evidence.resolutions.filter { $0.outcome == .notPosted }.map(\.position)
        guard let wait = book.limit("wait.unposted", vendor), let seconds = wait.number,
            let sent = attempts.filter(\.isSent).map(\.at).max(), book.limit("lookup", vendor)?.number == 1
        else { return Ruling(.needsPerson, .unknown, everything) }
        return Ruling(.waitUntil(max(time, sent.adding(seconds: seconds))), rule: wait.id, evidence: resolutions)
    }

    /// The earliest time for a resubmission according to one answer.
    private func earliest(_ finding: Finding) -> Timestamp {
        switch finding.treatment {
        case .wait(let seconds): finding.at.adding(seconds: seconds)
        case .retryLater: finding.at.adding(seconds: book.limit("wait.retry-later")?.number ?? Treatment.longestWait)
        default: finding.at.adding(seconds: book.limit("wait.retry")?.number ?? Treatment.longestWait)
        }
    }
}

extension Resolution.Outcome {
    /// True if money moved, even if it was given back later.
    fileprivate var isNoDenial: Bool { self == .approved || self == .partiallyApproved || self == .reversed }
}

extension Treatment {
    /// True if a resubmission is allowed after a query.
    var isEnquiry: Bool { self == .retryAfterEnquiry || self == .retryOnce }
}
