import Canonical
import Payments

// The rulings on captures, tips, voids, refunds and reversals: whether they may be resubmitted, and whether they are
// already in effect.
extension Classification {
    /// The checks shared by all follow-ups except reversals; nil if none of them decides.
    private func followUp() -> Ruling? {
        if let ruling = doubts(evidence.doubts) { return ruling }
        if balance.status == .inDoubt || balance.status == .requested {
            if let doubt = paymentUnanswered() { return doubts([doubt]) }
            return Ruling(.needsPerson, .notKnown, everything)
        }
        if let ruling = doubts(unanswered()) { return ruling }
        if balance.isReversalDue, operation != .void {
            return Ruling(.needsPerson, .reversalDue, everything, instead: .reversal)
        }
        if !balance.contradictions.isEmpty { return Ruling(.needsPerson, .contradiction, everything) }
        let money = [evidence.wanted.amount, evidence.wanted.tip].compactMap(\.self)
        if money.contains(where: { $0.currency != balance.currency || $0.isNegative }) {
            return Ruling(.needsPerson, .notKnown, everything)
        }
        return nil
    }

    private func paymentUnanswered() -> Doubt? {
        evidence.attempts.filter { $0.isThisPayment && $0.operation.isPayment && $0.isSent }
            .max { ($0.at, $0.position) < ($1.at, $1.position) }
            .map { Doubt(operation: $0.operation, position: $0.position, sentAt: $0.at, vendor: evidence.vendor) }
    }

    /// True if the payment was never posted or was reversed, so that no follow-up is possible.
    private var isOver: Bool {
        switch balance.status {
        case .declined, .cancelled, .failed, .notPosted, .voided, .reversed: true
        default: balance.isVoided || balance.isReversed
        }
    }

    private var sentAt: [Int64] { attempts.map(\.position) + answers.map(\.position) }

    /// True once more time than the limit allows has passed since `start`, or if the time or the limit is unknown.
    private func isPast(_ start: Timestamp?, _ limit: Rule?) -> Bool {
        guard let start, let seconds = limit?.number else { return true }
        return time >= start.adding(seconds: seconds)
    }

    // MARK: Capture

    func capture() -> Ruling {
        if balance.isExpired || balance.status == .expired { return Ruling(.never, .captureOfExpired, everything) }
        if balance.operation == .verification || balance.operation == .credit {
            return Ruling(.never, .nothingToFollow, everything)
        }
        if let ruling = doubts(evidence.doubts) { return ruling }
        if isOver { return Ruling(.never, .nothingToFollow, everything) }
        if let ruling = followUp() { return ruling }
        if let ruling = captured() { return ruling }
        let windows = [
            book.limit("window.authorization", evidence.scheme?.rawValue, evidence.use?.rawValue),
            evidence.vendor.flatMap { vendor in
                book.limit("window.authorization", vendor.rawValue).flatMap {
                    $0.id == "window.authorization" ? nil : $0
                }
            },
        ].compactMap(\.self)
        guard !windows.isEmpty, let approvedAt = balance.approvedAt else {
            return Ruling(.needsPerson, .unknown, everything)
        }
        if let past = windows.first(where: { isPast(approvedAt, $0) }) {
            return Ruling(.never, rule: past.id, evidence: everything)
        }
        return denied()
    }

    /// The ruling against a capture because of earlier captures; nil if there is none.
    private func captured() -> Ruling? {
        if balance.captured > 0 || balance.hasSettledCapture {
            guard let once = book.limit("capture.once", vendor) else {
                return Ruling(.needsPerson, .unknown, everything)
            }
            if once.number == 1 { return Ruling(.alreadyPosted, rule: once.id, evidence: everything) }
            if evidence.wanted.amount == nil || balance.captured >= balance.authorized {
                return Ruling(.alreadyPosted, .inEffect, everything)
            }
        }
        guard balance.authorized > 0 else { return Ruling(.never, .nothingToFollow, everything) }
        guard let amount = evidence.wanted.amount else { return nil }
        guard let tolerance = book.limit("capture.tolerance")?.number, let currency = balance.currency else {
            return Ruling(.needsPerson, .unknown, everything)
        }
        // After a partial approval there is no tolerance.
        let share = 10_000 + (balance.isPartial ? 0 : tolerance)
        let limit = try? Money(balance.authorized, currency).scaled(byBasisPoints: share, rounding: .down)
        let open = (limit?.value ?? 0).subtractingSaturated(balance.captured)
        // A tip may come on top of the held amount; the vendor decides how much.
        let tip = evidence.wanted.tip?.value ?? 0
        let base = amount.value.subtractingSaturated(tip)
        return base > open ? Ruling(.never, .captureExceeds, everything) : nil
    }

    // MARK: Tip

    func tipAdjustment() -> Ruling {
        if balance.hasSettledCapture { return Ruling(.never, .tipAfterSettlement, everything) }
        if let ruling = doubts(evidence.doubts) { return ruling }
        if isOver || balance.status == .expired { return Ruling(.never, .nothingToFollow, everything) }
        if let ruling = followUp() { return ruling }
        guard balance.hasOpenCapture else { return Ruling(.needsPerson, .nothingToFollow, everything) }
        guard let tip = evidence.wanted.tip else { return Ruling(.needsPerson, .notKnown, everything) }
        if balance.tip == tip.value { return Ruling(.alreadyPosted, .inEffect, everything) }
        if balance.refunded > 0 || balance.chargedBack > 0 {
            return Ruling(.needsPerson, .contradiction, everything)
        }
        let window = book.limit("window.tip", vendor)
        guard !isPast(balance.capturedAt, window) else {
            return Ruling(.needsPerson, rule: window?.id ?? FixedRule.unknown.rawValue, evidence: everything)
        }
        return denied()
    }

