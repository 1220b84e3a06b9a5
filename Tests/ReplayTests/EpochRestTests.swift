import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Payments
import Replay
import ReplayRules
import Testing

/// Calls of an adopted log may be lost and still take effect. No replay begins before they are over.
@Suite("The rest after an adoption") struct EpochRestTests {
    /// - Parameter isNoticed: The process has noticed the adoption; otherwise its first append in the new epoch does.
    @Test("A started plan calls gateways only after its end", arguments: [true, false])
    func rest(isNoticed: Bool) async throws {
        try await withBooks { log, books in
            let ids = try await ReplayExecutionTests.unposted(2, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    let process = replaying.process()

                    try await log.adopt()
                    // The adoption takes the time of the database.
                    let began = log.clock.now()
                    try await log.tamper("UPDATE ledger.head SET epoch_began_at = '\(began.rfc3339)';")
                    if isNoticed { _ = try await log.sequencer.append(.sample("x")) }
                    #expect(log.logGuard.epoch?.number == (isNoticed ? 1 : 0))
                    try await replaying.caughtUp()
                    let isBusy = try await process.step()
                    #expect(isBusy != isNoticed)
                    #expect(log.logGuard.epoch == LogEpoch(number: 1, beganAt: began))
                    func calls() async throws -> Int {
                        var count = 0
                        for id in ids { count += try await replaying.attempts(id).count }
                        return count
                    }
                    // Each was sold once.
                    #expect(try await calls() == 2)
                    log.clock.set(began.adding(microseconds: 59_999_999))
                    #expect(try await !process.step())
                    #expect(try await calls() == 2)
                    log.clock.advance(microseconds: 1)
                    let end = try await replaying.drive(plan, [process])
                    #expect(end.status == .completed && end.ends == [.posted: 2], "\(end)")
                    #expect(try await calls() == 4)
                }
            }
        }
    }

    /// No attempt is recorded for them that would notice the adoption first.
    @Test("Items begun before it wait as well, also if the next call is the first append in the new epoch")
    func begunItems() async throws {
        struct NoAnswer: Error {}
        try await withBooks { log, books in
            let ids = try await ReplayExecutionTests.unposted(2, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    try await replaying.caughtUp()
                    let process = replaying.process()
                    // The first calls are recorded and not sent.
                    log.logGuard.setWatch { throw NoAnswer() }
                    #expect(try await process.step())
                    log.logGuard.setWatch { nil }
                    func types() async throws -> [String] { try await log.events().map(\.type) }
                    #expect(try await types().count { $0 == "ReplayItemAttempted" } == 2)
                    log.clock.advance(seconds: 60)

                    try await log.adopt()
                    let began = log.clock.now()
                    try await log.tamper("UPDATE ledger.head SET epoch_began_at = '\(began.rfc3339)';")
                    try await replaying.caughtUp()
                    #expect(log.logGuard.epoch?.number == 0)
                    let answered = try await types().count { $0 == "GatewayCallAnswered" }
                    #expect(try await process.step())
                    #expect(log.logGuard.epoch == LogEpoch(number: 1, beganAt: began))
                    // Each was sold once. Nothing was sent, not even a query.
                    for id in ids { #expect(try await replaying.attempts(id).count == 1) }
                    #expect(try await types().count { $0 == "GatewayCallAnswered" } == answered)
                    log.clock.set(began.adding(microseconds: 60_000_000))
                    let end = try await replaying.drive(plan, [process])
                    #expect(end.status == .completed && end.ends == [.posted: 2], "\(end)")
                    for id in ids { #expect(try await replaying.attempts(id).count == 2) }
                }
            }
        }
    }

    @Test("It lasts for the longest call and the longest wait before \"not posted\" is believed")
    func length() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let book = try World.books.book(at: log.clock.now())
                let waits = world.gateways.vendors.compactMap { book.limit("wait.unposted", $0.rawValue)?.number }
                let longest = try #require(waits.max())
                let rest = EpochRest(gateways: world.gateways, book: book)
                #expect(longest > 0 && world.gateways.longestCallMilliseconds > 0)
                let seconds = longest * 1_000_000
                #expect(rest.microseconds == seconds + world.gateways.longestCallMilliseconds * 1_000)
                #expect(rest.end(of: LogEpoch(number: 0)) == nil)
                let began = log.clock.now()
                let end = rest.end(of: LogEpoch(number: 1, beganAt: began))
                #expect(end == began.adding(microseconds: rest.microseconds))
            }
        }
    }
}
