package import Canonical

/// What is known of the dispute of a chargeback.
package struct DisputeCase: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case won, lost
    }

    /// The scheme's reason code.
    package var reasonCode: String?
    /// The last day on which the merchant can answer: `2026-03-31`.
    package var respondBy: String?
    /// When evidence was first sent to the processor.
    package var representedAt: Timestamp?
    /// How often evidence was sent.
    package var representations: Int64 = 0
    /// The outcome that was reported last.
    package var outcome: Outcome?
    /// When that outcome was recorded.
    package var closedAt: Timestamp?

    package init() {}
}

/// The progress of the dispute of a chargeback.
package enum DisputeStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing was sent to the processor.
    case open
    /// Evidence was sent, and the outcome is not known.
    case represented
    case won, lost
    /// The processor returned the money, or the line that reported the chargeback no longer counts.
    case reversed

    package var isOpen: Bool { self == .open || self == .represented }
}

extension ReturnEntry {
    /// The progress of the dispute of this chargeback.
    package var disputeStatus: DisputeStatus {
        if isUndone { return dispute?.outcome == .won ? .won : .reversed }
        switch dispute?.outcome {
        case .won?: return .won
        case .lost?: return .lost
        case nil: return dispute?.representedAt == nil ? .open : .represented
        }
    }

    /// True if the money of this chargeback is lost. A chargeback that was reversed is not.
    package var isLost: Bool { !isUndone && dispute?.outcome == .lost }

    fileprivate mutating func take(_ event: DisputeEvent) {
        var known = dispute ?? DisputeCase()
        let report = event.report
        switch event.name {
        case .described:
            known.reasonCode = report.reasonCode ?? known.reasonCode
            known.respondBy = report.respondBy ?? known.respondBy
        case .represented:
            known.representedAt = known.representedAt ?? report.at
            known.representations += 1
        case .won: known.close(.won, at: report.at)
        case .lost: known.close(.lost, at: report.at)
        }
        dispute = known
    }
}

extension DisputeCase {
    fileprivate mutating func close(_ outcome: Outcome, at: Timestamp) {
        guard self.outcome != outcome else { return }
        self.outcome = outcome
        closedAt = at
    }
}

extension TransactionState {
    /// The chargeback that a reversal of this amount returns, if the reversal does not name it: one whose dispute was won,
    /// else one that is not lost, else the last.
    package func chargeback(returnedBy amount: Int64) -> ReturnEntry? {
        let open = chargebacks.filter { !$0.isUndone && $0.amount == amount }
        return open.last { $0.dispute?.outcome == .won } ?? open.last { $0.dispute?.outcome != .lost } ?? open.last
    }

    /// A fact about a chargeback that is not recorded changes nothing, and is flagged.
    mutating func take(_ event: DisputeEvent) {
        guard let index = chargebacks.firstIndex(where: { $0.id.hasSameUTF8(as: event.report.chargeback) }) else {
            return
        }
        chargebacks[index].take(event)
    }
}

extension Judgement {
    mutating func judge(_ event: DisputeEvent) {
        let id = event.report.chargeback
        guard let known = state.chargebacks.first(where: { $0.id.hasSameUTF8(as: id) }) else {
            return flag(.disputeMismatch, "no chargeback \(id) is recorded")
        }
        isNews = next.chargebacks != state.chargebacks
        guard isNews else { return }
        let outcome = known.dispute?.outcome
        switch event.name {
        case .described: break
        case .represented:
            if let outcome {
                flag(.disputeMismatch, "evidence was sent although the dispute is \(outcome.rawValue)")
            } else if known.isUndone {
                flag(.disputeMismatch, "evidence was sent although the chargeback is reversed")
            }
            if let day = known.dispute?.respondBy.flatMap({ CivilDate($0) }), day.isOver(at: event.report.at) {
                flag(.disputeMismatch, "evidence was sent after \(day)")
            }
        case .won:
            if outcome == .lost { flag(.disputeMismatch, "the dispute was first reported as lost, now as won") }
        case .lost:
            if outcome == .won { flag(.disputeMismatch, "the dispute was first reported as won, now as lost") }
            if known.isUndone { flag(.disputeMismatch, "lost although the chargeback is reversed") }
        }
    }

    /// Flags the reversal of a chargeback whose dispute is lost.
    mutating func judge(chargebackReversal: Return) {
        let id = chargebackReversal.id
        let isLost = state.chargebacks.contains { $0.id.hasSameUTF8(as: id) && $0.isLost }
        let isUndone = next.chargebacks.contains { $0.id.hasSameUTF8(as: id) && $0.isUndone }
        if isLost && isUndone { flag(.disputeMismatch, "the chargeback is reversed although the dispute is lost") }
    }
}

extension CivilDate {
    /// True if the day is over in every time zone: the last one is twelve hours behind UTC.
    fileprivate func isOver(at time: Timestamp) -> Bool {
        let day: Int64 = 86_400_000_000
        return time.microsecondsSince1970 >= (daysSince1970 + 1) * day + day / 2
    }
}
