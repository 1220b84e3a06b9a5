import Canonical
import Payments

// The conditions that must be met before a resubmission.
extension Classification {
    /// `resubmit`, or the time at which all conditions are met.
    ///
    /// - Parameters:
    ///   - rule: The rule that allows the resubmission.
    ///   - isFresh: True if nothing has reached the host, so that the host cannot suspect a duplicate.
    ///   - enquired: The findings, some of which may limit the number of resubmissions.
    func gated(
        rule: String,
        evidence positions: [Int64],
        notBefore: Timestamp?,
        isFresh: Bool,
        enquired: [Finding] = []
    ) -> Ruling {
        let again = attempts.filter(\.isSent).count - 1
        if let once = enquired.first(where: { $0.treatment == .retryOnce }) {
            guard let cap = book.limit("cap.after-enquiry")?.number else { return unruled(positions) }
            if again >= cap { return Ruling(.needsPerson, rule: once.rule, evidence: positions) }
        }
        var until = (at: notBefore ?? time, rule: rule)
        func put(off time: Timestamp, _ rule: String) {
            if time > until.at { until = (time, rule) }
        }
        // A repeated void, capture or tip has no further effect; a second charge or refund moves money again.
        let isOneMore = operation.isPayment || operation == .refund
        if !isFresh, isOneMore, let last = attempts.filter(\.isSent).map(\.at).max() {
            guard let window = book.limit("window.duplicate", self.evidence.gateway ?? vendor),
                let seconds = window.number
            else { return unruled(positions) }
            put(off: last.adding(seconds: seconds), window.id)
        }
        if operation.isPayment, operation != .credit {
            guard let cap = book.limit("cap.attempts", self.evidence.scheme?.rawValue), let most = cap.number,
                let seconds = book.limit("cap.period")?.number
            else { return unruled(positions) }
            if let free = freeAgain(most, within: seconds) { put(off: free, cap.id) }
        }
        guard until.at > time else { return Ruling(.resubmit, rule: rule, evidence: positions) }
        return Ruling(.waitUntil(until.at), rule: until.rule, evidence: positions)
    }

    private func unruled(_ positions: [Int64]) -> Ruling { Ruling(.needsPerson, .unknown, positions) }

    /// The time at which one more attempt with the card at the merchant is within the cap; nil if it already is.
    private func freeAgain(_ most: Int64, within seconds: Int64) -> Timestamp? {
        let counted =
            evidence.attempts
            .filter { $0.isSent && ($0.operation.isPayment && $0.operation != .credit) }
            .map(\.at)
            .filter { $0.adding(seconds: seconds) > time }
            .sorted(by: >)
        guard let most = Int(exactly: most), most > 0, counted.count >= most else { return nil }
        return counted[most - 1].adding(seconds: seconds)
    }
}
