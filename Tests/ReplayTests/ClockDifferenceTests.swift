import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Replay
import ReplayRules
import Testing

/// "Not posted" is believed by the clock of the log, whatever the clocks of the servers that sell and query show.
@Suite("Clocks that differ") struct ClockDifferenceTests {
    private static let hour: Int64 = 3_600

    /// Records a sale of a server whose clock differs from the log's, and that the gateway does not have.
    ///
    /// - Parameters:
    ///   - seconds: By how much the server's clock is ahead.
    ///   - isOver: Whether the call has ended without an answer. Else it is in progress.
    private func sell(_ world: World, ahead seconds: Int64, isOver: Bool) async throws -> UUID128 {
        let id = UUIDv7Generator(clock: world.log.clock).next()
        let money = Money(1_250, .usd)
        let sentAt = world.log.clock.now().adding(microseconds: seconds * 1_000_000)
        var report = GatewayReport(
            reference: id.text,
            gateway: "bridge",
            account: "320001",
            vendor: .bridgepay,
            operation: .sale,
            amount: money,
            at: sentAt,
            overBy: sentAt.adding(microseconds: 95_000_000)
        )
        var events: [TransactionEvent] = [
            .saleRequested(PaymentRequest(amounts: Amounts(total: money))), .gateway(GatewayEvent(.callSent, report)),
        ]
        if isOver {
            report.overBy = nil
            report.account = nil
            report.failure = "read-timeout"
            events.append(.gateway(GatewayEvent(.callTimedOut, report)))
            events.append(.outcomeUnknown(Verdict(evidence: .gateway, response: Response(code: "read-timeout"))))
        }
        #expect(
            try await world.recorder.record(
                events,
                on: StreamName.transaction(id),
                version: 0,
                key: .sample("S-\(id.text)"),
                occurredAt: sentAt,
                sender: World.sender
            )
        )
        return id
    }

    @Test("A sale in progress is not queried, whatever the clock of its sender", arguments: [-hour, 0, hour])
    func inProgress(ahead: Int64) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await sell(world, ahead: ahead, isOver: false)
                // It lasts 95 seconds, and clocks differ by up to 5.
                for seconds: Int64 in [0, 99] {
                    log.clock.advance(seconds: seconds)
                    guard case .waiting = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                    else {
                        Issue.record("queried after \(seconds) s")
                        return
                    }
                }
                #expect(try await world.questions(id).isEmpty)
                log.clock.advance(seconds: 1)
                _ = try await world.resolver.resolve(id, sender: World.sender)
                #expect(try await world.state(id).status == .notPosted)
                #expect(try await world.questions(id).count == 1)
            }
        }
    }

    @Test("\"Not posted\" counts 90 seconds after the log recorded the call", arguments: [-hour, 0, hour])
    func senderDiffers(ahead: Int64) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await sell(world, ahead: ahead, isOver: true)
                let begun = log.clock.now()
                log.clock.advance(seconds: 89)
                _ = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                let early = try #require(try await world.status(id))
                #expect(early.state.status == .inDoubt && early.queries.map(\.answer) == [.pending])
                #expect(early.unpostedFrom == begun.adding(microseconds: 90_000_000))
                #expect(try await world.settle(id).status == .notPosted)
                #expect(log.clock.now().microseconds(since: begun) == 90_000_000)
            }
        }
    }

    @Test("The clock of the server that queries is not believed, and does not make it query more often")
    func askerIsAhead() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await sell(world, ahead: 0, isOver: true)
                let ahead = ManualClock(at: log.clock.now().adding(microseconds: Self.hour * 1_000_000))
                let resolver = world.resolver(clock: ahead)
                for _ in 0..<3 { _ = try await resolver.resolve(id, sender: World.sender) }
                let status = try #require(try await world.status(id))
                #expect(status.state.status == .inDoubt && status.queries.map(\.answer) == [.pending])
                // By the clock of the log it is late enough.
                log.clock.advance(seconds: 90)
                _ = try await resolver.resolve(id, isForced: true, sender: World.sender)
                #expect(try await world.state(id).status == .notPosted)
            }
        }
    }

    @Test("A record whose time is ahead of the clock of its query does not make it count earlier")
    func logIsAhead() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await sell(world, ahead: 0, isOver: true)
                // The time of the log is 4 seconds ahead, as after an append of a server whose clock was.
                let clock = ManualClock(at: log.clock.now().adding(microseconds: 86_000_000))
                log.clock.advance(seconds: 90)
                let resolver = world.resolver(clock: clock)
                _ = try await resolver.resolve(id, isForced: true, sender: World.sender)
                let status = try #require(try await world.status(id))
                #expect(status.state.status == .inDoubt && status.queries.map(\.answer) == [.pending])
                clock.advance(seconds: 4)
                _ = try await resolver.resolve(id, isForced: true, sender: World.sender)
                #expect(try await world.state(id).status == .notPosted)
            }
        }
    }

    @Test("A sale in progress is not judged by a server whose clock is ahead")
    func askerIsAheadOfASale() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await sell(world, ahead: 0, isOver: false)
                log.clock.advance(seconds: 95)
                let ahead = ManualClock(at: log.clock.now().adding(microseconds: Self.hour * 1_000_000))
                _ = try await world.resolver(clock: ahead).resolve(id, sender: World.sender)
                // The sale may last 5 seconds more.
                let status = try #require(try await world.status(id))
                #expect(status.state.openCalls.mayHaveActed && status.queries.map(\.answer) == [.pending])
            }
        }
    }
}
