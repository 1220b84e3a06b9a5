import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Projections
import Redaction
import Replay
import ReplayRules
import Testing

/// Operators resolve doubts by testimony.
@Suite("Doubts resolved by operators") struct DoubtCommandsTests {
    private static func commands(_ log: TestLog) -> DoubtCommands {
        DoubtCommands(
            sequencer: log.sequencer,
            reader: log.reader,
            proposals: log.proposals,
            books: World.books,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    private static func ending(_ outcome: DoubtEnding.Outcome, _ amount: Money? = nil) -> DoubtEnding {
        DoubtEnding(outcome, evidence: "the portal of the gateway", reason: "nobody answers", amount: amount)
    }

    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"

    @Test(
        "Each outcome decides the payment's status",
        arguments: [
            (DoubtEnding.Outcome.approved, TransactionStatus.captured), (.declined, .declined),
            (.notPosted, .notPosted), (.reversed, .reversed),
        ]
    )
    func ends(_ outcome: DoubtEnding.Outcome, _ status: TransactionStatus) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500)
                let commands = Self.commands(log)
                let reported = try await commands.end(
                    id,
                    Self.ending(outcome),
                    idempotencyKey: "k1",
                    sender: World.sender
                )
                #expect(!reported.isDuplicate)
                let state = try await world.state(id)
                #expect(state.status == status && !state.isInDoubt)
                #expect(state.captured == (outcome == .approved ? 1_500 : 0))
                let last = try #require(try await log.reader.stream(StreamName.transaction(id), of: "acme").last)
                #expect(last.type == "OutcomeResolved" && last.actor == "key:b")
                guard case .outcomeResolved(let resolution) = try TransactionEvent(last) else { return }
                #expect(resolution.means == .testimony)
                #expect(resolution.testimony?.evidence == "the portal of the gateway")
                let approval = try #require(resolution.testimony?.approval)
                #expect(approval.proposedBy == "test" && approval.proposer == "ann" && approval.approver == "bob")
                // A duplicate request is recognised; another request under its key is not.
                let again = try await commands.end(id, Self.ending(outcome), idempotencyKey: "k1", sender: World.sender)
                #expect(again.isDuplicate && again.position == reported.position)
                await #expect(throws: DoubtCommands.Refusal.nothingInDoubt) {
                    try await commands.end(id, Self.ending(outcome), idempotencyKey: "k2", sender: World.sender)
                }
            }
        }
    }

    @Test("A later answer of the gateway is recorded, and the contradiction is flagged")
    func contradicted() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            try await World.with(log, books: books) { world in
                let commands = Self.commands(log)
                _ = try await commands.end(id, Self.ending(.declined), idempotencyKey: nil, sender: World.sender)
                let denied = try await world.state(id)
                #expect(denied.status == .declined && !denied.isInDoubt && denied.openCalls.isEmpty)
                let approved = Approval(
                    amounts: Amounts(total: Money(1_250, .usd)),
                    evidence: .gateway,
                    response: Response(code: "A01"),
                    references: References()
                )
                _ = try await world.recorder.record(
                    [.authorizationApproved(approved)],
                    from: nil,
                    stream: StreamName.transaction(id),
                    keys: [],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                let state = try await world.state(id)
                #expect(state.anomalies.contains { $0.kind == .conflictingOutcome })
            }
        }
    }

    @Test("The amount is at most the requested one, in the payment's currency")
    func amounts() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let unknown = Verdict(evidence: .reader, response: Response(code: "E02"))
                _ = try await world.recorder.record(
                    [.saleRequested(PaymentRequest(amounts: nil)), .outcomeUnknown(unknown)],
                    from: nil,
                    stream: StreamName.transaction(id),
                    keys: [],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                let commands = Self.commands(log)
                // Nothing was requested, so nothing bounds an amount.
                for amount in [nil, Money(990, .usd)] {
                    await #expect(throws: DoubtCommands.Refusal.amountMissing) {
                        let ending = Self.ending(.approved, amount)
                        return try await commands.end(id, ending, idempotencyKey: nil, sender: World.sender)
                    }
                }
                let euros = try await world.beginHandpoint(Self.reference, cents: 1_500)
                await #expect(throws: DoubtCommands.Refusal.amountImpossible) {
                    let dollars = Self.ending(.approved, Money(1_500, .usd))
                    return try await commands.end(euros, dollars, idempotencyKey: nil, sender: World.sender)
                }
                for cents in [0, -1_500, 1_501, 100_000_000] as [Int64] {
                    await #expect(throws: DoubtCommands.Refusal.amountImpossible) {
                        let other = Self.ending(.approved, Money(cents, .eur))
                        return try await commands.end(euros, other, idempotencyKey: nil, sender: World.sender)
                    }
                }
                let part = Self.ending(.approved, Money(1_000, .eur))
                _ = try await commands.end(euros, part, idempotencyKey: nil, sender: World.sender)
                #expect(try await world.state(euros).status == .partiallyApproved)
            }
        }
    }

    @Test(
        "A call in progress takes precedence until its recorded end",
        arguments: [0, 12] as [Int64]
    )
    func underWay(_ lasts: Int64) async throws {
        let waits = lasts == 0 ? DoubtStatus.longestCallSeconds : lasts + DoubtStatus.clockSlackSeconds
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500)
                let version = try #require(try await world.status(id)?.version)
                let report = GatewayReport(
                    reference: "q1",
                    gateway: "hp",
                    vendor: .handpoint,
                    operation: .find,
                    at: log.clock.now(),
                    overBy: lasts == 0 ? nil : log.clock.now().adding(microseconds: lasts * 1_000_000)
                )
                let isSent = try await world.recorder.record(
                    [.gateway(GatewayEvent(.callSent, report))],
                    on: StreamName.transaction(id),
                    version: version,
                    key: IdempotencyKey(key: [3], request: [3]),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                #expect(isSent)
                let commands = Self.commands(log)
                await #expect(throws: DoubtCommands.Refusal.callUnderWay) {
                    try await commands.end(id, Self.ending(.declined), idempotencyKey: nil, sender: World.sender)
                }
                log.clock.advance(seconds: waits - 1)
                await #expect(throws: DoubtCommands.Refusal.callUnderWay) {
                    try await commands.end(id, Self.ending(.declined), idempotencyKey: nil, sender: World.sender)
                }
                log.clock.advance(seconds: 1)
                _ = try await commands.end(id, Self.ending(.declined), idempotencyKey: nil, sender: World.sender)
                #expect(try await world.state(id).status == .declined)
            }
        }
    }

    @Test("A capture in doubt is at most what is left to capture")
    func captures() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = UUIDv7Generator(clock: log.clock).next()
                let total = Amounts(total: Money(10_000, .usd))
                _ = try await world.recorder.record(
                    [
                        .authorizationRequested(PaymentRequest(amounts: total)),
                        .authorizationApproved(
                            Approval(amounts: total, evidence: .gateway, response: Response(), references: References())
                        ),
                        .captured(Capture(id: "1", amounts: Amounts(total: Money(6_000, .usd)), evidence: .gateway)),
                        .anomalyRaised(.followUpInDoubt(.capture)),
                    ],
                    from: nil,
                    stream: StreamName.transaction(id),
                    keys: [],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                let commands = Self.commands(log)
                await #expect(throws: DoubtCommands.Refusal.amountImpossible) {
                    let ending = Self.ending(.approved, Money(4_001, .usd))
                    return try await commands.end(id, ending, idempotencyKey: nil, sender: World.sender)
                }
                let ending = Self.ending(.approved, Money(4_000, .usd))
                _ = try await commands.end(id, ending, idempotencyKey: nil, sender: World.sender)
                #expect(try await world.state(id).captured == 10_000)
            }
        }
    }

    @Test(
        "The doubt about a void is resolved without a change of the payment, or with it",
        arguments: [(DoubtEnding.Outcome.declined, TransactionStatus.captured), (.approved, .reversed)]
    )
    func followUp(_ outcome: DoubtEnding.Outcome, _ status: TransactionStatus) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250)
                _ = try await world.recorder.record(
                    [.anomalyRaised(.followUpInDoubt(.void))],
                    from: nil,
                    stream: StreamName.transaction(id),
                    keys: [],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: World.sender
                )
                #expect(try await world.status(id)?.cause?.followUp == FollowUpInDoubt(.void))
                let commands = Self.commands(log)
                let version = try #require(try await world.status(id)?.version)
                await #expect(throws: IntakeProblem.self) {
                    try await commands.end(
                        id,
                        Self.ending(outcome),
                        version: version - 1,
                        idempotencyKey: nil,
                        sender: World.sender
                    )
                }
                _ = try await commands.end(
                    id,
                    Self.ending(outcome),
                    version: version,
                    idempotencyKey: nil,
                    sender: World.sender
                )
                let state = try await world.state(id)
                #expect(state.status == status && !state.isInDoubt)
            }
        }
    }

    @Test("The list separates payments that need review from those that are queried")
    func worklist() async throws {
        try await withBooks { log, books in
            let asked = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            try await World.with(log, books: books) { world in
                let due = try await world.sell(3_000)
                try await world.fail(due)
                log.clock.advance(seconds: 1)
                let ambiguous = try await world.beginHandpoint("not/a/uuid", cents: 700)
                _ = try await world.resolver.resolve(ambiguous, isForced: true, sender: World.sender)
                let models: [any Projection] = [TransactionsProjection(), MerchantsProjection(), ReadersProjection()]
                let readModels = ReadModels(models, pool: log.pool, reader: log.reader)
                try await readModels.install()
                let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
                let following = Task { await follower.run() }
                let head = try await log.reader.head()
                #expect(try await readModels.wait(for: "transactions", toReach: head, timeout: .seconds(60)))
                let list = DoubtWorklist(
                    query: DoubtQuery(pool: log.pool),
                    resolver: world.resolver,
                    clock: log.clock
                )
                func ids(
                    _ filter: DoubtWorklist.Filter = .init(),
                    _ order: DoubtQuery.Order = .age,
                    limit: Int = 10
                ) async throws -> [UUID128] {
                    var found: [UUID128] = []
                    var place: DoubtQuery.Place?
                    repeat {
                        let page = try await list.page(
                            of: "acme",
                            matching: filter,
                            sortedBy: order,
                            after: place,
                            limit: limit
                        )
                        found += page.items.map(\.payment.transaction)
                        place = page.next
                    } while place != nil
                    return found
                }
                for limit in [1, 2, 10] {
                    #expect(Set(try await ids(limit: limit)) == [asked, due, ambiguous])
                    #expect(try await ids(.init(), .value, limit: limit) == [due, asked, ambiguous])
                    var filter = DoubtWorklist.Filter()
                    filter.needsPerson = false
                    #expect(try await ids(filter, limit: limit) == [asked])
                    filter.needsPerson = true
                    #expect(Set(try await ids(filter, limit: limit)) == [due, ambiguous])
                }
                var old = DoubtWorklist.Filter()
                old.olderThanSeconds = 1
                #expect(Set(try await ids(old)) == [asked, due])
                let item = try #require(try await list.item(asked, of: "acme"))
                #expect(item.attention == nil && item.gateways == ["bridge"] && item.nextAt != nil)
                #expect(item.status.cause?.event == "OutcomeUnknown")
                let reversal = try #require(try await list.item(due, of: "acme"))
                #expect(reversal.attention?.rule == "reversal.off" && reversal.reversing == ["bridge"])
                let refused = try #require(try await list.item(ambiguous, of: "acme"))
                #expect(refused.attention?.rule == "doubt.ambiguous" && refused.attention?.isNeeded == true)
                #expect(refused.status.queries.map(\.answer) == [.refused])
                let risk = try await list.risk(of: "acme", matching: .init())
                #expect(risk.map(\.value) == [700, 4_250])
                following.cancel()
                await following.value
            }
        }
    }
}

extension DoubtCommands {
    /// Proposes as one operator and approves as another.
    fileprivate func end(
        _ id: UUID128,
        _ ending: DoubtEnding,
        version: Int64? = nil,
        idempotencyKey key: String?,
        sender: Sender
    ) async throws -> Outcome {
        var ann = sender
        ann.holder = "ann"
        let proposed = try await propose(id, ending, version: version, idempotencyKey: key, sender: ann)
        let bob = Sender(tenant: sender.tenant, actor: "key:b", correlation: "test", holder: "bob")
        return try await approve(proposed.proposal.id, reason: "seen", idempotencyKey: key, sender: bob)
    }
}
