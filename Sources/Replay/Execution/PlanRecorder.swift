import Canonical
import EventLog
import Intake
import Payments
import ReplayRules

/// Appends the events of a plan's execution.
struct PlanRecorder: Sendable {
    let sequencer: Sequencer
    let planCache: PlanCache
    let ids: any UUIDGenerator
    let clock: any WallClock

    /// Appends the events decided on the current plan. If another writer appended first, decides again.
    ///
    /// - Returns: The plan with the events.
    func record(
        _ id: UUID128,
        _ tenant: String,
        deciding decide: (ReplayPlan) -> [ReplayEvent]
    ) async throws -> ReplayPlan {
        let sender = Sender(tenant: tenant, actor: ReplayExecutor.actor, correlation: ids.next().text)
        while true {
            guard let plan = try await planCache.plan(id, of: tenant) else { throw AppendError(.refused) }
            let events = decide(plan)
            guard !events.isEmpty else { return plan }
            let item = AppendItem(
                tenant: tenant,
                stream: StreamName.replay(id),
                expected: .version(plan.version),
                events: try events.map {
                    try ProposedEvent($0, id: ids.next(), at: clock.now(), by: sender)
                }
            )
            switch try await sequencer.append(item) {
            case .appended:
                guard let after = try await planCache.plan(id, of: tenant) else { throw AppendError(.refused) }
                return after
            case .conflict: try Task.checkCancellation()
            case .duplicate, .mismatch, .claimed: throw AppendError(.refused)
            }
        }
    }
}
