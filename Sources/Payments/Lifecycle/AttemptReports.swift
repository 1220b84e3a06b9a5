import Canonical

/// The reports that tell the attempts at one payment apart: that its request was sent, that an outcome is unknown, and
/// what answers that.
///
/// A denial after an attempt with an unknown outcome and a further attempt answers one of the two. The other one may
/// have been approved.
struct AttemptReports: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, Hashable, Codable {
        case sent, unknown, denial
        /// Evidence about the payment as a whole, or the end of a doubt about an attempt.
        case conclusion
    }

    struct Report: Sendable, Hashable, Codable {
        var kind: Kind
        /// By the report itself.
        var at: ReportedTime?
        /// By the clock of the sender.
        var event: Timestamp?
        /// The vendor's code for the report that the request was sent.
        var code: String?
        /// The attempt's id at the gateway.
        var gatewayTransaction: String?

        /// True if it is known to be later.
        func isLater(than other: Report) -> Bool {
            LastSent(at: ReportedTimes(at), event: event).isLater(than: ReportedTimes(other.at), other.event)
        }

        /// Whether both have the same id at the gateway; nil if one of them has none.
        func isSameTransaction(as other: Report) -> Bool? {
            guard let gatewayTransaction, let named = other.gatewayTransaction else { return nil }
            return gatewayTransaction.hasSameUTF8(as: named)
        }
    }

    /// The most reports of a kind that are kept: the first ones, and the latest. It is far above the number that the
    /// attempts at one payment need.
    private static let most = 16

    private var reports: [Report] = []

    mutating func take(_ report: Report) {
        guard !reports.contains(report) else { return }
        let same = reports.indices.filter { reports[$0].kind == report.kind }
        guard same.count == Self.most, let last = same.last else { return reports.append(report) }
        if report.isLater(than: reports[last]) { reports[last] = report }
    }

    /// True if an attempt with an unknown outcome was followed by another one, and at most one of them is answered.
    var isOneUnanswered: Bool {
        reports.contains { unknown in
            unknown.kind == .unknown && repeats(after: unknown).contains { !areAnswered(unknown, and: $0) }
        }
    }

    /// The reports that the request was sent again after an unknown outcome. Devices report one attempt in several
    /// steps, so only a code that was reported before is of another attempt.
    private func repeats(after unknown: Report) -> [Report] {
        let sent = reports.filter { $0.kind == .sent }
        return sent.filter { again in
            again.isLater(than: unknown) && sent.contains { $0.code == again.code && !$0.isLater(than: unknown) }
        }
    }

    /// True if the attempt with the unknown outcome is answered: before the request was sent again, or by evidence
    /// about the payment as a whole; or if each attempt has a denial, as the gateway's ids show.
    private func areAnswered(_ unknown: Report, and again: Report) -> Bool {
        let later = reports.filter { !unknown.isLater(than: $0) }
        let denials = later.filter { $0.kind == .denial }
        return later.contains { $0.kind == .conclusion } || denials.contains { again.isLater(than: $0) }
            || denials.contains { $0.isSameTransaction(as: unknown) == true }
                && denials.contains { $0.isSameTransaction(as: unknown) == false }
    }
}
