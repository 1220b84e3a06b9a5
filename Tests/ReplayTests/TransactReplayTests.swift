import Canonical
import DaybookTestKit
import GatewayStandIn
import Gateways
import Payments
import Projections
import Replay
import ReplayRules
import Simulator
import Testing

/// iPOS Transact accepts names of at most twenty characters.
@Suite("Replays at iPOS Transact") struct TransactReplayTests {
    @Test("A declined payment is resubmitted under a name that the interface accepts")
    func again() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, transact: true) { world in
                // Insufficient funds, each time.
                let id = try await world.sell(1_251, at: "transact")
                #expect(try await world.state(id).status == .declined)
                log.clock.advance(seconds: 2 * 86_400)
                try await Replaying.with(world) { replaying in
                    _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme")
                    let plan = try await replaying.plan(.transactions([id])).plan
                    try await replaying.act(.approve, on: plan)
                    try await replaying.act(.start, on: plan)
                    let end = try await replaying.drive(plan, [replaying.process(), replaying.process()])
                    #expect(end.status == .completed && end.ends == [.declined: 1], "\(end)")
                    let attempts = try await replaying.attempts(id)
                    #expect(attempts.count == 2 && Set(attempts).count == 2)
                    #expect(attempts.allSatisfy { $0.utf8.count == 20 }, "\(attempts)")
                    let booked = await world.keeper.read { books in books.payments.map(\.reference) }
                    #expect(booked == attempts)
                    // The queries for an earlier call and for the payment have such names too.
                    #expect(try await world.questions(id).count == 2)
                }
            }
        }
    }

    @Test("A reversal has a name of the same form")
    func reversed() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true, transact: true) { world in
                let id = try await world.sell(1_250, at: "transact")
                #expect(try await world.state(id).status == .captured)
                try await world.fail(id)
                _ = try await world.resolver.resolve(id, sender: World.sender)
                #expect(try await world.state(id).status == .voided)
                let calls = try await world.reversals(id)
                #expect(calls.map(\.reference.utf8.count) == [20])
            }
        }
    }

    @Test("A name is sent unchanged if it fits, and otherwise recognised by its short form")
    func names() {
        let id = "0198c1c2-6a00-7000-8000-0000000000aa"
        let name = CallReference(id)
        #expect(name.text(of: 36) == id && name.text(of: 50) == id && name.text(of: 35) != id)
        let short = name.text(of: 20)
        #expect(short.utf8.count == 20 && short == CallReference(id).text(of: 20))
        #expect(short.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) })
        #expect(name.isReported(as: id) && name.isReported(as: short) && name.isReported(as: name.text(of: 16)))
        #expect(!name.isReported(as: String(short.prefix(15))) && !name.isReported(as: ""))
        let other = CallReference("0198c1c2-6a00-7000-8000-0000000000ab")
        #expect(!other.isReported(as: short) && !other.isReported(as: id))
        let many = Set((0..<20_000).map { CallReference("reference-that-is-too-long-\($0)").text(of: 20) })
        #expect(many.count == 20_000)
    }
}
