package import Canonical
package import EventLog
import Payments
import Projections
package import ReplayRules

/// The plans in use by this process, folded from the log. New events are read before a plan is returned.
package actor PlanCache {
    private struct Name: Hashable {
        var tenant: String
        var id: UUID128
    }

    /// The most plans that are kept.
    private static let most = 4
    private static let page = 1_000

    private let reader: EventReader
    private let logGuard: LogGuard
    /// The epoch of the log in which the plans were read.
    private var epoch: Int64?
    private var plans: [Name: ReplayPlan] = [:]
    /// The most recently used plan is last.
    private var order: [Name] = []

    /// - Parameter logGuard: Knows the epoch of the log. Plans that were read in another epoch are void.
    package init(reader: EventReader, logGuard: LogGuard) {
        self.reader = reader
        self.logGuard = logGuard
    }

    /// The current plan from the log; nil when there is none.
    ///
    /// - Throws: The errors of reading the log, and an error for an event that cannot be read.
    package func plan(_ id: UUID128, of tenant: String) async throws -> ReplayPlan? {
        let name = Name(tenant: tenant, id: id)
        let current = logGuard.epoch?.number
        if current != epoch {
            (plans, order, epoch) = ([:], [], current)
        }
        var plan = plans[name] ?? ReplayPlan()
        while true {
            let events = try await reader.stream(
                StreamName.replay(id),
                of: tenant,
                from: plan.version + 1,
                limit: Self.page
            )
            for event in events { plan.fold(try ReplayEvent(event)) }
            guard events.count == Self.page else { break }
        }
        guard plan.version > 0 else { return nil }
        // A concurrent call may have read further meanwhile.
        if plan.version >= plans[name]?.version ?? 0 { plans[name] = plan }
        order.removeAll { $0 == name }
        order.append(name)
        while order.count > Self.most { plans[order.removeFirst()] = nil }
        return plan
    }
}
