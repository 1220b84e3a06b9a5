package import Canonical
package import Payments
import Projections
package import Replay
package import ReplayRules

/// A replay plan and its progress.
package struct ReplayJSON: Codable, Sendable, Hashable {
    package struct Total: Codable, Sendable, Hashable {
        package var disposition: Disposition.Name
        package var count: Int64
        package var amount: Money?
    }

    package struct Progress: Codable, Sendable, Hashable {
        package var toAttempt: Int64
        package var attempted: Int64
        package var ended: Int64
        package var open: Int64
        package var ends: [ReplayEndCount]
    }

    package struct Approval: Codable, Sendable, Hashable {
        package var reason: String
        package var approver: ReplayActor
        package var byPolicy: Bool
        package var at: Timestamp?
    }

    package var id: UUID128
    package var status: ReplayStatus
    package var filter: String?
    package var transactions: [UUID128]?
    package var reason: String
    package var planner: ReplayActor
    package var book: RuleBookReference
    package var covers: Int64
    package var plannedAt: Timestamp
    package var expiresAt: Timestamp
    package var items: Int64
    package var totals: [Total]
    package var progress: Progress
    package var approval: Approval?
    package var note: String?
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var version: Int64

    package init(_ plan: ReplayView) throws {
        let decoder = JSONValueDecoder()
        let planning = try decoder.decode(ReplayPlanning.self, parsing: plan.planning)
        id = plan.id
        status = plan.status
        filter = planning.filter
        transactions = planning.transactions
        reason = planning.reason
        planner = planning.planner
        book = planning.book
        covers = planning.covers
        plannedAt = planning.plannedAt
        expiresAt = plan.expiresAt
        items = plan.items
        totals = try planning.totals.map { total in
            Total(
                disposition: total.disposition,
                count: total.count,
                amount: try .stored(total.amount, total.currency)
            )
        }
        let ended = plan.ends.values.reduce(0, +)
        progress = Progress(
            toAttempt: plan.actionable,
            attempted: plan.attempted,
            ended: ended,
            open: max(0, plan.actionable - ended),
            ends: ReplayItemEnd.End.allCases.compactMap { end in
                plan.ends[end].map { ReplayEndCount(end: end, count: $0) }
            }
        )
        approval = try plan.approval.map { text in
            let approval = try decoder.decode(ReplayApproval.self, parsing: text)
            return Approval(
                reason: approval.reason,
                approver: approval.approver,
                byPolicy: approval.byPolicy,
                at: plan.approvedAt
            )
        }
        note = plan.note
        firstPosition = plan.firstPosition
        lastPosition = plan.lastPosition
        version = plan.version
    }

    /// True if the plan can no longer be approved, started or attempted, because its time is over.
    package func isExpired(at time: Timestamp) -> Bool { !status.isOver && time >= expiresAt }
}

/// An item of a plan as planned, with its execution and its payment's current status.
package typealias ReplayItemJSON = Joined<ReplayItem, ReplayItemStatusJSON>

package struct ReplayItemStatusJSON: Codable, Sendable, Hashable {
    package struct Attempt: Codable, Sendable, Hashable {
        package var position: Int64
        package var reference: String?
    }

    package struct End: Codable, Sendable, Hashable {
        package var end: ReplayItemEnd.End
        package var position: Int64
        package var rule: String?
        package var explanation: String?
        package var detail: String?
    }

    package struct Payment: Codable, Sendable, Hashable {
        package var status: TransactionStatus
        package var inDoubt: Bool
        package var version: Int64?
    }

    /// The meaning of the rule of the item's disposition.
    package var explanation: String?
    package var attempt: Attempt?
    package var end: End?
    package var payment: Payment?
}

extension ReplayItemJSON {
    package init(_ item: ReplayItemView) throws {
        var planned = try JSONValueDecoder().decode(ReplayItem.self, parsing: item.reported)
        planned.number = item.number
        var status = ReplayItemStatusJSON(explanation: ReplayRule.meaning(of: planned.rule))
        status.attempt = item.attempted.map { .init(position: $0, reference: item.reference) }
        if let ended = item.ended, let outcome = item.outcome {
            status.end = .init(
                end: outcome,
                position: ended,
                rule: item.rule,
                explanation: item.rule.flatMap { ReplayRule.meaning(of: $0) },
                detail: item.detail
            )
        }
        status.payment = try item.paymentStatus.map {
            .init(status: try TransactionStatus(stored: $0), inDoubt: item.isInDoubt, version: item.paymentVersion)
        }
        self.init(planned, status)
    }
}
