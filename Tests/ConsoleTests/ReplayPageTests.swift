import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Intake
import Payments
import Replay
import ReplayRules
import Testing

@testable import Console

/// Replay plans in the console: made, reviewed, approved by another operator and executed; and the history of a
/// payment.
struct ReplayPageTests {
    private static let list = ConsoleView.replays.rawValue

    private static func serve(
        policy: ReplayPolicy = ReplayPolicy(),
        clock: any WallClock = SystemClock(),
        rules: [String]? = nil,
        _ body: @escaping @Sendable (TestConsole) async throws -> Void
    ) async throws {
        var options = Replaying.options
        options.policy = policy
        if let rules { options.overrides = rules }
        try await TestConsole.serve(clock: clock, gateways: try Replaying.gateways(), replaying: options, body)
    }

    /// Makes a plan with the form and returns its address.
    private static func plan(
        _ browser: Browser,
        _ filled: KeyValuePairs<String, String>
    ) async throws -> String {
        let page = try await browser.get(list).body
        let form = try Browser.form(page, list, filled)
        let answer = try await browser.send("POST", list, form: form)
        try #require(answer.status == 303, "\(answer.body)")
        // A duplicate form gives the same plan.
        #expect(try await browser.send("POST", list, form: form).fields["location"] == answer.fields["location"])
        return try #require(answer.fields["location"])
    }

    private static func step(_ browser: Browser, _ name: String, _ place: String) async throws -> RawResponse {
        let form = try Browser.form(try await browser.get(place).body, "\(place)/\(name)", ["reason": "agreed"])
        return try await browser.send("POST", "\(place)/\(name)", form: form)
    }

    @Test func aPlanIsMadeApprovedByAnotherAndExecuted() async throws {
        try await Self.serve { console in
            let first = try await console.declined(1)
            let second = try await console.declined(2)
            let hard = try await console.declined(3, code: "30034")
            let scopes: Set<Scope> = [.read, .replayPlan, .replayApprove]
            let ann = try await console.visitor(scopes, holder: "ann")
            let bob = try await console.visitor(scopes, holder: "bob")
            #expect(try await ann.get("/console").body.contains("href=\"\(Self.list)\""))
            let place = try await Self.plan(
                ann,
                [
                    "filter.status": "declined", "filter.vendor": "bridgepay",
                    "reason": "They were down; 4111111111111111",
                ]
            )
            let page = try await ann.get(place).body
            for payment in [first, second, hard] { #expect(page.contains(Address.transaction(payment))) }
            #expect(page.contains("14.00 USD") && page.contains("Resubmit") && page.contains("Never"))
            #expect(page.contains("status=declined&amp;vendor=bridgepay") && !page.contains("4111111111111111"))
            #expect(page.contains("\(Address.history(first))?as_of_position="))
            // The planner may not approve, even with a request that the page does not offer.
            #expect(page.contains("Another operator must approve it.") && !page.contains("\(place)/approve"))
            let token = try #require(Browser.formToken(page))
            let own = try await ann.send("POST", "\(place)/approve", form: [("form", token), ("reason", "mine")])
            #expect(own.status == 409 && own.body.contains("Another operator must approve it"))
            #expect(own.body.contains("replay-own-plan") && own.body.contains("with any of their keys"))

            // Filters of the list and of the items.
            let open = PageReading(try await bob.get("\(place)?disposition=resubmit").body)
            #expect(open.links("/console/transactions/").filter { !$0.contains("replay-history") }.count == 2)
            #expect(try await bob.get("\(place)?disposition=&rule=").fields["location"] == place)
            #expect(try await bob.get("\(place)?disposition=lost").status == 400)
            let about = try await bob.get("\(Self.list)?transaction=\(first)").body
            #expect(PageReading(about).links("/console/replays/") == [place] && about.contains(">\(first)</textarea>"))
            #expect(PageReading(try await bob.get("\(Self.list)?status=running").body).links("/console/replays/") == [])

            #expect(try await Self.step(bob, "approve", place).status == 303)
            let approved = try await bob.get(place).body
            #expect(
                approved.contains("Approved") && approved.contains("(bob)") && !approved.contains("\(place)/approve")
            )
            #expect(try await Self.step(ann, "start", place).fields["location"] == place)
            #expect(try await Self.step(bob, "pause", place).status == 303)
            #expect(try await bob.get(place).body.contains("\(place)/resume"))
            #expect(try await Self.step(ann, "resume", place).status == 303)
            let id = try #require(UUID128(String(place.split(separator: "/").last ?? "")))
            try await console.execute(id, [.posted])
            let running = try await bob.get(place).body
            #expect(running.contains("1 of 2 have ended.") && running.contains("Running"))
            try await console.execute(id, [.declined])
            let done = try await bob.get(place).body
            #expect(done.contains("2 of 2 have ended.") && done.contains("Completed") && !done.contains("<textarea"))
            #expect(Markup(done).faults.isEmpty, "\(Markup(done).faults)")
        }
    }

