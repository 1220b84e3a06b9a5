import Canonical
import Payments

// What has to be over before something may be asked for again.
extension Classification {
    /// `resubmit`, or the time at which nothing stands against it.
    ///
    /// - Parameters:
    ///   - rule: The rule by which it may be asked for again.
    ///   - isFresh: True where nothing has reached the host, so that no duplicate can be suspected.
    ///   - enquired: The findings, some of which may limit how often.
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
        // Voids, captures and tips say the same twice; a second charge or refund is one more.
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

    /// When one more attempt with the card at the merchant is within the cap; nil where it is now.
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
