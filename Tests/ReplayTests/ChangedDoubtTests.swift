import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Redaction
import Replay
import ReplayRules
import Testing

/// Proposals about payments that change before they are approved.
@Suite("Changed doubts") struct ChangedDoubtTests {
    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a77"

    /// As with every other change: once the call is over, the payment is still another one.
    @Test("A proposal does not outlast a call to a gateway")
    func changed() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.beginHandpoint(Self.reference, cents: 1_500)
                let commands = DoubtCommands(
                    sequencer: log.sequencer,
                    reader: log.reader,
                    proposals: log.proposals,
                    books: World.books,
                    ids: UUIDv7Generator(clock: log.clock),
                    clock: log.clock
                )
                var ann = World.sender
                ann.holder = "ann"
                let ending = DoubtEnding(.declined, evidence: "the portal", reason: "no answer")
                let proposed = try await commands.propose(id, ending, idempotencyKey: nil, sender: ann)
                let version = try #require(try await world.status(id)?.version)
                let report = GatewayReport(
                    reference: "q1",
                    gateway: "hp",
                    vendor: .handpoint,
                    operation: .find,
                    at: log.clock.now()
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
                let actual = try #require(try await world.status(id)?.version)
                let bob = Sender(tenant: "acme", actor: "key:b", correlation: "test", holder: "bob")
                await #expect(throws: IntakeProblem.versionConflict(actual: actual)) {
                    try await commands.approve(proposed.proposal.id, reason: "seen", idempotencyKey: nil, sender: bob)
                }
            }
        }
    }
}
