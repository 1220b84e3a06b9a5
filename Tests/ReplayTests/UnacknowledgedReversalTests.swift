import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Replay
import Testing

/// Reversals that no gateway acknowledges.
@Suite("Unacknowledged reversals") struct UnacknowledgedReversalTests {
    private static let rule = "reversal.late-intervals"
    private static let period: Int64 = 14 * 86_400

    /// Checks a payment whenever an action is due, and at least once a day, for two weeks or until 100 were sent.
    ///
    /// - Returns: The number of reversals that were sent.
    private func check(_ id: UUID128, _ world: World) async throws -> Int {
        let clock = world.log.clock
        let end = clock.now().adding(microseconds: Self.period * 1_000_000)
        var sent = 0
        while clock.now() < end, sent < 100 {
            switch try await world.resolver.resolve(id, sender: World.sender) {
            case .queried: sent += 1
            case .waiting(let status):
                let next = try #require(status.nextAction(reverses: true))
                clock.set(max(next, clock.now().adding(microseconds: 1)))
            case .person(let rule):
                #expect(rule == Self.rule)
                clock.advance(seconds: 86_400)
            case .noSuchPayment, .nothingInDoubt, .noGateway:
                Issue.record("the reversal is gone")
                return sent
            }
        }
        return sent
    }

    @Test("A reversal that is never acknowledged becomes an operator's once", arguments: ["dropped=100", "fail=100"])
    func neverAcknowledged(faults: String) async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { try await $0.sell(1_250) }
            try await World.with(log, books: books, faults: faults, reversals: true) { world in
                try await world.fail(id)
                let before = try await log.events().count
                let sent = try await check(id, world)
                let status = try #require(try await world.status(id))
                let reversal = try #require(status.reversal)
                let deadline = try #require(reversal.deadline)
                // At growing intervals, then every hour until the deadline, then four more.
                #expect(sent < 40 && reversal.sent.count == sent)
                #expect(reversal.sent.count { $0.sentAt >= deadline } == 4)
                let times = reversal.sent.suffix(4).map(\.sentAt)
                let gaps = zip(times, times.dropFirst()).map { $1.microseconds(since: $0) / 1_000_000 }
                #expect(gaps == [14_400, 43_200, 86_400])
                let events = try await log.events().dropFirst(before)
                // The first unanswered one also leaves a doubt.
                #expect(events.count <= 2 * sent + 2, "\(events.map(\.type))")
                #expect(reversal.isShown && status.nextAction(reverses: true) == nil)
                guard case .person(Self.rule) = reversal.next else {
                    Issue.record("\(reversal.next)")
                    return
                }
                // An operator sends it again at any time.
                _ = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                let again = try #require(try await world.status(id)?.reversal)
                #expect(again.sent.count == sent + 1 && again.next == .person(rule: Self.rule))
            }
            try await World.with(log, books: books, reversals: true) { world in
                let result = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                guard case .queried(let after) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(after.state.status == .voided && !after.isOpen)
            }
        }
    }

    @Test("A reversal that is always refused becomes an operator's as well")
    func refused() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.beginHandpoint("3e665342-a95b-49c1-b6fe-b3f102305a77", cents: 900)
                try await world.fail(id)
                let end = log.clock.now().adding(microseconds: Self.period * 1_000_000)
                var sent = 0
                while log.clock.now() < end, sent < 100 {
                    let status = try #require(try await world.status(id))
                    let reversal = try #require(status.reversal)
                    guard case .send(let at, _) = reversal.next else {
                        guard case .person = reversal.next else {
                            Issue.record("\(reversal.next)")
                            return
                        }
                        break
                    }
                    log.clock.set(max(at, log.clock.now()))
                    sent += 1
                    try await refuse(id, number: sent, version: status.version, world)
                }
                #expect(sent < 40 && log.clock.now() < end)
                let reversal = try #require(try await world.status(id)?.reversal)
                let deadline = try #require(reversal.deadline)
                #expect(reversal.isShown && reversal.sent.count { $0.sentAt >= deadline } == 4)
            }
        }
    }

    @Test("Voids that a till reports as refused are none of the reversals that the rules allow")
    func tills() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { try await $0.sell(1_250) }
            try await World.with(log, books: books, reversals: true) { world in
                try await world.fail(id)
                let status = try #require(try await world.status(id))
                let refused = FollowUpRefusal(.void, outcome: .declined, evidence: .gateway)
                let isRecorded = try await world.recorder.record(
                    Array(repeating: .followUpRefused(refused), count: 60),
                    on: StreamName.transaction(id),
                    version: status.version,
                    key: IdempotencyKey(key: [2], request: [2]),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                #expect(isRecorded)
                log.clock.advance(seconds: 14 * 86_400)
                let reversal = try #require(try await world.status(id)?.reversal)
                #expect(!reversal.isExhausted)
                guard case .send(let at, _) = reversal.next else {
                    Issue.record("\(reversal.next)")
                    return
                }
                #expect(at <= log.clock.now())
                let result = try await world.resolver.resolve(id, sender: World.sender)
                guard case .queried(let after) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(after.state.status == .voided)
            }
        }
    }

    /// Records a reversal that the host refuses.
    private func refuse(_ id: UUID128, number: Int, version: Int64, _ world: World) async throws {
        var report = GatewayReport(
            reference: "r\(number)",
            gateway: "host",
            vendor: .youtransactor,
            operation: .reversal
        )
        report.at = world.log.clock.now()
        var answer = report
        answer.verdict = .declined
        answer.response = Response(code: "05")
        let isRecorded = try await world.recorder.record(
            [.gateway(GatewayEvent(.callSent, report)), .gateway(GatewayEvent(.callAnswered, answer))],
            on: StreamName.transaction(id),
            version: version,
            key: IdempotencyKey(key: [1, UInt8(number)], request: [1, 2]),
            occurredAt: world.log.clock.now(),
            sender: World.sender
        )
        #expect(isRecorded)
    }
}
