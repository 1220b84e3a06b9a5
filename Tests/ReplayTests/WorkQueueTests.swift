import Canonical
import DaybookTestKit
import Postgres
import Testing

@testable import Replay

/// The queue of items that plans execute.
struct WorkQueueTests {
    /// As when a large plan has just begun: the table has no statistics yet.
    @Test func workersLeaseTheRequestedNumberAndEachItemOnce() async throws {
        try await TestLog.with { log in
            let queue = ReplayWorkQueue(pool: log.pool)
            let ids = UUIDv7Generator(clock: log.clock)
            let plan = ids.next()
            let now = log.clock.now()
            try await queue.fill(Array(1...6_000), plan: plan, tenant: "acme", at: now)
            let claims = try await withThrowingTaskGroup(of: [ReplayWorkQueue.Claim].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await queue.claim(
                            plan,
                            tenant: "acme",
                            only: nil,
                            limit: 32,
                            lease: ids.next(),
                            at: now,
                            until: now.adding(microseconds: 60_000_000)
                        )
                    }
                }
                var claims: [[ReplayWorkQueue.Claim]] = []
                for try await claim in group { claims.append(claim) }
                return claims
            }
            #expect(claims.map(\.count) == Array(repeating: 32, count: 8))
            #expect(Set(claims.joined().map(\.item)).count == 256)
            #expect(claims.joined().allSatisfy { $0.tries == 1 })
            // Each row is checked once, and not once for each of the others.
            let plans = try await log.pool.query(
                "EXPLAIN (COSTS OFF) \(ReplayWorkQueue.claiming)",
                [
                    .text("acme"), .uuid(plan), .int64(32), .uuid(ids.next()), .timestamptz(now), .timestamptz(now),
                    .null, .timestamptz(now),
                ]
            ).map { try $0.text(0) }
            #expect(plans.count { $0.contains("CTE c") } == 1, "\(plans)")
        }
    }

    @Test func timesOfAClockThatWasAheadDoNotCount() async throws {
        try await TestLog.with { log in
            let queue = ReplayWorkQueue(pool: log.pool)
            let ids = UUIDv7Generator(clock: log.clock)
            let plan = ids.next()
            let now = log.clock.now()
            func claim(at time: Timestamp, lease: UUID128) async throws -> [Int64] {
                try await queue.claim(
                    plan,
                    tenant: "acme",
                    only: nil,
                    limit: 10,
                    lease: lease,
                    at: time,
                    until: time.adding(microseconds: 60_000_000)
                ).map(\.item).sorted()
            }
            let hour = now.adding(microseconds: 3_600_000_000)
            let (first, second) = (ids.next(), ids.next())
            try await queue.fill([1, 2, 3], plan: plan, tenant: "acme", at: now)
            #expect(try await claim(at: hour, lease: first) == [1, 2, 3])
            try await queue.putOff([(1, hour)], plan: plan, tenant: "acme", lease: first, at: hour)
            // One is put off until then, the others are leased until then.
            #expect(try await claim(at: now, lease: second) == [1, 2, 3])
            #expect(try await claim(at: now, lease: ids.next()) == [])
            // Nothing is put off for longer than an item may rest.
            try await queue.putOff([(1, hour)], plan: plan, tenant: "acme", lease: second, at: now)
            #expect(try await claim(at: now.adding(microseconds: 899_000_000), lease: ids.next()) == [2, 3])
            let later = now.adding(microseconds: ReplayWorkQueue.mostAhead)
            #expect(try await claim(at: later, lease: ids.next()) == [1])
        }
    }
}
