import Canonical

/// The follow-ups that the app asked a device or gateway for, by kind, each until its outcome is reported.
package struct AskedFollowUps: Sendable, Hashable, Codable {
    private struct Entry: Sendable, Hashable, Codable {
        var followUp: FollowUp
        /// The number of requests without an outcome; at most one for follow-ups that only take effect once.
        var open = 0
        /// The time of the latest open request, by the clock of its sender, if it is known; for follow-ups that
        /// accumulate, of the earliest one.
        var askedAt: Timestamp?
        /// The time of the latest outcome, by the clock of its sender.
        var answeredAt: Timestamp?
        /// What the last open request states about the payment.
        var stated: StatedPayment?
        /// True once an outcome was unknown whose request is not among `open`.
        var isDoubtApart = false
        /// True once its outcome was unknown only because no answer was reported.
        var isSilent = false
    }

    /// The detail of a command with the follow-up that it asks for.
    package static let detail = "followUp"
    /// The detail of a void or refund with the amount that its request states, in minor units.
    package static let statedAmount = "amount"
    /// The detail of a void or refund with the currency of that amount, by its letters.
    package static let statedCurrency = "currency"
    /// The detail of a void that states whether the cardholder is present: `true` or `false`.
    package static let statedPresence = "cardholderPresent"

    /// At most one for each kind, in the order in which they were last asked for.
    private var entries: [Entry] = []
    /// True while the last report, findings left out, is one of an unknown outcome or of a call by Daybook.
    private var isAnsweredUnknown = false

    package init() {}

    /// Those without an outcome, the one that was asked for last at the end.
    package var open: [FollowUp] { entries.isEmpty ? [] : entries.filter { $0.open > 0 }.map(\.followUp) }

    /// True if every request for the follow-up has its outcome, and an outcome that was unknown was that of one of
    /// these requests.
    func areAllAnswered(_ followUp: FollowUp) -> Bool {
        entries.contains { $0.followUp == followUp && $0.open == 0 && !$0.isDoubtApart }
    }

    /// True if the follow-up was in doubt only because no answer was reported, and every request for it is now
    /// answered.
    func isSilenceOver(_ followUp: FollowUp) -> Bool {
        entries.contains { $0.followUp == followUp && $0.isSilent && $0.open == 0 && !$0.isDoubtApart }
    }

    /// What the open request for the follow-up states about the payment; nil if none is open or it states nothing.
    func stated(by followUp: FollowUp) -> StatedPayment? { entries.first { $0.followUp == followUp }?.stated }

    /// What a command states about the payment that it voids; nil for other commands and reports.
    static func stated(byVoid event: DeviceEvent) -> StatedPayment? {
        guard event.name == .commandSent, event.report.askedFollowUp == .void else { return nil }
        return event.report.statedPayment
    }

    /// - Parameter at: The time of the event, by the clock of its sender.
    mutating func take(_ event: TransactionEvent, at: Timestamp?) {
        switch event {
        case .outcomeUnknown:
            isAnsweredUnknown = true
            for index in entries.indices { entries[index].isSilent = false }
        case .gateway: isAnsweredUnknown = true
        case .anomalyRaised, .anomalyCleared: break
        default: isAnsweredUnknown = false
        }
        switch event {
        case .device(let event) where event.name == .commandSent: ask(event.report, at)
        // The capture of a sale answers nothing.
        case .captured where entries.isEmpty: break
        case .captured: answer(.capture, at: at)
        // A gateway voids a payment that is not settled although a refund was asked for, and the other way round.
        case .voided, .reversed, .captureReversed: answer(.void, or: [.reversal, .refund], at: at)
        case .refunded(let refund): answer(.refund, or: [.void], at: at, amount: refund.amount)
        case .refundVoided: answer(.refundVoid, at: at)
        case .tipAdjusted: answer(.tipAdjustment, at: at)
        case .authorizationIncremented: answer(.increment, at: at)
        case .followUpRefused(let refusal): refuse(refusal.followUp, at: at)
        case .anomalyRaised(let anomaly): leaveUnknown(anomaly.inDoubt)
        case .anomalyCleared(let anomaly): end(anomaly.inDoubt, at)
        case .outcomeResolved(let resolution): end(resolution.testimony?.followUp, at)
        default: break
        }
    }

    private mutating func ask(_ report: DeviceReport, _ at: Timestamp?) {
        guard let followUp = report.askedFollowUp else { return }
        var entry = remove(followUp)
        // A request that arrives after its outcome is no open one.
        if let at, let answeredAt = entry.answeredAt, at < answeredAt {
            entries.insert(entry, at: 0)
            return
        }
        // An answer may be that of either request.
        if !followUp.accumulates, entry.open > 0 { entry.isDoubtApart = true }
        // Without a time in the report, the event only has the time at which it was received.
        let times = [entry.open > 0 ? entry.askedAt : nil, report.at == nil ? nil : at].compactMap(\.self)
        entry.askedAt = followUp.accumulates ? times.min() : times.max()
        entry.open = followUp.accumulates ? entry.open + 1 : 1
        entry.stated = report.statedPayment
        entries.append(entry)
    }

    /// A refusal from before the open request answers an earlier one, whose command may arrive later.
    private mutating func refuse(_ followUp: FollowUp, at: Timestamp?) {
        let known = entries.firstIndex { $0.followUp == followUp && $0.open > 0 }
        guard let known, let at, let askedAt = entries[known].askedAt, at < askedAt else {
            return answer(followUp, at: at, isDone: false)
        }
        entries[known].answeredAt = max(entries[known].answeredAt ?? at, at)
    }

    /// - Parameters:
    ///   - amount: The amount of a refund. It is no answer to a single request that states another amount.
    ///   - isDone: Whether the follow-up took effect.
    private mutating func answer(
        _ likeliest: FollowUp,
        or others: [FollowUp] = [],
        at: Timestamp?,
        amount: Money? = nil,
        isDone: Bool = true
    ) {
        let open = open
        let followUp = ([likeliest] + others).first { open.contains($0) } ?? likeliest
        var entry = remove(followUp)
        if followUp == .refund, entry.open == 1, let stated = entry.stated?.amount, let amount, amount != stated {
            entries.append(entry)
            return
        }
        entry.open = followUp.accumulates ? max(0, entry.open - 1) : 0
        entry.answeredAt = [entry.answeredAt, at].compactMap(\.self).max()
        if entry.open == 0 { entry.stated = nil }
        if isDone, !followUp.accumulates { (entry.isDoubtApart, entry.isSilent) = (false, false) }
        entries.insert(entry, at: 0)
    }

    /// An outcome that is unknown leaves the request open, so that a later outcome is known to be that of the request.
    private mutating func leaveUnknown(_ doubt: FollowUpInDoubt?) {
        guard case .followUp(let followUp)? = doubt?.subject else { return }
        if let index = entries.firstIndex(where: { $0.followUp == followUp }) {
            if entries[index].open == 0 { entries[index].isDoubtApart = true }
            entries[index].isSilent = !isAnsweredUnknown
        } else if followUp.accumulates {
            entries.insert(Entry(followUp: followUp, isDoubtApart: true), at: 0)
        }
    }

    /// Ends the requests for the follow-up whose doubt has ended.
    private mutating func end(_ doubt: FollowUpInDoubt?, _ at: Timestamp?) {
        guard let doubt, !entries.isEmpty else { return }
        for index in entries.indices where doubt.isAbout(entries[index].followUp) {
            entries[index].open = 0
            entries[index].stated = nil
            entries[index].isDoubtApart = false
            entries[index].isSilent = false
            entries[index].answeredAt = [entries[index].answeredAt, at].compactMap(\.self).max()
        }
    }

    private mutating func remove(_ followUp: FollowUp) -> Entry {
        guard let index = entries.firstIndex(where: { $0.followUp == followUp }) else {
            return Entry(followUp: followUp)
        }
        return entries.remove(at: index)
    }
}