    @Test func refusedApprovalsGiveTheReason() async throws {
        let clock = ManualClock()
        try await Self.serve(clock: clock) { console in
            let payment = try await console.declined(1)
            let hard = try await console.declined(2, code: "30034")
            let ann = try await console.visitor([.read, .replayPlan], holder: "ann")
            let bob = try await console.visitor([.read, .replayApprove], holder: "bob")
            let never = try await Self.plan(ann, ["transactions": hard, "reason": "r"])
            #expect(try await bob.get(never).body.contains("Nothing in the plan may be resubmitted."))
            let moved = try await Self.plan(ann, ["transactions": "\(payment)\n\(hard)", "reason": "r"])
            #expect(try await bob.get(moved).body.contains("\(moved)/approve"))
            // A payment of the plan changes.
            let event =
                #"{"type":"ReaderConnected","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":{"response":{}}}"#
            let record = #"{"stream":"transaction/\#(payment)","events":[\#(event)]}"#
            try await console.post(
                "/v1/events",
                record,
                type: "application/json",
                as: [.documents, .events, .evidence]
            )
            try await console.ledger.catchUp()
            let stale = try await bob.get(moved).body
            #expect(stale.contains("Payments changed after they were judged.") && stale.contains("changed since<"))
            #expect(!stale.contains("\(moved)/approve") && stale.contains("\(moved)/reject"))
            let refused = try await bob.send(
                "POST",
                "\(moved)/approve",
                form: [("form", try #require(Browser.formToken(stale))), ("reason", "yes")]
            )
            #expect(refused.status == 409 && refused.body.contains("replay-moved-on"))
            #expect(try await Self.step(bob, "reject", moved).status == 303)
            #expect(try await bob.get(moved).body.contains("Rejected"))

            let late = try await Self.plan(ann, ["transactions": payment, "reason": "r", "expires": "3600"])
            #expect(try await ann.get(late).body.contains("replay:approve"))
            clock.advance(seconds: 1_700)
            _ = try await bob.get(late)
            clock.advance(seconds: 1_700)
            _ = try await bob.get(late)
            clock.advance(seconds: 200)
            let expired = try await bob.get(late).body
            #expect(expired.contains("The plan has expired.") && expired.contains("Planned, expired"))
            #expect(!expired.contains("\(late)/approve"))

            // A reader without the scopes makes and decides nothing.
            let rae = try await console.visitor([.read])
            let read = try await rae.get(late).body
            #expect(read.contains("replay:plan or replay:approve") && !read.contains("<textarea"))
            let page = try await rae.get(Self.list).body
            #expect(page.contains("replay:plan") && !page.contains("<textarea"))
            let token = try #require(Browser.formToken(page))
            for target in [Self.list, "\(late)/reject"] {
                let form = [("form", token), ("reason", "r"), ("transactions", payment)]
                #expect(try await rae.send("POST", target, form: form).status == 403)
            }
            #expect(try await rae.get("\(Self.list)/x").status == 404)
            let other = try await console.visitor([.read], tenant: "other")
            #expect(try await other.get(late).status == 404)
        }
    }

    @Test func refusedPlansGiveTheReason() async throws {
        try await Self.serve { console in
            let payment = try await console.declined(1)
            let ann = try await console.visitor([.read, .replayPlan])
            let page = try await ann.get(Self.list).body
            func send(_ filled: KeyValuePairs<String, String>) async throws -> RawResponse {
                try await ann.send("POST", Self.list, form: try Browser.form(page, Self.list, filled))
            }
            let nothing = try await send(["reason": "r"])
            #expect(nothing.status == 400 && nothing.body.contains("It is not clear which payments are meant"))
            let both = try await send(["transactions": payment, "filter.status": "declined", "reason": "r"])
            #expect(both.status == 400)
            #expect(try await send(["transactions": "x", "reason": "r"]).status == 400)
            #expect(try await send(["transactions": payment, "reason": " "]).status == 400)
            #expect(
                try await send(["filter.status": "voided", "reason": "r"]).body.contains("Nothing matches the filter")
            )
            let amount = try await send([
                "transactions": payment, "operation": "void", "amount": "1.234", "currency": "USD", "reason": "r",
            ])
            #expect(amount.body.contains("The amount cannot be read"))
            let void = try await send([
                "transactions": payment, "operation": "void", "amount": "1.20", "currency": "USD", "reason": "r",
            ])
            #expect(void.status == 303, "\(void.body)")
        }
    }

    /// A policy lets planners approve small plans, but not under overridden rules.
    @Test func smallPlansUnderOtherRulesNeedAnotherOperator() async throws {
        let policy = ReplayPolicy(items: 1, limits: [.init(currency: "USD", most: 100_000)])
        try await Self.serve(policy: policy) { console in
            let id = try await console.declined(1)
            let ann = try await console.visitor([.read, .replayPlan, .replayApprove], holder: "ann")
            let small = try await Self.plan(ann, ["transactions": id, "reason": "r"])
            let page = try await ann.get(small).body
            #expect(page.contains("Another operator must approve it.") && !page.contains("\(small)/approve"))
            let token = try #require(Browser.formToken(page))
            let refused = try await ann.send("POST", "\(small)/approve", form: [("form", token), ("reason", "mine")])
            #expect(refused.status == 409 && refused.body.contains("replay-above-policy"), "\(refused.body)")
        }
    }

    @Test func theHistoryOfAPaymentIsShownStepByStep() async throws {
        try await Self.serve(rules: ["window.duplicate=3600"]) { console in
            let payment = try await console.declined(1)
            let visitor = try await console.visitor([.read])
            let place = Address.history(payment)
            #expect(try await visitor.get(Address.transaction(payment)).body.contains("href=\"\(place)\""))
            let page = try await visitor.get(place).body
            #expect(Markup(page).faults.isEmpty, "\(Markup(page).faults)")
            let events = PageReading(page).links("/console/events/")
            let head = try await console.ledger.reader.head()
            #expect(events.last == Address.event(head) && events.count > 2)
            // The decline is recent, so the payment has to wait.
            #expect(page.contains("Declined") && page.contains("Wait") && page.contains("wait.retry"))
            #expect(page.contains("6.50 USD") && page.contains("The last row is judged by the current time and rules."))
            let other = try await visitor.get(
                "\(place)?what_if=wait.retry%3D0%3Bwait.retry-later%3D0%3Bwindow.duplicate%3D0"
            ).body
            #expect(other.contains("What if") && other.contains("Resubmit"))
            let early = try await visitor.get("\(place)?as_of_position=\(head - 1)").body
            #expect(!PageReading(early).links("/console/events/").contains(Address.event(head)))
            #expect(!early.contains("judged by the current time"))
            let none = try await visitor.get("\(place)?as_of_position=0").body
            #expect(none.contains("No event was recorded by then."))
            let wrong = try await visitor.get("\(place)?what_if=nonsense%3D1")
            #expect(wrong.status == 422 && wrong.body.contains("unknown-rule"))
            #expect(try await visitor.get("\(place)?what_if=&as_of=").fields["location"] == place)
            #expect(try await visitor.get(Address.history("0198c1c2-6a00-7000-8000-00000000ffff")).status == 404)
        }
    }

    /// Refreshes of a page do not extend the session.
    @Test func refreshesDoNotExtendTheSession() async throws {
        let clock = ManualClock()
        try await TestConsole.serve(clock: clock) { console in
            let visitor = try await console.visitor([.read])
            for _ in 0..<3 {
                clock.advance(seconds: 800)
                _ = try await visitor.send("GET", Self.list, fields: ["Daybook-Looks-On": "1"])
            }
            let answer = try await visitor.get(Self.list)
            #expect(answer.status == 303 && answer.fields["location"]?.contains("sign-in") == true)
        }
    }
}
