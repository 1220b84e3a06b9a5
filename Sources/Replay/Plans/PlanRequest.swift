package import Canonical
package import Payments
package import Projections
package import ReplayRules

/// What somebody wants to have planned.
package struct PlanRequest: Sendable {
    /// Of which payments.
    package enum Scope: Sendable {
        /// Those a list has, and what was asked for it: `status=declined&merchant=8846`.
        case filter(TransactionFilter, text: String)
        case transactions([UUID128])
    }

    package static let longestReason = 1_000
    /// The most payments that are named.
    package static let mostNamed = 1_000
    /// How long a plan may wait to be carried out, in seconds.
    package static let lifetimes: ClosedRange<Int64> = 1...604_800
    package static let standardLifetime: Int64 = 86_400

    package var scope: Scope
    /// Nil: the payment itself, a reversal that is due, and the follow-ups that failed, see `FailedFollowUps`.
    package var operation: ReplayOperation?
    package var amount: Money?
    package var tip: Money?
    package var reason: String
    package var lifetimeSeconds: Int64

    package init(
        _ scope: Scope,
        operation: ReplayOperation? = nil,
        amount: Money? = nil,
        tip: Money? = nil,
        reason: String,
        lifetimeSeconds: Int64 = PlanRequest.standardLifetime
    ) {
        self.scope = scope
        self.operation = operation
        self.amount = amount
        self.tip = tip
        self.reason = reason
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Whatever tells it from another request.
    var request: [String] {
        var parts = [
            reason, operation?.rawValue ?? "", amount.map { "\($0.value) \($0.currency.alpha)" } ?? "",
            tip.map { "\($0.value) \($0.currency.alpha)" } ?? "", "\(lifetimeSeconds)",
        ]
        switch scope {
        case .filter(_, let text): parts += ["filter", text]
        case .transactions(let ids): parts += ["transactions"] + ids.map(\.text)
        }
        return parts
    }
}
