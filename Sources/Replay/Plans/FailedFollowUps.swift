import Payments
import ReplayRules

/// The failed captures, tips, voids and refunds of a payment, from any sender, that no later event has completed.
struct FailedFollowUps {
    struct One {
        var request: ReplayRequest
        /// False when the amount is not reported.
        var isReported: Bool
        /// The reference of Daybook's own call.
        var reference: String?
        /// False while a call by Daybook is unanswered: a later report may be about another attempt.
        var isRefused: Bool
    }

    private var last: [ReplayOperation: One] = [:]

    /// - Parameter facts: Every event of the payment, in order.
    init(_ facts: [RecordedFact]) {
        for fact in facts { take(fact.event) }
    }

    /// The last attempt of each operation.
    var all: [One] { ReplayOperation.allCases.compactMap { last[$0] } }

    private mutating func take(_ event: TransactionEvent) {
        switch event {
        case .gateway(let event): take(event)
        case .followUpRefused(let refusal): take(refusal)
        case .captured(let reported) where reported.id != Capture.saleID: done(.capture)
        case .tipAdjusted: done(.tipAdjustment)
        case .voided, .reversed: done(.void)
        case .refunded: done(.refund)
        default: return
        }
    }

    private mutating func take(_ event: GatewayEvent) {
        let report = event.report
        guard let operation = ReplayOperation(report.operation), operation.isReplayedFollowUp else { return }
        if event.name == .callSent {
            last[operation] = One(
                request: ReplayRequest(operation, amount: report.amount, tip: report.tip),
                isReported: true,
                reference: report.reference,
                isRefused: false
            )
            return
        }
        guard last[operation]?.reference == report.reference else { return }
        switch (event.name, report.verdict) {
        case (.callAnswered, .approved), (.callAnswered, .partiallyApproved): last[operation] = nil
        case (.callAnswered, .declined), (.callAnswered, .refused), (.callFailed, _): last[operation]?.isRefused = true
        default: return
        }
    }

    private mutating func take(_ refusal: FollowUpRefusal) {
        guard let operation = ReplayOperation(refusal.followUp), operation.isReplayedFollowUp else { return }
        // A second, refused attempt is no evidence about one that may have taken effect.
        if let known = last[operation], !known.isRefused { return }
        // A cancelled follow-up is no longer wanted.
        guard refusal.outcome != .cancelled else { return last[operation] = nil }
        last[operation] = One(
            request: ReplayRequest(operation, amount: refusal.amount, tip: refusal.tip),
            isReported: refusal.isWhole || refusal.amount != nil || refusal.tip != nil,
            reference: nil,
            isRefused: true
        )
    }

    /// Another attempt completed it.
    private mutating func done(_ operation: ReplayOperation) {
        if last[operation]?.isRefused == true { last[operation] = nil }
    }
}

extension ReplayOperation {
    /// Reversals are excluded: they are repeated until they are acknowledged.
    fileprivate var isReplayedFollowUp: Bool {
        switch self {
        case .followUp(.capture), .followUp(.tipAdjustment), .followUp(.void), .followUp(.refund): true
        case .payment, .followUp(.reversal), .followUp(.increment), .followUp(.refundVoid): false
        }
    }
}