extension FollowUp {
    /// True if it has a further effect when it is repeated: two refunds give money back twice.
    fileprivate var accumulates: Bool { self == .refund || self == .increment }
}

extension FollowUpInDoubt {
    /// True if the doubt is about a follow-up of this kind, or may be.
    func isAbout(_ followUp: FollowUp) -> Bool { subject == .followUp(followUp) || subject == .anyFollowUp }
}

extension DeviceReport {
    /// The follow-up that a command asks for; nil if it asks for none.
    var askedFollowUp: FollowUp? { detail(AskedFollowUps.detail).flatMap { FollowUp(rawValue: $0) } }

    /// What a command for a void states about the payment; nil if it states nothing.
    fileprivate var statedPayment: StatedPayment? {
        let currency = detail(AskedFollowUps.statedCurrency).flatMap { Currency(alphaIgnoringCase: $0) }
        let amount = detail(AskedFollowUps.statedAmount).flatMap { Int64($0) }
        let stated = StatedPayment(
            amount: currency.flatMap { currency in amount.map { Money($0, currency) } },
            isCardholderPresent: detail(AskedFollowUps.statedPresence).flatMap { Bool($0) }
        )
        return stated.amount == nil && stated.isCardholderPresent == nil ? nil : stated
    }

    private func detail(_ name: String) -> String? { (details ?? []).first { $0.name == name }?.value }
}
