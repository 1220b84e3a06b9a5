import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Payments
import Testing

@testable import Console

/// The worklist of unknown outcomes, and resolving a doubt in the console.
struct DoubtPageTests {
    /// Records a sale with an unknown outcome.
    private static func doubt(_ console: TestConsole, _ number: Int, _ amount: Int64) async throws -> String {
        let id = "0198c1c2-6a00-7000-8000-0000000000\(10 + number)"
        let time = console.ledger.clock.now().rfc3339
        let record = #"""
            {"stream":"transaction/\#(id)","events":[
            {"schema":1,"occurredAt":"\#(time)","type":"SaleRequested","data":{"amounts":{"total":{"value":\#(amount),"currency":"USD"}},"references":{}}},
            {"schema":1,"occurredAt":"\#(time)","type":"OutcomeUnknown","data":{"evidence":"reader","response":{"code":"E02","message":"no answer"},"references":{}}}]}
            """#
        let sender = Sender(tenant: "acme", actor: "key:test", correlation: "test")
        let answers = await console.ledger.intake.events.submit(
            [Array(record.utf8)],
            allowingEvidence: true,
            sender: sender
        )
        for answer in answers { _ = try answer.get() }
        try await console.ledger.catchUp()
        return id
    }

    /// A reader that holds a result is beside the payments in doubt that were made at it.
    @Test func aDoubtShowsTheReaderThatHoldsAResult() async throws {
        try await TestConsole.serve(on: .console) { console in
            let first = try await Self.doubt(console, 1, 1_250)
            let second = try await Self.doubt(console, 2, 7_700)
            let report =
                #"{"reader":{"vendor":"handpoint","serial":"0123"},"response":{},"details":[{"name":"TransactionResultPending","value":"true"}]}"#
            let record = #"""
                {"stream":"transaction/\#(first)","events":[{"schema":1,"occurredAt":"2026-03-01T12:00:00Z","type":"ReaderStateChanged","data":\#(report)}]}
                """#
            let sender = Sender(tenant: "acme", actor: "key:test", correlation: "test")
            let answers = await console.ledger.intake.events.submit(
                [Array(record.utf8)],
                allowingEvidence: true,
                sender: sender
            )
            for answer in answers { _ = try answer.get() }
            try await console.ledger.catchUp()
            let ann = try await console.visitor([.read])
            let held = try await ann.get("/console/doubts?reader_holds_result=true").body
            #expect(PageReading(held).links("/console/doubts/") == [Address.doubt(first)])
            #expect(held.contains("0123, holds a result") && held.contains(Address.reader("handpoint", "0123")))
            let others = try await ann.get("/console/doubts?reader_holds_result=false").body
            #expect(PageReading(others).links("/console/doubts/").contains(Address.doubt(second)))
            let remedy = "recover the pending result"
            #expect(try await ann.get(Address.doubt(first)).body.contains(remedy))
            #expect(try await !ann.get(Address.doubt(second)).body.contains(remedy))
            let reader = try await ann.get(Address.reader("handpoint", "0123")).body
            let doubts = Address.path("/console/doubts", [("vendor", "handpoint"), ("reader", "0123")])
            #expect(reader.contains(remedy) && reader.replacing("&amp;", with: "&").contains(doubts))
            let file = try await ann.get("\(Address.reader("handpoint", "0123"))/bundle?from=&to=")
            #expect(file.status == 200 && file.fields["content-disposition"]?.contains("reader-handpoint-0123") == true)
            #expect(file.body.contains("ReaderStateChanged") && file.body.contains(remedy))
            // A form sends a local time.
            let seen = try await ann.get("/console/readers?not_seen_since=2036-01-01T00%3A00")
            #expect(seen.status == 200 && seen.body.contains("0123"), "\(seen.body)")
        }
    }

    @Test func anOperatorResolvesADoubt() async throws {
        try await TestConsole.serve(on: .console) { console in
            let first = try await Self.doubt(console, 1, 1_250)
            let second = try await Self.doubt(console, 2, 7_700)
            let ann = try await console.visitor([.read, .reconcile])
            let list = try await ann.get("/console/doubts").body
            #expect(list.contains("12.50 USD") && list.contains("89.50 USD") && list.contains("data-walk"))
            let places = PageReading(list).links("/console/doubts/")
            #expect(places == [Address.doubt(first), Address.doubt(second)])
            let byValue = PageReading(try await ann.get("/console/doubts?sort=value").body)
            #expect(byValue.links("/console/doubts/") == [Address.doubt(second), Address.doubt(first)])
            let none = try await ann.get("/console/doubts?needs_person=false").body
            #expect(none.contains("Nothing is in doubt."))

            let place = Address.doubt(first)
            let page = try await ann.get(place).body
            #expect(page.contains("No gateway was called yet.") && page.contains("E02") && page.contains("no answer"))
            // Without a gateway no query is possible.
            #expect(page.contains("No gateway can be queried about it") && !page.contains("\(place)/query"))
            let target = "\(place)/end"
            let empty = try Browser.form(page, target, ["as": "declined", "evidence": " ", "reason": "r"])
            #expect(try await ann.send("POST", target, form: empty).status == 400)
            let wrong = try Browser.form(
                page,
                target,
                ["as": "approved", "evidence": "e", "reason": "r", "amount": "1.234", "currency": "USD"]
            )
            #expect(try await ann.send("POST", target, form: wrong).status == 400)
            let filled = try Browser.form(
                page,
                target,
                ["as": "approved", "evidence": "line 14, card 4111111111111111", "reason": "They paid."]
            )
            for _ in 0..<2 {
                // A duplicate form is recorded once.
                let answer = try await ann.send("POST", target, form: filled)
                #expect(answer.status == 303 && answer.fields["location"] == "/console/proposals", "\(answer.body)")
            }
            // Another operator approves it.
            let own = try await ann.get("/console/proposals").body
            #expect(Markup(own).faults.isEmpty && own.contains("You proposed this change"))
            #expect(!own.contains("/approve\"") && !own.contains("4111111111111111"))
            let proposal = try #require(try await console.ledger.intake.proposals.open(of: "acme").first?.id.text)
            let deciding = "/console/proposals/\(proposal)"
            let alone = try await ann.send(
                "POST",
                "\(deciding)/approve",
                form: [("form", try #require(Browser.formToken(own))), ("reason", "mine")]
            )
            #expect(alone.status == 409 && alone.body.contains("own-proposal"), "\(alone.body)")
            let dan = try await console.visitor([.read, .reconcile])
            let shown = try await dan.get("/console/proposals").body
            let approval = try Browser.form(shown, "\(deciding)/approve", ["reason": "seen"])
            #expect(try await dan.send("POST", "\(deciding)/approve", form: approval).status == 303)
            try await console.ledger.catchUp()
            #expect(try await ann.get("/console/proposals").body.contains("There are no open proposals."))
            let ended = try await ann.get(place).body
            #expect(ended.contains("This payment has no unknown outcome.") && !ended.contains(target))
            let payment = try await ann.get(Address.transaction(first)).body
            #expect(payment.contains("Captured") && !payment.contains("4111111111111111"))
            let left = PageReading(try await ann.get("/console/doubts").body).links("/console/doubts/")
            #expect(left == [Address.doubt(second)])

            // A reader without the scope sees no form and may send none.
            let bob = try await console.visitor([.read])
            let other = Address.doubt(second)
            let read = try await bob.get(other).body
            #expect(!read.contains("\(other)/end") && read.contains("reconcile or admin"))
            let token = try #require(Browser.formToken(try await bob.get("/console/merchants").body))
            let forbidden = try await bob.send(
                "POST",
                "\(other)/end",
                form: [("form", token), ("as", "declined"), ("evidence", "e"), ("reason", "r")]
            )
            #expect(forbidden.status == 403)
            #expect(try await bob.get("/console/doubts/x").status == 404)
        }
    }
}
