package import Canonical

/// The calls to gateways about one payment of which it is not certain what they did.
///
/// While there is one that can have moved money, nothing may be asked for again. Bounded: what does not fit is counted, and
/// counts as open for ever.
package struct OpenCalls: Sendable, Hashable, Codable {
    /// One call that may have acted.
    package struct Call: Sendable, Hashable, Codable {
        package var reference: String
        package var gateway: String
        package var operation: GatewayOperation
        /// When it was sent.
        package var sentAt: Timestamp?
        /// By when it is over; nil where the event does not say.
        package var overBy: Timestamp?
        /// True once it is known that no answer to the call itself will come: only asking about it can end the doubt. While
        /// it is false the call is under way, or was cut short by the end of a process.
        package var isUnanswered = false
    }

    /// Far above what anybody has a reason to send about one payment.
    package static let most = 32

    package private(set) var calls: [Call] = []
    /// How many more there are.
    package private(set) var unlisted = 0

    package init() {}

    package var isEmpty: Bool { calls.isEmpty && unlisted == 0 }

    /// True while a call may have moved money without anybody knowing.
    package var mayHaveActed: Bool { unlisted > 0 || calls.contains { $0.operation.canMoveMoney } }

    mutating func take(_ event: GatewayEvent) {
        let report = event.report
        switch event.name {
        case .callSent: open(report)
        case .callFailed: close(report.reference)
        case .callTimedOut: leaveOpen(report)
        case .callAnswered:
            if report.verdict.map({ $0.isCertain || $0 == .refused }) ?? false || !report.operation.canMoveMoney {
                close(report.reference)
            } else {
                leaveOpen(report)
            }
            if report.operation == .find, report.verdict?.isCertain == true, let about = report.about {
                closePayment(about)
            }
            // It is taken back, whichever of the requests for that did it.
            if report.operation.takesBack, report.verdict == .approved { calls.removeAll(where: \.operation.takesBack) }
        }
    }

    /// Nothing is open any more that can have moved money: somebody has seen what became of it.
    mutating func end() {
        calls.removeAll(where: \.operation.canMoveMoney)
        unlisted = 0
    }

    /// Evidence that is no answer to a question of Daybook's shows that money was moved for the payment. Where one call alone
    /// can have asked for it, that is what the call did.
    mutating func endOnlyPayment() {
        let payments = calls.filter { $0.operation == .sale || $0.operation == .authorization }
        guard unlisted == 0, payments.count == 1, let only = payments.first else { return }
        closePayment(only.reference)
    }

    private mutating func open(_ report: GatewayReport) {
        guard !calls.contains(where: { $0.reference == report.reference }) else { return }
        // What takes a payment back is repeated: whichever of them did it, one that is open says that nobody knows.
        if report.operation.takesBack { calls.removeAll { $0.operation.takesBack && $0.isUnanswered } }
        guard calls.count < Self.most else {
            unlisted += 1
            return
        }
        calls.append(
            Call(
                reference: report.reference,
                gateway: report.gateway,
                operation: report.operation,
                sentAt: report.at,
                overBy: report.overBy
            )
        )
    }

    /// A question that was not answered leaves nothing open; what can move money does.
    private mutating func leaveOpen(_ report: GatewayReport) {
        guard report.operation.canMoveMoney else { return close(report.reference) }
        open(report)
        guard let index = calls.firstIndex(where: { $0.reference == report.reference }) else { return }
        calls[index].isUnanswered = true
    }

    /// What became of a payment says nothing of what followed it.
    private mutating func closePayment(_ reference: String) {
        calls.removeAll {
            $0.reference == reference && ($0.operation == .sale || $0.operation == .authorization)
        }
    }

    private mutating func close(_ reference: String) { calls.removeAll { $0.reference == reference } }
}
