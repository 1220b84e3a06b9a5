import Access
import Canonical
import Composition
import DaybookTestKit
import Intake
import Matching
import Payments
import Reconciliation
import Redaction
import Testing

@testable import Console

/// The tenant's reconciliation rules, at present and in the past.
struct RulesPageTests {
    @Test func presentAndPastRulesAreShown() async throws {
        try await TestConsole.serve { console in
            let place = ConsoleView.rules.rawValue
            let visitor = try await console.visitor([.read])
            let standard = try await visitor.get(place).body
            #expect(Markup(standard).faults.isEmpty && standard.contains("the standard rules apply"))
            for rule in MatchingRules.standardLadder { #expect(standard.contains(rule.name)) }
            for rule in DepositRule.standardLadder { #expect(standard.contains(rule.name)) }

            var rules = MatchingRules(graceDays: 3)
            rules.ladder = [MatchingRule("by <id>", [.gatewayID], .unique, days: 9, tolerance: 7)]
            rules.fees = [ExpectedFee(brand: "amex", currency: "EUR", basisPoints: 290, fixed: 25)]
            rules.approvals = [ApprovalLimit(currency: "USD", above: 50_000)]
            rules.depositAccounts = ["DE77"]
            rules.calendars = [
                ProcessorCalendar(
                    processor: "daybook-csv",
                    merchant: "M <1>",
                    vendors: [.dejavoo],
                    begins: "2026-03-02",
                    cutoff: "21:30"
                )
            ]
            rules.contracts = [
                FeeContract(
                    processor: "daybook-csv",
                    brand: "V <1>",
                    component: "interchange",
                    currency: "USD",
                    begins: "2026-04-01",
                    basisPointHundredths: 2050,
                    fixed: 7
                )
            ]
            let commands = console.ledger.reconciliation.rulesCommands
            let ann = Sender(tenant: "acme", actor: "key:ann", correlation: "c-1", holder: "ann")
            let proposed = try await commands.propose(rules, reason: "as <agreed>", sender: ann)
            let sender = Sender(tenant: "acme", actor: "key:test", correlation: "c-1", holder: "bob")
            let outcome = try await commands.approve(proposed.proposal.id, reason: "agreed", sender: sender)
            try await console.ledger.catchUp()
            let page = try await visitor.get(place).body
            #expect(Markup(page).faults.isEmpty && !page.contains("by <id>") && !page.contains("as <agreed>"))
            #expect(!page.contains("M <1>") && !page.contains("V <1>"))
            let calendar = ["daybook-csv", "Dejavoo", "1 business day later at 06:00", "21:30", "2026-03-02"]
            let contract = ["Interchange", "2026-04-01", ">20.50\n", "0.07 USD"]
            for text in ["key:test", "DE77", "290", "0.25 EUR", "500.00 USD", "amex"] + calendar + contract {
                #expect(page.contains(text), "\(text)")
            }
            #expect(!page.contains("the standard rules apply") && !page.contains("terminal-batch"))
            let past = try await visitor.get("\(place)?as_of_position=\(outcome.position - 1)").body
            #expect(past.contains("the standard rules apply") && past.contains("terminal-batch"))
            #expect(try await visitor.get("\(place)?as_of_position=x").status == 400)
            #expect(try await visitor.get("/console/reconciliation").body.contains("href=\"\(place)\""))
        }
    }
}
