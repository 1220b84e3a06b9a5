import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Payments
import Testing

@testable import Console

/// The disputes of chargebacks in the console.
struct DisputePageTests {
    @Test func anOperatorFollowsADispute() async throws {
        try await TestConsole.serve(on: .console) { console in
            try await console.sellTwice(at: console.ledger.clock.now())
            try await console.chargeBack(at: console.ledger.clock.now())
            let ann = try await console.visitor([.read, .reconcile])
            let list = try await ann.get("/console/disputes?open=true").body
            let place = try #require(PageReading(list).links("/console/disputes/").first)
            #expect(Markup(list).faults.isEmpty && list.contains("12.34 USD"))
            #expect(try await ann.get("/console/disputes?open=false").body.contains("No chargeback is disputed."))
            let page = try await ann.get(place).body
            #expect(Markup(page).faults.isEmpty && page.contains("k1"))
            let described = try Browser.form(
                page,
                "\(place)/describe",
                ["reasonCode": "10.4", "respondBy": "2036-03-31", "reason": "the portal, card 4111111111111111"]
            )
            for _ in 0..<2 {
                // A duplicate form is recorded once.
                let answer = try await ann.send("POST", "\(place)/describe", form: described)
                #expect(answer.status == 303 && answer.fields["location"] == place, "\(answer.body)")
            }
            try await console.ledger.catchUp()
            let known = try await ann.get(place).body
            #expect(known.contains("10.4") && known.contains("2036-03-31") && !known.contains("4111111111111111"))
            let closing = try Browser.form(known, "\(place)/close", ["as": "lost", "reason": "accepted"])
            let closed = try await ann.send("POST", "\(place)/close", form: closing)
            #expect(closed.status == 303 && closed.fields["location"] == "/console/proposals", "\(closed.body)")
            let proposal = try #require(try await console.ledger.intake.proposals.open(of: "acme").first?.id.text)
            let dan = try await console.visitor([.read, .reconcile])
            let shown = try await dan.get("/console/proposals").body
            let approval = try Browser.form(shown, "/console/proposals/\(proposal)/approve", ["reason": "seen"])
            let approved = try await dan.send("POST", "/console/proposals/\(proposal)/approve", form: approval)
            #expect(approved.status == 303, "\(approved.body)")
            try await console.ledger.catchUp()
            #expect(try await ann.get(place).body.contains("Lost"))
            let file = try await ann.get("\(place)/evidence")
            #expect(file.status == 200 && file.fields["content-disposition"]?.contains("dispute-") == true)
            #expect(file.body.contains("DisputeLost") && !file.body.contains("4111111111111111"))
            // A reader without the scope sees no form and may send none.
            let bob = try await console.visitor([.read])
            let read = try await bob.get(place).body
            #expect(!read.contains("\(place)/close") && read.contains("reconcile or admin"))
            let token = try #require(Browser.formToken(read))
            let refused = try await bob.send(
                "POST",
                "\(place)/close",
                form: [("form", token), ("as", "won"), ("reason", "r")]
            )
            #expect(refused.status == 403)
        }
    }
}
