import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Gateways
import Intake
import Payments
import Projections
import Replay
import ReplayRules
import Simulator
import Testing

/// Voids, captures, tips and refunds that Daybook requested and that were never sent are resubmitted.
@Suite("Resubmitted follow-ups") struct FollowUpTests {
    private static func usd(_ cents: Int64) -> Money { Money(cents, .usd) }

    /// Requests a follow-up on a payment, with a recorded call.
    private static func ask(
        _ operation: GatewayOperation,
        of id: UUID128,
        amount: Money? = nil,
        tip: Money? = nil,
        _ world: World
    ) async throws -> GatewayOutcome? {
        let history = try await world.log.reader.stream(StreamName.transaction(id), of: "acme")
        let state = TransactionState(folding: try history.map(TransactionEvent.init))
        let gateway = try world.account(at: "bridge")
        return try await GatewayCaller(recorder: world.recorder, clock: world.log.clock).call(
            GatewayCall(
                operation,
                reference: UUIDv7Generator(clock: world.log.clock).next().text,
                original: OriginalPayment(gatewayTransaction: state.references.gatewayTransaction),
                amount: amount,
                tip: tip
            ),
            at: gateway,
            GatewayCaller.Subject(
                stream: StreamName.transaction(id),
                version: Int64(history.count),
                accounts: World.accounts
            ),
            sender: World.sender
        )
    }

    private static func planned(_ plan: UUID128, _ replaying: Replaying) async throws -> [JSONValue] {
        try await replaying.caughtUp()
        return try await replaying.query.items(of: plan, tenant: "acme", limit: 10).map {
            try JSONValue(parsing: $0.reported.utf8)
        }
    }

    /// Plans, approves and executes everything that can be resubmitted for one payment.
    ///
    /// - Returns: The planned items, and their ends.
    private static func replay(
        _ id: UUID128,
        _ world: World
    ) async throws -> (items: [JSONValue], ends: [ReplayItemEnd.End: Int64]) {
        try await Replaying.with(world) { replaying in
            let plan = try await replaying.plan(.transactions([id])).plan
            let items = try await planned(plan, replaying)
            guard items.contains(where: { $0["disposition"] == "resubmit" }) else { return (items, [:]) }
            try await replaying.act(.approve, on: plan)
            try await replaying.act(.start, on: plan)
            let end = try await replaying.drive(plan, [replaying.process(), replaying.process()])
            #expect(end.status == .completed, "\(end)")
            return (items, end.ends)
        }
    }

    /// A follow-up, its original payment, and the expected state once it succeeds.
    struct Row: Sendable, CustomStringConvertible {
        var operation: GatewayOperation
        var replay: ReplayOperation
        var payment = GatewayOperation.sale
        var amount: Int64?
        var tip: Int64?
        var isSettled = false
        var status: TransactionStatus
        var captured: Int64
        var refunded: Int64 = 0

        var description: String { operation.rawValue }
    }

    static let rows = [
        Row(operation: .void, replay: .void, status: .voided, captured: 0),
        Row(
            operation: .capture,
            replay: .capture,
            payment: .authorization,
            amount: 1_250,
            status: .captured,
            captured: 1_250
        ),
        Row(
            operation: .tipAdjustment,
            replay: .tipAdjustment,
            amount: 1_450,
            tip: 200,
            status: .captured,
            captured: 1_450
        ),
        Row(
            operation: .refund,
            replay: .refund,
            amount: 500,
            isSettled: true,
            status: .partiallyRefunded,
            captured: 1_250,
            refunded: 500
        ),
    ]

