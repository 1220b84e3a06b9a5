import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Gateways
import Intake
import Payments
import Projections
import Redaction
import Replay
import ReplayRules
import Simulator
import Testing

@Suite("Replays") struct ReplayExecutionTests {
    /// Payments that the gateway never received, and that are known not to be posted.
    static func unposted(_ count: Int, cents: Int64 = 1_250, _ log: TestLog, _ books: String) async throws -> [UUID128]
    {
        let ids = try await World.with(log, books: books, faults: "dropped=100") { world in
            var ids: [UUID128] = []
            for _ in 0..<count { ids.append(try await world.sell(cents)) }
            return ids
        }
        try await World.with(log, books: books) { world in
            for id in ids {
                let after = try await world.settle(id)
                #expect(after.status == .notPosted)
            }
        }
        return ids
    }

    @Test("A payment that was never posted is submitted once, and posted")
    func resubmit() async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(3, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    // The last one has no token.
                    for id in ids.dropLast() {
                        _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme")
                    }
                    let plan = try await replaying.plan(.transactions(ids), key: "p-1").plan
                    #expect(try await replaying.plan(.transactions(ids), key: "p-1").plan == plan)
                    try await replaying.caughtUp()
                    let items = try await replaying.query.items(of: plan, tenant: "acme", limit: 10)
                    let reported = try items.map { try JSONValue(parsing: $0.reported.utf8) }
                    #expect(
                        reported.map { $0["disposition"]?.string } == ["resubmit", "resubmit", "needs-person"],
                        "\(reported)"
                    )
                    #expect(reported.last?["rule"] == "replay.no-token")
                    #expect(reported.allSatisfy { $0["evidence"]?.array?.isEmpty == false })
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.status == .completed && end.ends == [.posted: 2], "\(end)")
                    for id in ids.dropLast() {
                        let state = try await world.state(id)
                        #expect(state.status == .captured && state.captured == 1_250 && !state.isInDoubt)
                        #expect(state.anomalies.isEmpty, "\(state.anomalies)")
                        #expect(try await replaying.charges(id).count == 1)
                        #expect(try await replaying.attempts(id).count == 2)
                    }
                    #expect(try await replaying.charges(ids[2]).isEmpty)
                    // A further plan has nothing to submit.
                    let again = try await replaying.plan(.transactions(Array(ids.dropLast()))).plan
                    try await replaying.caughtUp()
                    let found = try await replaying.query.items(of: again, tenant: "acme", limit: 10)
                    let said = try found.map { try JSONValue(parsing: $0.reported.utf8)["disposition"]?.string }
                    #expect(said == ["already-posted", "already-posted"])
                }
            }
        }
    }

    @Test("A payment with an unknown outcome is left to the resolver and not resubmitted")
    func unknown() async throws {
        try await withBooks { log, books in
            // The host accepts it, and its answer is inconclusive.
            let ids = try await Self.unposted(2, cents: 14_500, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.status == .completed && end.ends == [.unknown: 2], "\(end)")
                    for id in ids {
                        #expect(try await world.state(id).status == .inDoubt)
                        let next = try await replaying.plan(.transactions([id])).plan
                        try await replaying.caughtUp()
                        let item = try await replaying.query.items(of: next, tenant: "acme", limit: 1).first
                        let reported = try JSONValue(parsing: try #require(item).reported.utf8)
                        #expect(reported["disposition"]?.string == "wait-until", "\(reported)")
                        let after = try await world.settle(id)
                        let charges = try await replaying.charges(id)
                        #expect(after.captured == charges.reduce(0) { $0 + $1.captured } && charges.count <= 1)
                        let attempts = try await replaying.attempts(id)
                        #expect(!after.isInDoubt && attempts.count == 2)
                    }
                }
            }
        }
    }

    @Test("Two servers that execute one plan submit each item once")
    func twoServers() async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(40, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    let end = try await replaying.drive(plan, [replaying.process(), replaying.process()])
                    #expect(end.status == .completed && end.ends == [.posted: 40], "\(end)")
                    for id in ids { #expect(try await replaying.charges(id).count == 1) }
                    let reported = try await log.reader.stream(StreamName.replay(plan), of: "acme")
                    #expect(reported.count { $0.type == "ReplayItemAttempted" } == 40)
                    #expect(reported.count { $0.type == "ReplayItemEnded" } == 40)
                    let folded = ReplayPlan(folding: try reported.map(ReplayEvent.init))
                    #expect(folded.status == .completed && folded.openItems.isEmpty)
                    #expect(TestLog.faults(of: try await log.events()).isEmpty)
                }
            }
        }
    }

    @Test("A payment with newer events is skipped; a stopped plan attempts nothing more")
    func movedOnAndStopped() async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(3, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let first = try await replaying.plan(.transactions([ids[0]])).plan
                    try await replaying.act(.approve, on: first)
                    let moved = try await replaying.plan(.transactions([ids[0], ids[1]])).plan
                    await #expect(throws: ReplayCommands.Refusal.refused(.ownPlan)) {
                        try await replaying.act(.approve, on: moved, by: "ann")
                    }
                    try await replaying.act(.start, on: first)
                    _ = try await replaying.drive(first, [replaying.process()])
                    await #expect(throws: ReplayCommands.Refusal.refused(.movedOn)) {
                        try await replaying.act(.approve, on: moved)
                    }
                    // Both plans of one payment are approved, and only one of them is executed.
                    let plans = [
                        try await replaying.plan(.transactions([ids[1]])).plan,
                        try await replaying.plan(.transactions([ids[1]])).plan,
                    ]
                    for plan in plans {
                        try await replaying.act(.approve, on: plan)
                        try await replaying.act(.start, on: plan)
                    }
                    var ends: [ReplayItemEnd.End: Int64] = [:]
                    for plan in plans {
                        ends.merge(try await replaying.drive(plan, [replaying.process()]).ends) { $0 + $1 }
                    }
                    #expect(ends == [.posted: 1, .movedOn: 1])
                    #expect(try await replaying.charges(ids[1]).count == 1)
                    let stopped = try await replaying.plan(.transactions([ids[2]])).plan
                    try await replaying.act(.approve, on: stopped)
                    try await replaying.act(.start, on: stopped)
                    try await replaying.act(.pause, on: stopped)
                    #expect(try await replaying.drive(stopped, [replaying.process()], rounds: 3).attempted == 0)
                    try await replaying.act(.stop, on: stopped)
                    _ = try await replaying.drive(stopped, [replaying.process()], rounds: 3)
                    #expect(try await replaying.attempts(ids[2]).count == 1)
                }
            }
        }
    }

    @Test("After a plan is stopped, only calls in progress are completed")
    func stopsAtOnce() async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(32, log, books)
            try await World.with(log, books: books, faults: "slow=100", slowness: .milliseconds(200)) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    @Sendable func charges() async -> Int {
                        await world.keeper.read { books in books.payments.count { $0.isCharge } }
                    }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    try await replaying.caughtUp()
                    let process = replaying.process()
                    async let work = process.step()
                    while await charges() == 0 { await Task.yield() }
                    try await replaying.act(.stop, on: plan)
                    let before = await charges()
                    _ = try await work
                    #expect(await charges() <= before + ReplayOptions().concurrent)
                    let end = try await replaying.drive(plan, [process])
                    let charged = await charges()
                    #expect(charged < ids.count && end.status == .stopped)
                    #expect(end.ends[.posted] == Int64(charged), "\(end)")
                    #expect(end.ends.values.reduce(0, +) == end.attempted, "what was begun has an end")
                }
            }
        }
    }

    @Test("A plan that expires while it runs submits nothing more")
    func expires() async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(2, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    log.clock.advance(seconds: PlanRequest.standardLifetime)
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.status == .completed && end.ends == [.needsPerson: 2] && end.attempted == 0)
                    for id in ids { #expect(try await replaying.attempts(id).count == 1) }
                }
            }
        }
    }

    @Test("Nothing is charged twice, whatever fails", arguments: [UInt64(1), 2, 3])
    func faults(seed: UInt64) async throws {
        try await withBooks { log, books in
            let ids = try await Self.unposted(24, log, books)
            let faults = "lost=20,duplicate=5,fail=5,dropped=5,malformed=5"
            try await World.with(log, books: books, faults: faults, seed: seed) { world in
                try await Replaying.with(world) { replaying in
                    for round in 0..<4 {
                        for id in ids {
                            _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme")
                        }
                        let plan = try await replaying.plan(.transactions(ids), key: "round-\(round)").plan
                        do {
                            try await replaying.act(.approve, on: plan)
                        } catch ReplayCommands.Refusal.refused(.nothingToDo) {
                            break
                        }
                        try await replaying.act(.start, on: plan)
                        let end = try await replaying.drive(
                            plan,
                            [replaying.process(), replaying.process()],
                            rounds: 200
                        )
                        #expect(end.status == .completed, "\(end)")
                        for id in ids { _ = try await world.settle(id) }
                    }
                    for id in ids {
                        let state = try await world.state(id)
                        let charges = try await replaying.charges(id)
                        #expect(charges.count <= 1, "\(id) was charged \(charges.count) times")
                        if !state.isInDoubt {
                            #expect(state.captured == charges.reduce(0) { $0 + $1.captured }, "\(state.status)")
                        }
                    }
                    #expect(TestLog.faults(of: try await log.events()).isEmpty)
                }
            }
        }
    }
}
