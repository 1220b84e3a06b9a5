import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Redaction
import Replay
import ReplayRules
import Testing

/// A process that knows a plan, whose end the log lost. The plan's stream then grew to the same version with other
/// events.
@Suite struct RegrownPlanTests {
    @Test func aRegrownPlanIsReadAgain() async throws {
        try await TestLog.with { log in
            let ids = UUIDv7Generator(clock: log.clock)
            let plan = ids.next()
            let reason = Reason("agreed")
            func append(_ events: ReplayEvent...) async throws {
                let proposed = try events.map {
                    try ProposedEvent($0, id: ids.next(), at: log.clock.now(), by: Replaying.planner)
                }
                _ = try await log.sequencer.append(
                    AppendItem(tenant: "acme", stream: StreamName.replay(plan), expected: .any, events: proposed)
                )
            }
            let ann = ReplayActor(name: "ann", holder: "ann")
            let bob = ReplayActor(name: "bob", holder: "bob")
            try await append(
                .planned(
                    ReplayPlanning(
                        transactions: [],
                        reason: reason,
                        planner: ann,
                        book: RuleBookReference(edition: "1", day: "2026-03-01", digest: ""),
                        covers: 0,
                        plannedAt: log.clock.now(),
                        expiresAt: log.clock.now().adding(microseconds: 3_600_000_000),
                        items: 0,
                        totals: []
                    )
                ),
                .itemsPlanned(ReplayItems(items: []))
            )
            let cache = PlanCache(reader: log.reader, logGuard: log.logGuard)
            let back = try await log.wayBack()
            let approval = ReplayEvent.approved(ReplayApproval(reason: reason, approver: bob, byPolicy: false))
            try await append(approval, .started(ReplayNote(reason: reason)))
            let known = try #require(try await cache.plan(plan, of: "acme"))

            try await log.tamper(back)
            try await log.adopt()
            try await append(approval, .stopped(ReplayNote(reason: reason)))
            let regrown = try #require(try await cache.plan(plan, of: "acme"))
            #expect(known.version == 4 && known.status == .running)
            #expect(regrown.version == 4 && regrown.status == .stopped)
        }
    }
}
