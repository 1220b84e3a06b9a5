import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Gateways
import Intake
import Payments
import Replay
import ReplayRules
import Simulator
import Testing

/// A payment that the host approved and the terminal did not complete is reversed, however long that takes.
@Suite("Reversals") struct ReversalTests {
    @Test("The reversal is sent at once, and ends with the acknowledgement")
    func acknowledged() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.sell(1_250)
                #expect(try await world.state(id).status == .captured)
                try await world.fail(id)
                #expect(try await world.state(id).awaitsReversal)
                guard case .queried(let after) = try await world.resolver.resolve(id, sender: World.sender) else {
                    Issue.record("nothing was sent")
                    return
                }
                #expect(after.state.status == .voided && after.reversal == nil && !after.isOpen)
                #expect(after.state.openCalls.isEmpty)
                let calls = try await world.reversals(id)
                #expect(calls.count == 1 && calls.first?.operation == .reversal)
                #expect(calls.first?.end?.verdict == .approved)
                #expect(await world.keeper.read { $0.payments }.map(\.state) == [.voided])
                // Nothing is left to do.
                let again = try await world.resolver.resolve(id, sender: World.sender)
                #expect(again == .nothingInDoubt(.voided))
            }
        }
    }

    @Test("A reversal without an answer is repeated at intervals until it is acknowledged")
    func lostAnswers() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { try await $0.sell(1_250) }
            try await World.with(log, books: books, faults: "lost=100", reversals: true) { world in
                try await world.fail(id)
                var at: [Timestamp] = []
                for _ in 0..<4 {
                    _ = try await world.resolver.resolve(id, sender: World.sender)
                    let status = try #require(try await world.status(id))
                    let state = status.state
                    #expect(state.awaitsReversal && state.isInDoubt && state.openCalls.calls.count == 1)
                    // The reversal is not queried but sent again.
                    #expect(status.doubt == nil && status.next == .nothing)
                    let next = try #require(status.nextAction(reverses: true))
                    at.append(next)
                    guard case .waiting = try await world.resolver.resolve(id, sender: World.sender) else {
                        Issue.record("sent too early")
                        return
                    }
                    log.clock.set(next)
                }
                let gaps = zip(at, at.dropFirst()).map { $1.microseconds(since: $0) / 1_000_000 }
                #expect(gaps == [60, 120, 300])
                #expect(try await world.reversals(id).count == 4)
            }
            try await World.with(log, books: books, reversals: true) { world in
                _ = try await world.resolver.resolve(id, sender: World.sender)
                let state = try await world.state(id)
                // The first reversal had taken effect.
                #expect(state.status == .voided && !state.isInDoubt && !state.awaitsReversal)
                #expect(state.openCalls.isEmpty)
                #expect(await world.keeper.read { $0.payments }.map(\.state) == [.voided])
                let calls = try await world.reversals(id)
                #expect(calls.count == 5 && Set(calls.map(\.reference)).count == 5)
            }
        }
    }

    @Test("After its deadline, the reversal is also shown to an operator, and continues")
    func overdue() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { try await $0.sell(1_250) }
            try await World.with(log, books: books, faults: "dropped=100", reversals: true) { world in
                try await world.fail(id)
                _ = try await world.resolver.resolve(id, sender: World.sender)
                #expect(try await world.status(id)?.reversal?.isShown == false)
                log.clock.advance(seconds: 25 * 3_600)
                let late = try #require(try await world.status(id)?.reversal)
                #expect(late.isShown && late.deadline.map { $0 < log.clock.now() } == true)
                _ = try await world.resolver.resolve(id, sender: World.sender)
                #expect(try await world.reversals(id).count == 2)
            }
        }
    }

    @Test("A gateway that is down is retried at intervals, and not at once")
    func down() async throws {
        try await withBooks { log, books in
            let (world, id) = try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.sell(1_250)
                try await world.fail(id)
                return (world, id)
            }
            // Nothing listens there any more.
            var waits: [Int64] = []
            for _ in 0..<3 {
                _ = try await world.resolver.resolve(id, sender: World.sender)
                let status = try #require(try await world.status(id))
                #expect(status.calls.last?.end?.event == .callFailed && !status.state.isInDoubt)
                let next = try #require(status.nextAction(reverses: true))
                waits.append(next.microseconds(since: log.clock.now()) / 1_000_000)
                log.clock.set(next)
            }
            #expect(waits == [30, 60, 120])
            try await World.with(log, books: books, reversals: true) { again in
                _ = try await again.resolver.resolve(id, sender: World.sender)
                #expect(try await again.state(id).status == .voided)
            }
        }
    }

    @Test("If reversals are disabled, nothing is sent, and an operator is shown the reason")
    func off() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250)
                try await world.fail(id)
                let result = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                #expect(result == .noGateway)
                #expect(try await world.reversals(id).isEmpty)
                #expect(await world.keeper.read { $0.payments }.map(\.state) == [.captured])
                let status = try #require(try await world.status(id))
                #expect(status.isOpen && status.nextAction(reverses: false) == nil)
            }
        }
    }

    @Test("A settled payment is not reversed: it needs a refund instead")
    func settled() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.sell(1_250)
                try await world.fail(id)
                let settled = Settlement(id: "s1", amount: Money(1_250, .usd))
                _ = try await world.recorder.record(
                    [.settled(settled)],
                    from: nil,
                    stream: StreamName.transaction(id),
                    keys: [],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                let result = try await world.resolver.resolve(id, sender: World.sender)
                #expect(result == .person(rule: "reversal.settled"))
                #expect(try await world.reversals(id).isEmpty)
            }
        }
    }

    @Test("Concurrent resolvers send one reversal")
    func atOnce() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.sell(1_250)
                try await world.fail(id)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask { _ = try? await world.resolver.resolve(id, sender: World.sender) }
                    }
                }
                #expect(try await world.reversals(id).count == 1)
                #expect(try await world.state(id).status == .voided)
            }
        }
    }

    @Test("Some refusals acknowledge: there is nothing to reverse, or no longer", arguments: ["21", "79", "80"])
    func codes(_ code: String) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.beginHandpoint("3e665342-a95b-49c1-b6fe-b3f102305a77", cents: 900)
                try await world.fail(id)
                let version = try #require(try await world.status(id)?.version)
                var report = GatewayReport(
                    reference: "r1",
                    gateway: "host",
                    vendor: .youtransactor,
                    operation: .reversal
                )
                report.at = log.clock.now()
                var answer = report
                answer.verdict = .declined
                answer.response = Response(code: code)
                let stream = StreamName.transaction(id)
                let isRecorded = try await world.recorder.record(
                    [.gateway(GatewayEvent(.callSent, report)), .gateway(GatewayEvent(.callAnswered, answer))],
                    on: stream,
                    version: version,
                    key: IdempotencyKey(key: [1, 2], request: [1, 2]),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                #expect(isRecorded)
                let status = try #require(try await world.status(id))
                guard case .acknowledged = status.reversal?.next else {
                    Issue.record("\(String(describing: status.reversal?.next))")
                    return
                }
                _ = try await world.resolver.resolve(id, sender: World.sender)
                let state = try await world.state(id)
                #expect(!state.awaitsReversal && state.closing.isReversed)
            }
        }
    }
}
