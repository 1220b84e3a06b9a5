import Canonical

/// The recorded result of a failed payment, kept while the payment is attempted again.
package struct EarlierAttempt: Sendable, Hashable, Codable {
    /// The reference of the call that attempts it again.
    package var reference: String
    package var outcome: Outcome
    package var evidence: Evidence
    package var reader: Facet?
    package var gateway: Facet?
    /// The earlier attempt's references at the gateway, which differ from those of the new attempt.
    package var references: References
}

// The fold of a Daybook call that attempts a payment again.
extension TransactionState {
    /// The result of a failed attempt says nothing about another attempt: once the new call may have been sent, the
    /// outcome is unknown. A call that was never sent changes nothing.
    mutating func attempt(_ event: GatewayEvent) {
        let report = event.report
        let isCredit = report.operation == .refund && operation == .credit
        guard report.operation == .sale || report.operation == .authorization || isCredit else { return }
        switch event.name {
        case .callSent:
            guard let current = verdicts.current, current.outcome.isDecisive, !current.outcome.movesMoney,
                current.outcome != .verified, current.outcome != .reversed,
                !hasApproval, captures.isEmpty, refunds.isEmpty
            else { return }
            verdicts.earlierAttempt = EarlierAttempt(
                reference: report.reference,
                outcome: current.outcome,
                evidence: current.evidence,
                reader: verdicts.reader,
                gateway: verdicts.gateway,
                references: references
            )
            references.gatewayTransaction = nil
            references.authorizationCode = nil
            references.retrievalReference = nil
            references.hostTransaction = nil
            verdicts.current?.outcome = .unknown
            // The lowest rank, so that any answer displaces it.
            verdicts.current?.evidence = .reader
            verdicts.reader = nil
            verdicts.gateway = nil
        case .callFailed:
            guard let earlier = verdicts.earlierAttempt, earlier.reference.hasSameUTF8(as: report.reference) else {
                return
            }
            verdicts.current?.outcome = earlier.outcome
            verdicts.current?.evidence = earlier.evidence
            verdicts.reader = earlier.reader
            verdicts.gateway = earlier.gateway
            references = earlier.references.filled(from: references)
            verdicts.earlierAttempt = nil
        case .callAnswered, .callTimedOut:
            if verdicts.earlierAttempt?.reference.hasSameUTF8(as: report.reference) == true {
                verdicts.earlierAttempt = nil
            }
        }
    }

    /// True if a statement line, or a result kept by a reader, shows that the payment was made, whichever system
    /// requested it. Evidence that names an earlier attempt proves nothing about the current one.
    func provesAttempt(_ resolution: Resolution) -> Bool {
        guard resolution.testimony == nil, resolution.outcome.verdict.movesMoney,
            resolution.evidence == .settlement || resolution.means == .recoveredResult,
            resolution.operation != .credit || operation == .credit
        else { return false }
        guard let named = resolution.references.gatewayTransaction,
            let before = verdicts.earlierAttempt?.references.gatewayTransaction
        else { return true }
        return !named.hasSameUTF8(as: before)
    }
}

// The fold of reports that the app attempted a payment again.
extension TransactionState {
    /// True if the last attempt ended without money.
    private var hasEndedWithoutMoney: Bool {
        guard let outcome, [.declined, .cancelled, .failed].contains(outcome) else { return false }
        return !hasApproval && captures.isEmpty && refunds.isEmpty && !isVoidedOrReversed
    }

    /// True while a doubt about an attempt is recorded.
    private var isAttemptInDoubt: Bool { anomalies.contains { $0.inDoubt?.subject == .paymentAttempt } }

    /// True while an attempt after an outcome without money was sent to the host and not answered. It is false once the
    /// attempt is in doubt.
    package var awaitsAttempt: Bool { steps.isSentAgain && hasEndedWithoutMoney && !isAttemptInDoubt }

    /// True if an attempt has no answer and no finding is recorded about it yet.
    package var lacksAttemptAnswer: Bool { awaitsAttempt || leavesAttemptUnanswered && !isAttemptInDoubt }

    /// True if the payment ended without money by the answer to one of two attempts, and the outcome of the earlier one
    /// was unknown.
    var leavesAttemptUnanswered: Bool { hasEndedWithoutMoney && steps.attempts.isOneUnanswered }

    /// True for a report that begins or ends another attempt, or asks for a follow-up, or refuses one that was asked
    /// for and not answered, at an unknown time. It is recorded even if it equals an earlier one: a document that is
    /// only sent again is recognised before.
    func isOfAnotherAttempt(_ fact: TransactionEvent) -> Bool {
        switch fact {
        case .device(let event):
            event.name == .authorizationSent && !steps.isSentAgain && (isSentAgain(event) || isSentInDoubt(event))
                || event.name == .commandSent && event.report.at == nil && event.report.askedFollowUp != nil
        case .declined(let verdict), .cancelled(let verdict), .failed(let verdict):
            steps.isSentAgain && verdict.at == nil
        case .tenderRefused(let refusal): steps.isSentAgain && refusal.at == nil
        case .followUpRefused(let refusal): refusal.at == nil && steps.followUps.open.contains(refusal.followUp)
        default: false
        }
    }

