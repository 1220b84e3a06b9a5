package import Canonical
package import EventLog
import Payments
import Projections
package import ReplayRules

/// The plans this process works with, folded from the log; what was appended since is read before one is given out.
package actor PlanCache {
    private struct Name: Hashable {
        var tenant: String
        var id: UUID128
    }

    /// How many are kept.
    private static let most = 4
    private static let page = 1_000

    private let reader: EventReader
    private var plans: [Name: ReplayPlan] = [:]
    /// The one that was wanted last is the last.
    private var order: [Name] = []

    package init(reader: EventReader) {
        self.reader = reader
    }

    /// The plan as the log has it now; nil where there is none.
    ///
    /// - Throws: What reading the log throws, and an event that cannot be read.
    package func plan(_ id: UUID128, of tenant: String) async throws -> ReplayPlan? {
        let name = Name(tenant: tenant, id: id)
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
        // Somebody else may have read on meanwhile.
        if plan.version >= plans[name]?.version ?? 0 { plans[name] = plan }
        order.removeAll { $0 == name }
        order.append(name)
        while order.count > Self.most { plans[order.removeFirst()] = nil }
        return plan
    }
}