    @Test("A follow-up that was never sent is submitted once and takes effect once", arguments: rows)
    func resubmitted(row: Row) async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250, operation: row.payment)
                if row.isSettled { try await world.closeBatch(of: id, cents: 1_250) }
                return id
            }
            try await World.with(log, books: books, isDown: true) { world in
                let outcome = try await Self.ask(
                    row.operation,
                    of: id,
                    amount: row.amount.map(Self.usd),
                    tip: row.tip.map(Self.usd),
                    world
                )
                guard case .notSent? = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    return
                }
            }
            try await World.with(log, books: books) { world in
                let (items, ends) = try await Self.replay(id, world)
                #expect(items.count == 1 && items.first?["operation"]?.string == row.replay.rawValue, "\(items)")
                #expect(ends == [.posted: 1], "\(items)")
                let state = try await world.state(id)
                #expect(state.status == row.status && !state.isInDoubt && state.anomalies.isEmpty, "\(state.anomalies)")
                #expect(state.openCalls.isEmpty)
                let refunded = state.refunds.reduce(0) { $0 + $1.amount }
                if row.captured > 0 { #expect(state.captured == row.captured) }
                #expect(refunded == row.refunded)
                let booked = await world.keeper.read { books in books.payments }
                let payment = try #require(booked.first { $0.kind != .refund })
                #expect(payment.state == (row.operation == .void ? .voided : .captured))
                if row.operation != .void {
                    #expect(payment.captured == row.captured && payment.refunded == row.refunded)
                }
                #expect(payment.tip == row.tip ?? 0)
                #expect(booked.count == (row.operation == .refund ? 2 : 1))
                // Nothing is left to resubmit.
                let again = try await Self.replay(id, world)
                #expect(again.ends == [:], "\(again.items)")
                #expect(TestLog.faults(of: try await log.events()).isEmpty)
            }
        }
    }

    @Test(
        "A follow-up that may have taken effect is not resubmitted",
        arguments: [GatewayOperation.void, .capture, .tipAdjustment, .refund]
    )
    func inDoubt(operation: GatewayOperation) async throws {
        let row = try #require(Self.rows.first { $0.operation == operation })
        try await withBooks { log, books in
            let id = try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250, operation: row.payment)
                if row.isSettled { try await world.closeBatch(of: id, cents: 1_250) }
                return id
            }
            try await World.with(log, books: books, faults: "lost=100") { world in
                _ = try await Self.ask(
                    operation,
                    of: id,
                    amount: row.amount.map(Self.usd),
                    tip: row.tip.map(Self.usd),
                    world
                )
            }
            log.clock.advance(seconds: 3_600)
            try await World.with(log, books: books) { world in
                let before = await world.keeper.read { $0.payments }
                let (items, ends) = try await Self.replay(id, world)
                let dispositions = items.compactMap { $0["disposition"]?.string }
                #expect(!dispositions.isEmpty && !dispositions.contains("resubmit") && ends == [:], "\(items)")
                #expect(try await world.state(id).isInDoubt)
                #expect(await world.keeper.read { $0.payments } == before)
            }
        }
    }

    @Test("A follow-up that the gateway refused permanently is not resubmitted")
    func refused() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250)
                try await world.closeBatch(of: id, cents: 1_250)
                // More than the captured amount.
                let outcome = try await Self.ask(.refund, of: id, amount: Self.usd(9_000), world)
                guard case .answered? = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    return
                }
                let (items, _) = try await Self.replay(id, world)
                #expect(items.count == 1 && items.first?["operation"] == "refund", "\(items)")
                #expect(items.first?["disposition"] == "never", "\(items)")
                #expect(await world.keeper.read { books in books.payments.count } == 1)
            }
        }
    }

    // MARK: Reported by apps

    private static func append(_ events: [TransactionEvent], of id: UUID128, _ world: World) async throws {
        _ = try await world.recorder.record(
            events,
            from: nil,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: world.log.clock.now(),
            sender: World.sender
        )
    }

    private static func refusal(
        _ followUp: FollowUp,
        _ outcome: FollowUpRefusal.Outcome = .failed,
        amount: Int64? = nil,
        tip: Int64? = nil,
        code: String = "30043"
    ) -> TransactionEvent {
        .followUpRefused(
            FollowUpRefusal(
                followUp,
                outcome: outcome,
                amount: amount.map(usd),
                isWhole: followUp == .void,
                tip: tip.map(usd),
                evidence: .gateway,
                response: Response(code: code)
            )
        )
    }

    @Test("A failed follow-up of an app is submitted once and takes effect once", arguments: rows)
    func reportedByApp(row: Row) async throws {
        let followUp = try #require(FollowUp(rawValue: row.replay.rawValue))
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250, operation: row.payment)
                if row.isSettled { try await world.closeBatch(of: id, cents: 1_250) }
                try await Self.append([Self.refusal(followUp, amount: row.amount, tip: row.tip)], of: id, world)
                // A refund has a longer wait; a void must not wait that long.
                log.clock.advance(seconds: row.operation == .refund ? 86_400 : 3_600)
                let (items, ends) = try await Self.replay(id, world)
                #expect(items.count == 1 && items.first?["operation"]?.string == row.replay.rawValue, "\(items)")
                #expect(ends == [.posted: 1], "\(items)")
                let state = try await world.state(id)
                #expect(state.status == row.status && !state.isInDoubt && state.anomalies.isEmpty, "\(state.anomalies)")
                let again = try await Self.replay(id, world)
                #expect(again.ends == [:], "\(again.items)")
                let payments = await world.keeper.read { $0.payments }
                #expect(payments.count == (row.operation == .refund ? 2 : 1))
            }
        }
    }

    @Test("A follow-up that was refused permanently, has no amount, was cancelled or completed is not resubmitted")
    func notReportedEnough() async throws {
        let given = TransactionEvent.refunded(Return(id: "refund:1", amount: Self.usd(500), evidence: .gateway))
        let rows: [([TransactionEvent], disposition: JSONValue?, rule: JSONValue?)] = [
            ([Self.refusal(.refund, amount: 500, code: "30034")], "never", "bridgepay.result.30034"),
            ([Self.refusal(.refund)], "needs-person", "replay.incomplete-request"),
            ([Self.refusal(.tipAdjustment)], "never", nil),
            ([Self.refusal(.refund, amount: 500), Self.refusal(.refund, .cancelled, amount: 500)], nil, nil),
            ([Self.refusal(.refund, amount: 500), given], nil, nil),
        ]
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                for (events, disposition, rule) in rows {
                    let id = try await world.sell(1_250)
                    try await world.closeBatch(of: id, cents: 1_250)
                    try await Self.append(events, of: id, world)
                    log.clock.advance(seconds: 86_400)
                    let (items, ends) = try await Self.replay(id, world)
                    let followUps = items.filter { $0["operation"] != "sale" }
                    #expect(followUps.first?["disposition"] == disposition && ends == [:], "\(items)")
                    if let rule { #expect(followUps.first?["rule"] == rule, "\(items)") }
                }
                #expect(await world.keeper.read { books in books.payments.count } == rows.count)
            }
        }
    }
}
