import Canonical
import DaybookTestKit
import EventLog
import Payments
import Replay
import ReplayRules
import Testing

/// Doubts that no gateway answers.
@Suite struct UnansweredDoubtTests {
    @Test("An unanswered doubt becomes an operator's once, and costs no more events", arguments: [30, 365])
    func unansweredForever(days: Int64) async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            let before = try await log.events().count
            let end = log.clock.now().adding(microseconds: days * 86_400_000_000)
            try await World.with(log, books: books, faults: "fail=100") { world in
                var queries = 0
                while log.clock.now() < end {
                    let now = log.clock.now()
                    switch try await world.resolver.resolve(id, sender: World.sender) {
                    case .queried: queries += 1
                    case .waiting(let status):
                        let next = try #require(status.nextAction(reverses: false))
                        log.clock.set(max(next, now.adding(microseconds: 1)))
                    case .person(let rule):
                        #expect(rule == "query.intervals")
                        log.clock.advance(seconds: 86_400)
                    case .noSuchPayment, .nothingInDoubt, .noGateway:
                        Issue.record("the doubt is gone")
                        return
                    }
                }
                #expect(queries == 11)
                let events = try await log.events().dropFirst(before)
                #expect(events.count <= 25, "\(events.map(\.type))")
                let status = try #require(try await world.status(id))
                #expect(status.isShown && status.nextAction(reverses: false) == nil)
            }
        }
    }
}
