import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Payments
import Replay
import ReplayRules
import Simulator
import Testing

/// Whatever fails: a doubt is resolved according to the gateway's books, or waits for review.
@Suite("Unknown outcomes with random faults") struct ResolverPropertyTests {
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func doubtsEndByEvidence(seed: UInt64) async throws {
        try await withBooks { log, books in
            let faults = "lost=25,dropped=20,malformed=10,fail=10,duplicate=5,utf-16=5,base64=5"
            try await World.with(log, books: books, faults: faults, seed: seed) { world in
                var random = SeededGenerator(seed: seed)
                var ids: [UUID128] = []
                for number in 0..<24 {
                    let cents = Int64.random(in: 500...18_000, using: &random)
                    ids.append(try await world.sell(cents, at: number % 3 == 2 ? "spin" : "bridge"))
                    log.clock.advance(seconds: Int64.random(in: 0...20, using: &random))
                }
                for id in ids {
                    let after = try await world.settle(id)
                    let payments = await world.keeper.read { $0.payments.filter { $0.reference == id.text } }
                    let captured = payments.filter(\.isCharge).reduce(0) { $0 + $1.captured }
                    #expect(payments.count <= 1, "\(id) was sent once")
                    if after.isInDoubt {
                        let status = try #require(try await world.status(id))
                        #expect(status.isShown, "\(id) waits unseen")
                        #expect(after.captured == 0)
                    } else {
                        #expect(after.captured == captured, "\(id) \(after.status)")
                        #expect(after.openCalls.mayHaveActed == false)
                    }
                    // Nothing is approved without a charge at the gateway.
                    if after.hasApproval { #expect(captured > 0) }
                }
                #expect(TestLog.faults(of: try await log.events()).isEmpty)
            }
        }
    }
}
