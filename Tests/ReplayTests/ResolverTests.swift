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

/// Payments with unknown outcomes, and the gateways on sockets that are queried about them.
@Suite("Unknown outcomes") struct ResolverTests {
    @Test("BridgePay: the answer of a sale is lost, and the query finds the sale")
    func lostAnswer() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            try await World.with(log, books: books) { world in
                let before = try await world.state(id)
                #expect(before.status == .inDoubt && before.isInDoubt && before.openCalls.mayHaveActed)
                // The first query is not due yet.
                guard case .waiting = try await world.resolver.resolve(id, sender: World.sender) else {
                    Issue.record("asked too early")
                    return
                }
                #expect(try await world.questions(id).isEmpty)
                let after = try await world.settle(id)
                #expect(after.status == .captured && after.captured == 1_250 && !after.isInDoubt)
                #expect(after.openCalls.isEmpty && after.anomalies.isEmpty)
                let payments = await world.keeper.read { $0.payments }
                #expect(payments.count == 1 && payments.first?.id == after.references.gatewayTransaction)
                #expect(try await world.questions(id).count == 1)
                // The event of a call without an end has the latest end of the call: its turn comes within 5 seconds,
                // the rest takes at most 90.
                let events = try await log.reader.stream(StreamName.transaction(id), of: "acme")
                for case .gateway(let call) in try events.map(TransactionEvent.init) {
                    let overBy = call.name == .callSent ? call.report.at?.adding(microseconds: 95_000_000) : nil
                    #expect(call.report.overBy == overBy)
                }
                // The gateway's id leads to this payment, for any later report.
                let key = ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: payments.first?.id ?? "")
                let owner = try await log.reader.streams(named: [key.text], of: "acme").values.first
                #expect(owner == StreamName.transaction(id))
            }
        }
    }

    @Test("BridgePay: \"not found\" is no evidence before its time, and afterwards proves that nothing was posted")
    func notPosted() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "dropped=100") { try await $0.sell(1_250) }
            try await World.with(log, books: books) { world in
                let sentAt = log.clock.now()
                guard case .queried(let early) = try await world.ask(id) else {
                    Issue.record("not asked")
                    return
                }
                #expect(early.queries.map(\.answer) == [.pending] && early.state.status == .inDoubt)
                #expect(early.state.openCalls.mayHaveActed)
                let after = try await world.settle(id)
                #expect(after.status == .notPosted && after.openCalls.isEmpty && after.captured == 0)
                #expect(log.clock.now().microseconds(since: sentAt) == 90_000_000)
                let answers = try await world.log.events().filter { $0.type == "OutcomeResolved" }
                #expect(answers.count == 1)
            }
        }
    }

    @Test("BridgePay: several payments of one invoice need review")
    func ambiguous() async throws {
        try await withBooks { log, books in
            let ids = try await World.with(log, books: books, faults: "lost=100") { world in
                [try await world.sell(1_250, invoice: "INV7"), try await world.sell(2_000, invoice: "INV7")]
            }
            try await World.with(log, books: books) { world in
                for id in ids {
                    let after = try await world.settle(id)
                    #expect(after.status == .inDoubt && after.captured == 0)
                    let status = try #require(try await world.status(id))
                    #expect(status.next == .person(rule: "doubt.ambiguous") && status.isShown)
                    #expect(try await world.questions(id).count == 1)
                }
            }
        }
    }

    @Test("BridgePay: E09 leaves the outcome open, and the query finds the host's decision")
    func networkError() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(14_500)
                #expect(try await world.state(id).status == .inDoubt)
                let after = try await world.settle(id)
                let booked = try #require(await world.keeper.read { $0.payments }.first)
                #expect(after.status == (booked.isCharge ? .captured : .declined))
                #expect(after.captured == booked.captured)
            }
        }
    }

    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"

    @Test("Handpoint: UNDEFINED counts as \"not posted\" only after 90 seconds")
    func undefined() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500)
                _ = try await world.ask(id)
                let early = try await world.state(id)
                #expect(early.status == .inDoubt)
                let after = try await world.settle(id)
                #expect(after.status == .notPosted)
            }
        }
    }

    @Test("Handpoint: \"not found\" by the app's own name is never evidence")
    func undefinedName() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500, isReported: false)
                let after = try await world.settle(id, within: 12)
                #expect(after.status == .inDoubt)
                let questions = try await world.questions(id)
                #expect(!questions.isEmpty)
                // A name that is not a transactionReference is not used for queries.
                let named = try await world.beginHandpoint("order-77", cents: 1_500, isReported: false)
                let unasked = try await world.settle(named, within: 12)
                #expect(unasked.status == .inDoubt)
                guard case .person? = try await world.status(named)?.next else {
                    Issue.record("it is not listed for review")
                    return
                }
            }
        }
    }

    @Test("Handpoint: a payment that arrives between queries is found")
    func arrivesLate() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500)
                try await world.sellAtTerminal(Self.reference, cents: 1_500, more: #","arrivesAfterSeconds":60"#)
                _ = try await world.ask(id)
                #expect(try await world.state(id).status == .inDoubt)
                let after = try await world.settle(id)
                #expect(after.status == .captured && after.captured == 1_500)
            }
        }
    }

    @Test("Dejavoo: the terminal is queried for the status of its sale")
    func spin() async throws {
        try await withBooks { log, books in
            let lost = try await World.with(log, books: books, faults: "lost=100") {
                try await $0.sell(1_250, at: "spin")
            }
            try await World.with(log, books: books) { world in
                let after = try await world.settle(lost)
                #expect(after.status == .captured && after.captured == 1_250)
                // The host answered, and the terminal did not receive the answer.
                let unheard = try await world.sell(1_028, at: "spin")
                #expect(try await world.state(unheard).status == .inDoubt)
                let booked = try #require(await world.keeper.read { $0.payments }.last)
                let settled = try await world.settle(unheard)
                #expect(settled.status == .captured && settled.captured == booked.captured)
            }
        }
    }

    @Test("Dejavoo: \"not found\" at a terminal is no evidence while the batch is not known to be open")
    func spinNotFound() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "dropped=100") {
                try await $0.sell(1_250, at: "spin")
            }
            try await World.with(log, books: books) { world in
                let after = try await world.settle(id, within: 12)
                #expect(after.status == .inDoubt)
                let status = try #require(try await world.status(id))
                #expect(status.isShown && Set(status.queries.map(\.answer)) == [.unknown])
            }
        }
    }

    @Test(
        "Unanswered queries leave the doubt open, and are repeated by the schedule",
        arguments: ["lost=100", "malformed=100", "fail=100", "dropped=100", "base64=100"]
    )
    func faultyFind(faults: String) async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            let begun = log.clock.now()
            try await World.with(log, books: books, faults: faults) { world in
                var times: [Int64] = []
                for _ in 0..<5 {
                    guard case .queried(let status) = try await world.ask(id) else {
                        Issue.record("not asked")
                        return
                    }
                    times.append(log.clock.now().microseconds(since: begun) / 1_000_000)
                    #expect(status.state.status == .inDoubt && !status.state.hasApproval)
                }
                // 5 s, 15 s, 30 s, 60 s and 120 s after the previous one; one comes early, when "not posted" would
                // count.
                #expect(times == [5, 20, 50, 90, 210])
                #expect(try await world.state(id).openCalls.calls.map(\.operation) == [.sale])
            }
            try await World.with(log, books: books) { world in
                let after = try await world.settle(id)
                #expect(after.status == .captured && after.captured == 1_250)
            }
        }
    }

    @Test("A gateway that is down is not called, and is queried again by the schedule")
    func down() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            try await World.with(log, books: books, faults: "fail=100", failuresToOpen: 1) { world in
                _ = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                _ = try await world.resolver.resolve(id, isForced: true, sender: World.sender)
                let types = try await log.events().suffix(2).map(\.type)
                #expect(types == ["GatewayCallSent", "GatewayCallFailed"])
                #expect(try await world.status(id)?.queries.map(\.answer) == [.unanswered, .unanswered])
            }
        }
    }

    @Test("Concurrent resolvers query once")
    func race() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books) { world in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask { _ = try await world.resolver.resolve(id, sender: World.sender) }
                    }
                    try await group.waitForAll()
                }
                #expect(try await world.questions(id).count == 1)
                #expect(try await world.state(id).status == .captured)
                #expect(TestLog.faults(of: try await log.events()).isEmpty)
            }
        }
    }

    @Test("A query that the end of a process interrupted is repeated")
    func cutShort() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books) { world in
                // The events left behind by a process that ends while it waits for the answer.
                let sent = TransactionEvent.gateway(
                    GatewayEvent(
                        .callSent,
                        GatewayReport(
                            reference: "F-1",
                            gateway: "bridge",
                            vendor: .bridgepay,
                            operation: .find,
                            at: log.clock.now()
                        )
                    )
                )
                #expect(
                    try await world.recorder.record(
                        [sent],
                        on: StreamName.transaction(id),
                        version: try await world.state(id).version,
                        key: .sample("F-1"),
                        occurredAt: log.clock.now(),
                        sender: World.sender
                    )
                )
                guard case .waiting(let status) = try await world.resolver.resolve(id, sender: World.sender),
                    case .underWay = status.next
                else {
                    Issue.record("queried during another query")
                    return
                }
                let after = try await world.settle(id)
                #expect(after.status == .captured && after.openCalls.isEmpty)
                #expect(try await world.questions(id).count == 2)
            }
        }
    }

    @Test("An interrupted sale is in doubt and is queried")
    func saleCutShort() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                let money = Money(1_250, .usd)
                let report = GatewayReport(
                    reference: id.text,
                    gateway: "bridge",
                    account: "320001",
                    vendor: .bridgepay,
                    operation: .sale,
                    amount: money,
                    at: log.clock.now()
                )
                let events: [TransactionEvent] = [
                    .saleRequested(PaymentRequest(amounts: Amounts(total: money))),
                    .gateway(GatewayEvent(.callSent, report)),
                ]
                #expect(
                    try await world.recorder.record(
                        events,
                        on: stream,
                        version: 0,
                        key: .sample("S-1"),
                        occurredAt: log.clock.now(),
                        sender: World.sender
                    )
                )
                #expect(try await world.state(id).isInDoubt)
                let after = try await world.settle(id)
                #expect(after.status == .notPosted && after.openCalls.isEmpty && !after.isInDoubt)
            }
        }
    }

    @Test("The result of a call is recorded although the caller is cancelled")
    func cancelled() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            log.clock.advance(seconds: 5)
            try await World.with(log, books: books) { world in
                let asking = Task { try await world.resolver.resolve(id, sender: World.sender) }
                asking.cancel()
                _ = try? await asking.value
                // Either nothing was sent, or its end is recorded: no call but the sale is open.
                let left = try await world.state(id)
                #expect(left.openCalls.calls.allSatisfy { $0.operation == .sale })
                let after = try await world.settle(id)
                #expect(after.status == .captured)
            }
        }
    }
}
