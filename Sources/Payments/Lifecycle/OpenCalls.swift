package import Canonical

/// The calls to gateways about one payment whose effect is not proven.
///
/// While a call is open that can have moved money, nothing may be resubmitted. The list is bounded: calls beyond the
/// bound are counted, and stay open until an operator's testimony ends them.
package struct OpenCalls: Sendable, Hashable, Codable {
    /// One call that may have taken effect.
    package struct Call: Sendable, Hashable, Codable {
        package var reference: String
        package var gateway: String
        package var operation: GatewayOperation
        /// The time it was sent.
        package var sentAt: Timestamp?
        /// The time by which the call is over; nil if the event does not report it.
        package var overBy: Timestamp?
        /// True once it is known that the call will get no answer: only a query about it can end the doubt. While it is
        /// false, the call is running, or the end of a process cut it short.
        package var isUnanswered = false
    }

    /// The bound. It is far above the number of calls that one payment needs.
    package static let most = 32

    package private(set) var calls: [Call] = []
    /// The number of open calls beyond the bound.
    package private(set) var unlisted = 0

    package init() {}

    package var isEmpty: Bool { calls.isEmpty && unlisted == 0 }

    /// True while a call with an unknown effect may have moved money.
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
            // The payment is reversed, whichever of the requests did it.
            if report.operation.takesBack, report.verdict == .approved { calls.removeAll(where: \.operation.takesBack) }
        }
    }

    /// Ends all calls that can have moved money: an operator has seen their outcome.
    mutating func end() {
        calls.removeAll(where: \.operation.canMoveMoney)
        unlisted = 0
    }

    /// Ends the open sale or authorization after evidence, other than an answer to a Daybook query, that the payment's
    /// money moved. It does so only if exactly one call can have requested it.
    mutating func endOnlyPayment() {
        let payments = calls.filter { $0.operation == .sale || $0.operation == .authorization }
        guard unlisted == 0, payments.count == 1, let only = payments.first else { return }
        closePayment(only.reference)
    }

    private mutating func open(_ report: GatewayReport) {
        guard !calls.contains(where: { $0.reference == report.reference }) else { return }
        // Voids and reversals are repeated. One open call is enough to show that their outcome is unknown.
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

    /// Marks a call that can move money as unanswered. An unanswered query leaves nothing open and is closed.
    private mutating func leaveOpen(_ report: GatewayReport) {
        guard report.operation.canMoveMoney else { return close(report.reference) }
        open(report)
        guard let index = calls.firstIndex(where: { $0.reference == report.reference }) else { return }
        calls[index].isUnanswered = true
    }

    /// Ends the call for the payment. The payment's outcome says nothing about its follow-ups.
    private mutating func closePayment(_ reference: String) {
        calls.removeAll {
            $0.reference == reference && ($0.operation == .sale || $0.operation == .authorization)
        }
    }

    private mutating func close(_ reference: String) { calls.removeAll { $0.reference == reference } }
}