    // MARK: Void

    func void() -> Ruling {
        if balance.hasSettledCapture { return Ruling(.never, .voidAfterSettlement, everything, instead: .refund) }
        if balance.isVoided || balance.isReversed { return Ruling(.alreadyPosted, .inEffect, everything) }
        if let ruling = doubts(evidence.doubts) { return ruling }
        if isOver || balance.status == .expired { return Ruling(.never, .nothingToFollow, everything) }
        if let ruling = followUp() { return ruling }
        if balance.refunded > 0 || balance.chargedBack > 0 { return Ruling(.never, .nothingToFollow, everything) }
        if balance.voids > 0 {
            guard let once = book.limit("void.once", vendor) else { return Ruling(.needsPerson, .unknown, everything) }
            if once.number == 1 { return Ruling(.never, rule: once.id, evidence: everything) }
        }
        let open = balance.captured > 0 ? balance.captured : balance.authorized
        if let amount = evidence.wanted.amount, balance.status != .credited, amount.value > open {
            return Ruling(.never, .nothingToFollow, everything)
        }
        let window = book.limit("window.void", vendor)
        guard !isPast(balance.capturedAt ?? balance.approvedAt, window) else {
            return Ruling(.needsPerson, rule: window?.id ?? FixedRule.unknown.rawValue, evidence: everything)
        }
        return denied()
    }

    // MARK: Refund

    func refund() -> Ruling {
        if let ruling = doubts(evidence.doubts) { return ruling }
        if isOver || balance.status == .expired { return Ruling(.never, .nothingToFollow, everything) }
        if let ruling = followUp() { return ruling }
        guard balance.captured > 0 else {
            return Ruling(.never, .nothingToFollow, everything, instead: balance.authorized > 0 ? .void : nil)
        }
        if balance.chargedBack > 0 { return Ruling(.needsPerson, .refundDisputed, everything) }
        if balance.refundable <= 0 { return Ruling(.alreadyPosted, .inEffect, everything) }
        if let amount = evidence.wanted.amount, amount.value > balance.refundable {
            return Ruling(.never, .refundExceeds, everything)
        }
        guard balance.hasSettledCapture, !balance.hasOpenCapture else {
            return Ruling(.needsPerson, .refundUnsettled, everything, instead: .void)
        }
        let window = book.limit("window.refund", vendor)
        guard !isPast(balance.capturedAt ?? balance.approvedAt, window) else {
            return Ruling(.needsPerson, rule: window?.id ?? FixedRule.unknown.rawValue, evidence: everything)
        }
        return denied()
    }

    // MARK: Reversal

    /// A reversal reverses a possible approval, so it is also correct if the outcome is unknown. A repeated reversal
    /// has no further effect.
    func reversal() -> Ruling {
        if balance.isReversed || balance.isVoided { return Ruling(.alreadyPosted, .inEffect, everything) }
        if balance.hasSettledCapture {
            return Ruling(.never, .reversalAfterSettlement, everything, instead: .refund)
        }
        switch balance.status {
        case .declined, .cancelled, .failed, .notPosted, .expired:
            guard balance.isReversalDue else { return Ruling(.alreadyPosted, .nothingToFollow, everything) }
        default: break
        }
        let findings = Findings(answers, scheme: evidence.scheme, book: book)
        if let finding = findings.first({ $0 == .reversed || $0 == .nothingToReverse || $0 == .posted }) {
            return Ruling(.alreadyPosted, rule: finding.rule, evidence: [finding.position])
        }
        let reported = answers.filter { $0.outcome.movesMoney || $0.outcome == .reversed }.map(\.position)
        if !reported.isEmpty { return Ruling(.alreadyPosted, .inEffect, reported) }
        // A reversal must have been requested or be due, so that no rule reverses a good payment.
        guard balance.isReversalDue || !attempts.isEmpty else { return Ruling(.needsPerson, .notRequested, everything) }
        let isRefused = answers.contains { [.declined, .failed, .cancelled].contains($0.outcome) }
        if isRefused {
            let finding = findings.first { !$0.mayHaveMovedMoney }
            return Ruling(.needsPerson, rule: finding?.rule ?? FixedRule.unknown.rawValue, evidence: sentAt)
        }
        return repeated()
    }

    private func repeated() -> Ruling {
        let deadline = book.limit("deadline.reversal", evidence.use?.rawValue)
        let begun = balance.approvedAt ?? evidence.attempts.map(\.at).min()
        var end: Timestamp?
        if let deadline, let begun, let seconds = deadline.number { end = begun.adding(seconds: seconds) }
        guard let schedule = ReversalSchedule(book, deadline: end) else {
            return Ruling(.needsPerson, .unknown, everything)
        }
        let isOverdue = isPast(begun, deadline)
        let sent = attempts.filter(\.isSent).map(\.at)
        let rule = isOverdue ? deadline?.id ?? FixedRule.unknown.rawValue : FixedRule.reversalRepeated.rawValue
        guard !sent.isEmpty else {
            return Ruling(.resubmit, rule: rule, evidence: everything, isShown: isOverdue)
        }
        guard let next = schedule.next(after: sent) else {
            return Ruling(.needsPerson, rule: schedule.late.id, evidence: sentAt)
        }
        guard next.at > time else { return Ruling(.resubmit, rule: rule, evidence: sentAt, isShown: isOverdue) }
        return Ruling(.waitUntil(next.at), rule: next.rule.id, evidence: sentAt, isShown: isOverdue)
    }
}
