import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Replay
import Testing

/// Payments that were sent to the host and not answered.
@Suite("Silence") struct SilenceTests {
    private static let sale = TransactionEvent.saleRequested(
        PaymentRequest(amounts: Amounts(total: Money(1_250, .usd)))
    )
    private static let sent = TransactionEvent.device(DeviceEvent(.authorizationSent, DeviceReport()))
    private static let approval = TransactionEvent.authorizationApproved(
        Approval(
            amounts: Amounts(total: Money(1_250, .usd)),
            evidence: .relayed,
            response: Response(code: "00"),
            references: References()
        )
    )
    private static let decline = TransactionEvent.declined(Verdict(evidence: .relayed, response: Response(code: "05")))

    private func record(_ facts: [TransactionEvent], on stream: String, _ world: World) async throws {
        _ = try await world.recorder.record(
            facts,
            from: nil,
            stream: stream,
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: world.log.clock.now(),
            sender: World.sender
        )
    }

    @Test(
        "Only what was sent and not answered is in doubt, and only after the time",
        arguments: [
            ([sale, sent], 180, true), ([sale, sent], 179, false), ([sale], 180, false),
            ([sale, sent, approval], 180, false), ([sale, sent, decline], 180, false),
            ([sale, approval, sent], 180, false),
        ] as [([TransactionEvent], Int64, Bool)]
    )
    func doubt(_ facts: [TransactionEvent], seconds: Int64, isDoubted: Bool) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                try await record(facts, on: stream, world)
                log.clock.advance(seconds: seconds)
                let since = log.clock.now().adding(microseconds: -180_000_000)
                let recorder = world.recorder
                #expect(try await recorder.recordSilence(of: id, since: since, sender: World.sender) == isDoubted)
                let state = try await world.state(id)
                #expect((state.status == .inDoubt) == isDoubted)
                guard isDoubted else { return }
                #expect(state.verdicts.reader?.response.code == "no-answer")
                // It is recorded once, and a late answer ends the doubt.
                #expect(try await !recorder.recordSilence(of: id, since: log.clock.now(), sender: World.sender))
                try await record([Self.approval], on: stream, world)
                #expect(try await world.state(id).status == .authorized)
            }
        }
    }

    @Test("A further attempt after a decline that ends in silence is in doubt, once, until it is answered")
    func furtherAttempt() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                func doubt() async throws -> Bool {
                    log.clock.advance(seconds: 180)
                    let since = log.clock.now().adding(microseconds: -180_000_000)
                    return try await world.recorder.recordSilence(of: id, since: since, sender: World.sender)
                }
                try await record([Self.sale, Self.sent, Self.decline], on: stream, world)
                #expect(try await !doubt())
                try await record([Self.sent], on: stream, world)
                #expect(try await doubt())
                #expect(try await world.state(id).anomalies == [.followUpInDoubt(.paymentAttempt)])
                #expect(try await !doubt())
                try await record([Self.decline], on: stream, world)
                #expect(try await !world.state(id).isInDoubt)
                #expect(try await !doubt())
            }
        }
    }

    @Test("A follow-up that was asked for and not answered is in doubt, once, until it is reported")
    func followUp() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                let detail = Detail(AskedFollowUps.detail, FollowUp.capture.rawValue)
                let asked = TransactionEvent.device(DeviceEvent(.commandSent, DeviceReport(details: [detail])))
                let total = Amounts(total: Money(1_250, .usd))
                let hold = TransactionEvent.authorizationRequested(PaymentRequest(amounts: total))
                try await record([hold, Self.approval, asked], on: stream, world)
                log.clock.advance(seconds: 180)
                func doubt() async throws -> Bool {
                    let since = log.clock.now().adding(microseconds: -180_000_000)
                    return try await world.recorder.recordSilence(of: id, since: since, sender: World.sender)
                }
                #expect(try await doubt())
                #expect(try await world.state(id).anomalies == [.followUpInDoubt(.capture)])
                log.clock.advance(seconds: 180)
                #expect(try await !doubt())
                let captured = Capture(id: "1", amounts: total, evidence: .relayed)
                try await record([.captured(captured)], on: stream, world)
                #expect(try await world.state(id).status == .captured)
                #expect(try await !world.state(id).isInDoubt)
                log.clock.advance(seconds: 180)
                #expect(try await !doubt())
            }
        }
    }

    @Test(
        "Every follow-up that was not answered is in doubt, and its late outcome ends the doubt",
        arguments: [
            (FollowUp.refund, .refunded(Return(id: "r", amount: Money(500, .usd), evidence: .gateway))),
            (.tipAdjustment, .tipAdjusted(TipAdjustment(tip: Money(100, .usd), evidence: .gateway))),
            (.void, .voided(Return(id: "v", evidence: .gateway))),
            (.void, .followUpRefused(FollowUpRefusal(.void, outcome: .declined, evidence: .gateway))),
            (.refund, .followUpRefused(FollowUpRefusal(.refund, outcome: .failed, evidence: .relayed))),
        ] as [(FollowUp, TransactionEvent)]
    )
    func unanswered(_ followUp: FollowUp, outcome: TransactionEvent) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                let total = Amounts(total: Money(1_250, .usd))
                let captured = TransactionEvent.captured(
                    Capture(id: Capture.saleID, amounts: total, evidence: .relayed)
                )
                let detail = Detail(AskedFollowUps.detail, followUp.rawValue)
                let asked = TransactionEvent.device(DeviceEvent(.commandSent, DeviceReport(details: [detail])))
                try await record([Self.sale, Self.approval, captured, asked], on: stream, world)
                log.clock.advance(seconds: 180)
                let since = log.clock.now().adding(microseconds: -180_000_000)
                #expect(try await world.recorder.recordSilence(of: id, since: since, sender: World.sender))
                #expect(try await world.state(id).anomalies == [.followUpInDoubt(followUp)])
                try await record([outcome], on: stream, world)
                #expect(try await !world.state(id).isInDoubt)
                #expect(try await !world.state(id).awaitsAnswer)
            }
        }
    }

    @Test("A payment whose follow-up was answered before it was asked for does not keep others waiting")
    func answeredBefore() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                let detail = Detail(AskedFollowUps.detail, FollowUp.void.rawValue)
                let asked = TransactionEvent.device(DeviceEvent(.commandSent, DeviceReport(details: [detail])))
                let total = Money(1_250, .usd)
                let void = Return(id: "v", amount: total, evidence: .relayed)
                try await record([Self.sale, Self.approval, .voided(void)], on: stream, world)
                try await record([asked], on: stream, world)
                log.clock.advance(seconds: 180)
                let since = log.clock.now().adding(microseconds: -180_000_000)
                #expect(try await !world.recorder.recordSilence(of: id, since: since, sender: World.sender))
                #expect(try await !world.state(id).awaitsAnswer)
            }
        }
    }

    @Test("Any report since the time keeps the payment out of doubt")
    func laterReport() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let stream = StreamName.transaction(id)
                try await record([Self.sale, Self.sent], on: stream, world)
                log.clock.advance(seconds: 179)
                let pin = TransactionEvent.device(DeviceEvent(.pinRequested, DeviceReport()))
                try await record([pin], on: stream, world)
                log.clock.advance(seconds: 179)
                let since = log.clock.now().adding(microseconds: -180_000_000)
                #expect(try await !world.recorder.recordSilence(of: id, since: since, sender: World.sender))
            }
        }
    }
}
