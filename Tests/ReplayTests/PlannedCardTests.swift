import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Projections
import Replay
import ReplayRules
import Testing

/// Only the approved card is charged.
@Suite("The card of a plan") struct PlannedCardTests {
    private static let first = "11110000000000001111"
    private static let second = "22220000000000002222"
    private static let till = Sender(tenant: "acme", actor: "key:till", correlation: "till-1")

    private static func sender(_ name: String, _ holder: String?) -> Sender {
        Sender(tenant: "acme", actor: name, correlation: "till-1", holder: holder)
    }

    private static func tokens(_ id: UUID128, _ log: TestLog) async throws -> [RecordedEvent] {
        try await log.reader.stream(StreamName.transaction(id), of: "acme").filter { $0.type == "CardTokenKept" }
    }

    @Test("A token stored after the approval is not charged, and the log shows who stored it")
    func replaced() async throws {
        try await withBooks { log, books in
            let id = try #require(try await ReplayExecutionTests.unposted(1, log, books).first)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    _ = try await replaying.cardTokenCommands.keep(Self.first, of: id, sender: World.sender)
                    // Storing the same token again changes nothing.
                    _ = try await replaying.cardTokenCommands.keep(Self.first, of: id, sender: Self.till)
                    #expect(try await Self.tokens(id, log).map(\.actor) == [World.sender.actor])
                    let plan = try await replaying.plan(.transactions([id])).plan
                    try await replaying.act(.approve, on: plan)
                    // Another sender cannot replace it.
                    let other = try await replaying.cardTokenCommands.keep(Self.second, of: id, sender: Self.till)
                    #expect(other.proposal != nil)
                    _ = try await replaying.cardTokenCommands.keep(Self.second, of: id, sender: World.sender)
                    try await replaying.act(.start, on: plan)
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.status == .completed && end.ends == [.movedOn: 1], "\(end)")
                    let item = try #require(try await replaying.query.items(of: plan, tenant: "acme", limit: 1).first)
                    #expect(item.rule == "replay.other-card", "\(item)")
                    #expect(try await replaying.attempts(id).count == 1)
                    let reported = try await Self.tokens(id, log)
                    #expect(reported.map(\.actor) == [World.sender.actor, World.sender.actor])
                    for event in try await log.events() {
                        #expect(!event.data.contains(Self.first) && !event.data.contains(Self.second))
                    }
                    // Approving a plan for that card charges it.
                    let next = try await replaying.plan(.transactions([id])).plan
                    try await replaying.act(.approve, on: next)
                    try await replaying.act(.start, on: next)
                    #expect(try await replaying.drive(next, [replaying.process()]).ends == [.posted: 1])
                }
            }
        }
    }

    @Test("A token for another sender's payment needs two operators, who both send it")
    func twoOperators() async throws {
        try await withBooks { log, books in
            let id = try #require(try await ReplayExecutionTests.unposted(1, log, books).first)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    let commands = replaying.cardTokenCommands
                    let ann = Self.sender("key:a", "ann")
                    let proposal = try #require(try await commands.keep(Self.first, of: id, sender: ann).proposal)
                    #expect(try await Self.tokens(id, log).isEmpty)
                    let refused: [(String, Sender, Proposals.Refusal)] = [
                        (Self.first, ann, .ownProposal), (Self.first, Self.sender("key:a2", " ANN"), .ownProposal),
                        (Self.first, Self.sender("key:x", nil), .unknownHolder),
                        (Self.first, Self.sender("cli:root", "root"), .unknownHolder),
                    ]
                    for (token, sender, refusal) in refused {
                        await #expect(throws: refusal) {
                            try await commands.keep(token, of: id, approving: proposal, sender: sender)
                        }
                    }
                    let bob = Self.sender("key:b", "bob")
                    await #expect(throws: CardVault.Refusal.otherToken) {
                        try await commands.keep(Self.second, of: id, approving: proposal, sender: bob)
                    }
                    let both = try await commands.keep(Self.first, of: id, approving: proposal, sender: bob)
                    #expect(both.proposal == nil)
                    let kept = try #require(try await Self.tokens(id, log).last)
                    #expect(kept.actor == "key:b")
                    // The sender of a token replaces it.
                    #expect(try await commands.keep(Self.second, of: id, sender: bob).proposal == nil)
                    for event in try await log.events() {
                        #expect(!event.data.contains(Self.first) && !event.data.contains(Self.second))
                    }
                }
            }
        }
    }

    @Test("A token stored without an event is not charged either")
    func unrecorded() async throws {
        try await withBooks { log, books in
            let id = try #require(try await ReplayExecutionTests.unposted(1, log, books).first)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    _ = try await replaying.cardTokenCommands.keep(Self.first, of: id, sender: World.sender)
                    let plan = try await replaying.plan(.transactions([id])).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    _ = try await replaying.vault.keep(Self.second, of: id, tenant: "acme")
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.status == .completed && end.ends == [.needsPerson: 1], "\(end)")
                    let item = try #require(try await replaying.query.items(of: plan, tenant: "acme", limit: 1).first)
                    #expect(item.rule == "replay.other-card", "\(item)")
                    #expect(try await replaying.charges(id).isEmpty)
                    #expect(try await replaying.attempts(id).count == 1)
                }
            }
        }
    }

    @Test("A digest distinguishes tokens, and cannot be computed without the key")
    func digests() async throws {
        try await TestLog.with { log in
            let ids = UUIDv7Generator(clock: log.clock)
            let (one, other) = (ids.next(), ids.next())
            func vault(_ byte: UInt8) -> CardVault {
                CardVault(pool: log.pool, key: Array(repeating: byte, count: 32), clock: log.clock)
            }
            let digest = try vault(1).digest(Self.first, of: one, tenant: "acme")
            #expect(try vault(1).digest(Self.first, of: one, tenant: "acme") == digest)
            #expect(digest.hasPrefix("hmac-sha256:") && digest.utf8.count == 12 + 64)
            let others = [
                try vault(2).digest(Self.first, of: one, tenant: "acme"),
                try vault(1).digest(Self.second, of: one, tenant: "acme"),
                try vault(1).digest(Self.first, of: other, tenant: "acme"),
                try vault(1).digest(Self.first, of: one, tenant: "other"),
            ]
            #expect(Set(others + [digest]).count == 5)
            #expect(throws: CardVault.Refusal.cardNumber) {
                try vault(1).digest("4111111111111111", of: one, tenant: "acme")
            }
            #expect(throws: CardVault.Refusal.noVault) {
                try CardVault(pool: log.pool, key: nil, clock: log.clock).digest(Self.first, of: one, tenant: "acme")
            }
            _ = try await vault(1).keep(Self.first, of: one, tenant: "acme")
            #expect(try await vault(1).held([one, other], tenant: "acme") == [one: digest])
            #expect(try await vault(1).token(of: one, tenant: "acme")?.digest == digest)
            // Another key decrypts nothing.
            #expect(try await vault(2).held([one], tenant: "acme").isEmpty)
        }
    }
}

extension CardTokenCommands.Sent {
    /// The id of the proposal; nil for a token that is kept.
    fileprivate var proposal: UUID128? {
        if case .proposed(let outcome) = self { outcome.proposal.id } else { nil }
    }
}
