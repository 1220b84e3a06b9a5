import Access
package import Canonical
package import Composition
import EventLog
import Intake
import Payments
import Projections
package import Replay
import ReplayRules

extension Ledger {
    /// A payment event by event, with the ruling after each event; nil if there is no such payment.
    ///
    /// - Throws: `RuleBookError`; errors of reading the log; the error of an event that cannot be read.
    package func replayHistory(
        of id: UUID128,
        tenant: String,
        _ asked: ReplayHistoryRequest
    ) async throws -> ReplayHistory? {
        var events = try await reader.stream(StreamName.transaction(id), of: tenant)
        guard !events.isEmpty else { return nil }
        if let moment = asked.moment {
            _ = try await position(of: moment)
            events = events.filter(moment.contains)
        }
        return try ReplayHistory(
            events,
            operation: asked.operation,
            configured: replay.overrides,
            queriesOnlyStandIns: replay.queriesOnlyStandIns,
            overrides: asked.overrides,
            now: asked.moment == nil ? clock.now() : nil
        )
    }
}
