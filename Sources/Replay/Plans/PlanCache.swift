package import Canonical
package import EventLog
import Payments
import Projections
package import ReplayRules
import Synchronization

/// The plans in use by this process, folded from the log. New events are read before a plan is returned.
package final class PlanCache: Sendable {
    private struct Name: Hashable {
        var tenant: String
        var id: UUID128
    }

    private struct State {
        var plans: [Name: ReplayPlan] = [:]
        /// The most recently used plan is last.
        var order: [Name] = []
        /// Plans that were read before the last reset are void.
        var resets = 0
    }

    /// The most plans that are kept.
    private static let most = 4
    private static let page = 1_000

    private let reader: EventReader
    private let state = Mutex(State())

    /// - Parameter logGuard: Resets the cache in a new epoch of the log.
    package init(reader: EventReader, logGuard: LogGuard) {
        self.reader = reader
        logGuard.onNewEpoch { [weak self] in
            self?.state.withLock { $0 = State(resets: $0.resets + 1) }
        }
    }

    /// The current plan from the log; nil when there is none.
    ///
    /// - Throws: The errors of reading the log, and an error for an event that cannot be read.
    package func plan(_ id: UUID128, of tenant: String) async throws -> ReplayPlan? {
        let name = Name(tenant: tenant, id: id)
        let (known, resets) = state.withLock { ($0.plans[name], $0.resets) }
        var plan = known ?? ReplayPlan()
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
        state.withLock { state in
            guard state.resets == resets else { return }
            // A concurrent call may have read further meanwhile.
            if plan.version >= state.plans[name]?.version ?? 0 { state.plans[name] = plan }
            state.order.removeAll { $0 == name }
            state.order.append(name)
            while state.order.count > Self.most { state.plans[state.order.removeFirst()] = nil }
        }
        return plan
    }
}
