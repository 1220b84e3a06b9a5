package import Canonical
package import Payments
package import Projections
package import Redaction
package import ReplayRules

/// A request for a plan.
package struct PlanRequest: Sendable {
    /// The payments to plan for.
    package enum Scope: Sendable {
        /// The payments of a list, with the query that selected them: `status=declined&merchant=8846`.
        case filter(TransactionFilter, text: String)
        case transactions([UUID128])
    }

    /// The most payments in `transactions`.
    package static let mostNamed = 1_000
    /// The allowed lifetimes of a plan until its execution, in seconds.
    package static let lifetimes: ClosedRange<Int64> = 1...604_800
    package static let standardLifetime: Int64 = 86_400

    package var scope: Scope
    /// Nil for the payment itself, a due reversal, and the failed follow-ups; see `FailedFollowUps`.
    package var operation: ReplayOperation?
    package var amount: Money?
    package var tip: Money?
    package var reason: Reason
    package var lifetimeSeconds: Int64

    package init(
        _ scope: Scope,
        operation: ReplayOperation? = nil,
        amount: Money? = nil,
        tip: Money? = nil,
        reason: Reason,
        lifetimeSeconds: Int64 = PlanRequest.standardLifetime
    ) {
        self.scope = scope
        self.operation = operation
        self.amount = amount
        self.tip = tip
        self.reason = reason
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// The parts that distinguish it from another request.
    var request: [String] {
        var parts = [
            reason.text, operation?.rawValue ?? "", amount.map { "\($0.value) \($0.currency.alpha)" } ?? "",
            tip.map { "\($0.value) \($0.currency.alpha)" } ?? "", "\(lifetimeSeconds)",
        ]
        switch scope {
        case .filter(_, let text): parts += ["filter", text]
        case .transactions(let ids): parts += ["transactions"] + ids.map(\.text)
        }
        return parts
    }
}
