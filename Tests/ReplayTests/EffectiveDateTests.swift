import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Projections
import Replay
import ReplayRules
import Testing

/// The effective date of a rule decides the ruling of a plan on stored payments.
@Suite("Plans and the effective dates of rules") struct EffectiveDateTests {
    private static let rule = "bridgepay.message.D03"

    /// The written rules, except that from a day on payments with D03 are never resubmitted.
    private static func records(from day: CivilDate) throws -> [RuleRecord] {
        var records = try WrittenRules.all.get()
        let index = try #require(records.firstIndex { $0.id == rule })
        var stricter = records[index]
        records[index].until = day.description
        stricter.from = day.description
        stricter.value = "never"
        records.append(stricter)
        return records
    }

    @Test func theDayChangesThePlan() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                // Insufficient funds: may be resubmitted after a day.
                let ids = [try await world.sell(12_000), try await world.sell(12_100)]
                for id in ids { #expect(try await world.state(id).status == .declined) }
                log.clock.advance(seconds: 3 * 86_400)
                try await Replaying.with(world) { replaying in
                    for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                    let today = log.clock.now().civilDate
                    func dispositions(_ day: CivilDate) async throws -> [String: String] {
                        let books = RuleBooks(try Self.records(from: day))
                        let plan = try await replaying.plan(.transactions(ids), books: books).plan
                        try await replaying.caughtUp()
                        let items = try await replaying.query.items(of: plan, tenant: "acme", limit: 10)
                        #expect(items.count == 2)
                        return try items.reduce(into: [:]) { reported, item in
                            let json = try JSONValue(parsing: item.reported.utf8)
                            reported[json["disposition"]?.string ?? ""] = json["rule"]?.string
                        }
                    }
                    let tomorrow = CivilDate(daysSince1970: today.daysSince1970 + 1)
                    #expect(Array(try await dispositions(tomorrow).keys) == ["resubmit"])
                    // The same payments at the same time, and the rule is in force from today.
                    #expect(try await dispositions(today) == ["never": Self.rule])
                    log.clock.advance(seconds: 86_400)
                    #expect(try await dispositions(tomorrow) == ["never": Self.rule])
                    let later = CivilDate(daysSince1970: today.daysSince1970 + 2)
                    #expect(Array(try await dispositions(later).keys) == ["resubmit"])
                }
            }
        }
    }
}