    /// Notes that the request was sent, for the first time or again.
    mutating func noteSent(_ event: DeviceEvent) {
        if outcome == nil {
            if !times.isSent { steps.sentAs = event.report.response.code }
            times.isSent = true
        } else if isSentAgain(event) {
            // Beside another attempt in doubt, an answer would not show which of them it ends.
            steps.isSentAgain = !isAttemptInDoubt
        }
        if let at = event.report.at { steps.lastSent.take(at, times.event) }
        steps.attempts.take(
            AttemptReports.Report(
                kind: .sent,
                at: event.report.at,
                event: times.event,
                code: event.report.response.code
            )
        )
    }

    /// Notes a report that the outcome is unknown, or a denial by the host or the terminal. An unanswered query is no
    /// attempt.
    mutating func noteAttempt(_ verdict: Outcome, _ reported: Verdict) {
        let isUnknown = verdict == .unknown && reported.means == nil
        let isDenial = !verdict.movesMoney && Self.isAnswer(verdict, by: reported.evidence)
        guard isUnknown || isDenial else { return }
        steps.attempts.take(
            AttemptReports.Report(
                kind: isUnknown ? .unknown : .denial,
                at: reported.at,
                event: times.event,
                gatewayTransaction: reported.references.gatewayTransaction
            )
        )
    }

    /// Notes evidence about the payment as a whole, or the end of a doubt about an attempt.
    mutating func noteConclusion(at: Timestamp? = nil) {
        let time = at.map { ReportedTime.instant($0) }
        steps.attempts.take(AttemptReports.Report(kind: .conclusion, at: time, event: times.event))
    }

    /// Notes an answer: it ends the wait for a further attempt.
    ///
    /// A later attempt is not answered by another report of the earlier outcome, by one that leaves the outcome open,
    /// or by a reader that stopped: the request may have reached the host.
    mutating func noteAnswer(_ verdict: Outcome, by evidence: Evidence, at: ReportedTime?) {
        guard Self.isAnswer(verdict, by: evidence), at.map({ !verdicts.decidedAt.reach($0) }) ?? true else { return }
        // Without a time, it is the answer to everything that was sent until now.
        if steps.isSentAgain, at == nil { steps.lastSent = LastSent() }
        steps.isSentAgain = false
    }

    /// True for a verdict that can be the answer to an attempt.
    private static func isAnswer(_ verdict: Outcome, by evidence: Evidence) -> Bool {
        verdict.isDecisive && (evidence != .reader || verdict == .declined)
    }

    /// Notes the times of a verdict that settles the payment. Another report of what was decided before has a later
    /// event, and decides nothing later.
    mutating func noteDecision(at: ReportedTime?) {
        let isLater = at.map { !verdicts.decidedAt.reach($0) } ?? true
        if isLater, let event = times.event {
            verdicts.decidedAtEvent = max(verdicts.decidedAtEvent ?? event, event)
        }
        if let at { verdicts.decidedAt.takeLater(at) }
    }

    /// Notes when the host's side denied the payment, before its verdict is noted. Another report of the known denial
    /// does not count.
    mutating func noteDenial(_ verdict: Outcome, by evidence: Evidence, at: ReportedTime?) {
        guard evidence == .gateway || evidence == .relayed, verdict == .declined || verdict == .failed,
            let event = times.event
        else { return }
        if let at, let known = verdicts.gateway, known.outcome == verdict, known.at?.isAtOrAfter(at) == true { return }
        verdicts.deniedAtEvent = max(verdicts.deniedAtEvent ?? event, event)
    }

    /// Notes that the doubt about an attempt has ended: what was sent until now is no longer awaited, also if
    /// the earlier outcome is reported again.
    mutating func endAttempt() {
        steps.isSentAgain = false
        steps.lastSent = LastSent()
        noteConclusion()
    }

    /// Notes, after an outcome, that the request is known to have been sent later: the report of a further attempt may
    /// be recorded before the outcome of the earlier one, because documents cross.
    mutating func noteSentBefore() {
        let isLater = steps.lastSent.isLater(than: verdicts.decidedAt, verdicts.decidedAtEvent)
        if isLater, hasEndedWithoutMoney, !isAttemptInDoubt { steps.isSentAgain = true }
    }

    /// True if the report is known to follow the outcome: by its time and the senders' clocks; or, without a time,
    /// because it repeats a report from before the outcome.
    private func isSentAgain(_ event: DeviceEvent) -> Bool {
        guard hasEndedWithoutMoney else { return false }
        guard let at = event.report.at else { return times.isSent && event.report.response.code == steps.sentAs }
        return follows(at, times.event)
    }

    /// True if the report repeats one from before the outcome became unknown, and has no time.
    private func isSentInDoubt(_ event: DeviceEvent) -> Bool {
        outcome == .unknown && event.report.at == nil && times.isSent && event.report.response.code == steps.sentAs
    }

    /// True if a report of this time is known to follow the outcome.
    ///
    /// - Parameter event: The time of its event, by the clock of its sender.
    private func follows(_ at: ReportedTime, _ event: Timestamp?) -> Bool {
        if verdicts.decidedAt.reach(at) { return false }
        guard let event, let decided = verdicts.decidedAtEvent else {
            return verdicts.decidedAt.latest?.isBefore(at) == true
        }
        return decided < event
    }

    /// True if a report of this time is known not to follow the outcome.
    ///
    /// - Parameter event: The time of its event, by the clock of its sender.
    func precedesOutcome(_ at: ReportedTime, _ event: Timestamp?) -> Bool {
        if verdicts.decidedAt.reach(at) { return true }
        if verdicts.decidedAt.latest?.isBefore(at) == true { return false }
        guard let event, let decided = verdicts.decidedAtEvent else { return false }
        return event < decided
    }
}
