import Canonical
import Matching
import Operations
import Testing

struct ProposedChangesTests {
    private func changes(_ change: (inout MatchingRules) -> Void) throws -> [String] {
        var rules = MatchingRules()
        change(&rules)
        let (before, after) = try (JSONValueEncoder().encode(MatchingRules()), JSONValueEncoder().encode(rules))
        return ProposedChanges(after, replacing: before).lines
    }

    @Test func equalRulesHaveNoLine() throws {
        #expect(try changes { _ in } == [])
    }

    @Test func eachChangedRuleHasALine() throws {
        let lines = try changes { rules in
            rules.graceDays = 3
            rules.ladder[0].tolerance = 7
            rules.ladder.append(MatchingRule("invoice-only", [.invoice], .unique, days: 9))
            rules.approvals = [ApprovalLimit(currency: "USD", above: 500)]
        }
        let first = MatchingRules().ladder[0].name
        #expect(
            lines == [
                "ladder \(first): tolerance 0 -> 7",
                "ladder invoice-only: none -> keys invoice, choice unique, days 9, tolerance 0",
                "graceDays: 2 -> 3", "approvals USD: none -> above 500",
            ]
        )
    }

    @Test func removedRulesAndTheirOrderAreNamed() throws {
        let names = MatchingRules().ladder.map(\.name)
        let swapped = try changes { $0.ladder.swapAt(0, 1) }
        #expect(swapped.count == 1 && swapped[0].hasPrefix("ladder, order: \(names[0]), \(names[1]), "))
        let removed = try changes { $0.ladder.removeFirst() }
        #expect(removed.count == 1 && removed[0].hasPrefix("ladder \(names[0]): keys "))
        #expect(removed[0].hasSuffix(" -> none"))
    }

    @Test func aRequestThatReplacesNothingIsListed() {
        let lines = ProposedChanges(["as": "declined", "evidence": "the portal"]).lines
        #expect(lines == ["as: declined", "evidence: the portal"])
        let amount: JSONValue = ["amount": ["value": 1340, "currency": "USD"]]
        #expect(ProposedChanges(amount).lines == ["amount: value 1340, currency USD"])
        let before: JSONValue = ["amount": .null]
        #expect(ProposedChanges(amount, replacing: before).lines == ["amount: none -> value 1340, currency USD"])
        #expect(ProposedChanges([:]).lines.isEmpty)
    }
}
