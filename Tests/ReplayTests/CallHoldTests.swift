import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Intake
import Payments
import Projections
import Redaction
import Replay
import ReplayRules
import Simulator
import Testing

/// While the clock of the service differs from the clock of the database, no gateway is called.
@Suite("Calls that are held") struct CallHoldTests {
    private static let hold = CallHold(code: "clock-differs", detail: "The clock is 3 seconds ahead.")

    @Test("A call is refused before it is recorded")
    func call() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books) { world in
                let head = try await log.reader.head()
                log.logGuard.hold = Self.hold
                await #expect(throws: Self.hold) {
                    try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                }
                #expect(try await log.reader.head() == head)
                log.logGuard.hold = nil
                #expect(try await world.settle(id).status == .captured)
            }
        }
    }

    @Test("A call that was recorded is not sent if the clock differs by then, and may be made again")
    func recorded() async throws {
        struct NoAnswer: Error {}
        for isAnswered in [true, false] {
            try await withBooks { log, books in
                try await World.with(log, books: books) { world in
                    // As after a pause of the process between the two.
                    log.logGuard.setWatch {
                        guard isAnswered else { throw NoAnswer() }
                        return Self.hold
                    }
                    let id = try await world.sell(1_250, logGuard: log.logGuard)
                    let state = try await world.state(id)
                    #expect(!state.isInDoubt && state.openCalls.isEmpty)
                    let types = try await log.events().map(\.type)
                    #expect(types == ["SaleRequested", "GatewayCallSent", "GatewayCallFailed"])
                    #expect(try await world.status(id)?.calls.last?.end?.failure == "held")
                    #expect(await world.keeper.read { $0.payments }.isEmpty)
                }
            }
        }
    }

    @Test("A call is not sent if the clock was set after its record", arguments: [-3_600, 3_600])
    func clockWasSet(seconds: Int64) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                // The watch finds the clock right again: the record has the wrong time.
                log.logGuard.setWatch {
                    log.clock.advance(seconds: seconds)
                    return nil
                }
                let id = try await world.sell(1_250, logGuard: log.logGuard)
                #expect(try await world.status(id)?.calls.last?.end?.failure == "held")
                #expect(await world.keeper.read { $0.payments }.isEmpty)
            }
        }
    }

    @Test("A query or reversal that was held is none of those that the rules allow", arguments: [true, false])
    func bounds(isReversal: Bool) async throws {
        struct NoAnswer: Error {}
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: isReversal ? "none" : "lost=100") {
                try await $0.sell(1_250)
            }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books, reversals: true) { world in
                if isReversal { try await world.fail(id) }
                let before = try #require(try await world.status(id))
                log.logGuard.setWatch { throw NoAnswer() }
                for number in 1...12 {
                    await #expect(throws: CallHold.unanswered) {
                        try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                    }
                    let status = try #require(try await world.status(id))
                    #expect(status.version == before.version + Int64(2 * number))
                    #expect(status.queries.isEmpty && status.isOpen)
                    #expect(status.nextAction(reverses: true) == before.nextAction(reverses: true))
                    #expect(status.reversal?.isExhausted != true)
                }
                log.logGuard.setWatch { nil }
                let result = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                guard case .queried(let after) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(!after.isOpen)
            }
        }
    }

    @Test("Automatic queries wait, and go on without a new event")
    func resolver() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books) { world in
                let readModels = ReadModels([TransactionsProjection()], pool: log.pool, reader: log.reader)
                try await readModels.install()
                let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
                let following = Task { await follower.run() }
                let clock = HeldClock()
                let process = ResolverProcess(
                    pool: log.pool,
                    resolver: world.resolver,
                    readModels: readModels,
                    appended: log.signal,
                    ids: UUIDv7Generator(clock: log.clock),
                    wallClock: log.clock,
                    logger: TestLog.logger,
                    clock: clock
                )
                log.logGuard.hold = Self.hold
                let running = Task { await process.run() }
                var sleeps = clock.sleeps.makeAsyncIterator()
                // Nothing is read: a step would wait for the next append, or for the time of the next query.
                for _ in 0..<2 {
                    #expect(await sleeps.next() == .seconds(1))
                    clock.wake()
                }
                #expect(await sleeps.next() == .seconds(1))
                #expect(try await world.questions(id).isEmpty)
                log.logGuard.hold = nil
                clock.wake()
                // The pause after the step.
                _ = await sleeps.next()
                #expect(try await world.state(id).status == .captured)
                running.cancel()
                await running.value
                following.cancel()
                await following.value
            }
        }
    }

    @Test("Plans wait")
    func replay() async throws {
        try await withBooks { log, books in
            let ids = try await ReplayExecutionTests.unposted(1, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    _ = try await replaying.vault.keep("11110000000000001111", of: ids[0], tenant: "acme")
                    let plan = try await replaying.plan(.transactions(ids)).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    try await replaying.caughtUp()
                    let head = try await log.reader.head()
                    let process = replaying.process()
                    log.logGuard.hold = Self.hold
                    #expect(try await process.step() == false)
                    // No item is begun either.
                    #expect(try await log.reader.head() == head)
                    log.logGuard.hold = nil
                    let end = try await replaying.drive(plan, [process])
                    #expect(end.ends == [.posted: 1], "\(end)")
                }
            }
        }
    }
}
