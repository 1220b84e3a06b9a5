import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Operations
import Projections
import Reconciliation
import Testing

@testable import Console

/// Working exceptions in the console: proposal, approval, matching by hand, periods.
struct ExceptionWorkTests {
    private static func reported(_ console: TestConsole, _ type: String) async throws -> [RecordedEvent] {
        var filter = EventFilter()
        filter.type = type
        return try await console.ledger.reader.newest(of: "acme", matching: filter, limit: 10)
    }

    /// A form of the page, as a browser sends it, with these fields filled in.
    private static func form(
        _ page: String,
        _ action: String,
        _ filled: KeyValuePairs<String, String>
    ) throws -> [(String, String)] {
        let markup = Markup(page)
        #expect(markup.faults.isEmpty, "\(markup.faults)")
        let start = try #require(
            markup.elements.firstIndex { $0.attributes["action"] == action && $0.attributes["method"] == "post" },
            "\(action)"
        )
        let rest = markup.elements[(start + 1)...].prefix { $0.name != "form" }
        let known = Set(filled.map(\.key))
        return rest.compactMap { element in
            guard element.name == "input", let name = element.attributes["name"], !known.contains(name) else {
                return nil
            }
            return (name, element.attributes["value"] ?? "")
        } + filled.map { ($0.key, $0.value) }
    }

    /// Sends a form of an exception's page.
    private static func send(
        _ visitor: Browser,
        _ place: String,
        _ action: String,
        _ filled: KeyValuePairs<String, String>
    ) async throws -> RawResponse {
        let page = try await visitor.get(place).body
        let target = "\(place)/\(action)"
        return try await visitor.send("POST", target, form: try form(page, target, filled))
    }

    /// The open exceptions of a class.
    private static func open(_ console: TestConsole, _ name: ExceptionClass) async throws -> [ExceptionView] {
        var filter = ExceptionFilter()
        filter.isOpen = true
        filter.exceptionClass = name
        return try await console.ledger.reconciliation.exceptions.exceptions(of: "acme", matching: filter, limit: 100)
    }

    @Test func oneProposesAndAnotherApproves() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            try await console.importStatement("may.csv")
            try await console.ledger.catchUp()
            let ann = try await console.visitor([.read, .reconcile])
            // Start a run with the button; a duplicate form starts no second run.
            let report = "/console/reconciliation"
            let run = try Self.form(try await ann.get(report).body, report, [:])
            for _ in 0..<2 {
                let answer = try await ann.send("POST", report, form: run)
                #expect(answer.status == 303 && answer.fields["location"] == report, "\(answer.body)")
            }
            let runs = try await Self.reported(console, "ReconciliationCompleted")
            #expect(try await console.ledger.reconciliation.query.runs(of: "acme", limit: 10).count == runs.count)
            #expect((1...2).contains(runs.count) && runs.allSatisfy { $0.actor.hasPrefix("key:") })

            let item = try #require(try await Self.open(console, .missingInLedger).first)
            let place = Address.exception(item.id.text)
            let queue = PageReading(try await ann.get("/console/exceptions").body)
            #expect(queue.links("/console/exceptions/").contains(place))
            let own = try #require(runs.first?.actor)
            let noted = try await Self.send(ann, place, "note", ["reason": "Asked about\r\ncard 4111111111111111"])
            #expect(noted.status == 303 && noted.fields["location"] == place, "\(noted.body)")
            #expect(
                try await Self.send(ann, place, "assign", ["assignee": " Ann  Lee ", "reason": "hers"]).status == 303
            )
            var page = try await ann.get(place).body
            #expect(page.contains("Ann Lee") && page.contains("Assigned") && page.contains("Asked about card"))
            #expect(!page.contains("4111111111111111") && !page.contains("\(place)/approve"))
            // Above the limit, a resolution needs approval.
            let stale = try Self.form(page, "\(place)/resolve", ["kind": "written-off", "reason": "too late"])
            let proposed = try await Self.send(
                ann,
                place,
                "resolve",
                ["kind": "written-off", "reason": "below a call"]
            )
            #expect(proposed.status == 303, "\(proposed.body)")
            page = try await ann.get(place).body
            #expect(
                page.contains("You proposed this resolution") && page.contains("below a call") && page.contains(own)
            )
            #expect(!page.contains("\(place)/approve") && page.contains("\(place)/reject"))
            // An outdated page and an approval by the proposer are refused.
            let standing = try await console.ledger.reconciliation.exceptions.exception(item.id, of: "acme")
            let proposal = try #require(standing?.state.proposal?.id?.text)
            let late = try await ann.send("POST", "\(place)/resolve", form: stale)
            #expect(late.status == 409 && late.body.contains("version-conflict"), "\(late.body)")
            let token = try #require(Browser.formToken(page))
            let alone = try await ann.send(
                "POST",
                "\(place)/approve",
                form: [("form", token), ("reason", "I say so"), ("proposal", proposal)]
            )
            #expect(alone.status == 409 && alone.body.contains("own-proposal"), "\(alone.body)")

            let bob = try await console.visitor([.read, .admin])
            #expect(try await Self.send(bob, place, "reject", ["reason": "ask first"]).status == 303)
            #expect(
                try await Self.send(ann, place, "resolve", ["kind": "corrected", "correction": "T-1", "reason": "r"])
                    .status == 303
            )
            #expect(try await Self.send(bob, place, "approve", ["reason": "agreed"]).status == 303)
            page = try await bob.get(place).body
            #expect(page.contains("Resolved") && page.contains("T-1") && page.contains("agreed"))
            #expect(!page.contains("\(place)/resolve") && page.contains("\(place)/reopen"))
            let ended = try #require(try await console.ledger.reconciliation.exceptions.exception(item.id, of: "acme"))
            #expect(ended.state.status == .resolved && ended.state.resolution?.correction == "T-1")
            let ids = PageReading(try await bob.get("/console/exceptions").body).links("/console/exceptions/")
            #expect(!ids.contains(place))
            let all = PageReading(try await bob.get("/console/exceptions?status=all").body).links(
                "/console/exceptions/"
            )
            #expect(all.contains(place))
            // The exception at its position before the proposal.
            let past = try await bob.get("\(place)?as_of_position=\(item.lastPosition)").body
            #expect(
                past.contains("This page shows a past state") && !past.contains("T-1")
                    && !past.contains("\(place)/note")
            )
            #expect(try await Self.send(ann, place, "reopen", ["reason": "it came back"]).status == 303)
            let again = try #require(try await console.ledger.reconciliation.exceptions.exception(item.id, of: "acme"))
            #expect(again.state.status == .assigned && again.state.reopenings == 1)
        }
    }

    @Test func candidatesAreMatchedByHand() async throws {
        try await TestConsole.serve { console in
            try await console.sell(invoice: "INV-7")
            // The same invoice ten days later is outside of the rule's range.
            var file = "type,currency,gross,fee,net,processor_id,day,invoice\n"
            file += "sale,USD,12.34,0.00,12.34,unheard-of,2026-10-02,INV-7\n"
            file += "sale,USD,1.00,0.00,1.00,later,2026-10-22,\n"
            try await console.post("/v1/statements?name=may.csv", file, type: "text/csv", as: [.reconcile])
            try await console.reconcile()
            let ann = try await console.visitor([.read, .reconcile])
            // Take the first exception with a candidate of the same amount, on either side.
            var found: (place: String, link: String)?
            for name in [ExceptionClass.missingAtProcessor, .missingInLedger] {
                for item in try await Self.open(console, name) {
                    let page = try await ann.get(Address.exception(item.id.text)).body
                    let link = Markup(page).elements.first { $0.attributes["href"]?.contains("?candidate=") == true }
                    guard let address = link?.attributes["href"] else { continue }
                    found = found ?? (Address.exception(item.id.text), address)
                }
            }
            let (place, link) = try #require(found, "no candidate comes to the same money")
            let page = try await ann.get(String(link.prefix { $0 != "#" })).body
            #expect(page.contains("value=\"matched\" selected"))
            let action = "\(place)/resolve"
            let form = try Self.form(page, action, ["kind": "matched", "reason": "mistyped"])
            let sent = try await ann.send("POST", action, form: form)
            #expect(sent.status == 303, "\(sent.body)")
            let bob = try await console.visitor([.read, .reconcile])
            let approval = try Self.form(try await bob.get(place).body, "\(place)/approve", ["reason": "yes"])
            #expect(try await bob.send("POST", "\(place)/approve", form: approval).status == 303)
            try await console.reconcile()
            let matches = try await console.ledger.reconciliation.query.matches(of: "acme", limit: 10)
            let match = try #require(matches.first { $0.lineAmount == 1234 }, "\(matches)")
            let payment = try await ann.get(Address.transaction(match.transaction.text)).body
            #expect(payment.contains("Matched lines of statements") && payment.contains("12.34 USD"))
        }
    }

    @Test func othersCannotWorkExceptions() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            try await console.importStatement("may.csv")
            try await console.reconcile()
            let item = try #require(try await Self.open(console, .missingInLedger).first)
            let place = Address.exception(item.id.text)
            let reader = try await console.visitor([.read])
            for address in [place, "/console/reconciliation", "/console/periods"] {
                let page = try await reader.get(address).body
                #expect(!page.contains("class=\"dealing\"") && page.contains("reconcile or admin"), "\(address)")
            }
            let token = try #require(Browser.formToken(try await reader.get(place).body))
            let commands = try await console.visitor([.read, .reconcile])
            let own = try #require(Browser.formToken(try await commands.get(place).body))
            let foreign = try await console.visitor([.read, .reconcile], tenant: "other")
            let theirs = try #require(Browser.formToken(try await foreign.get("/console").body))
            for action in ExceptionAction.names {
                let target = "\(place)/\(action)"
                #expect(try await reader.send("POST", target, form: [("form", token), ("reason", "x")]).status == 403)
                #expect(try await commands.send("POST", target, form: [("reason", "x")]).status == 403)
                #expect(try await commands.send("POST", target, form: [("form", own)]).status == 400)
                let kind = ("kind", "timing")
                let proposal = ("proposal", "0198c1c2-6a00-7000-8000-000000000001")
                let answer = try await foreign.send(
                    "POST",
                    target,
                    form: [("form", theirs), ("reason", "x"), kind, proposal]
                )
                #expect(answer.status == 404, "\(action): \(answer.status)")
            }
            for (fields, status, code) in [
                ([("kind", "lost")], 400, "malformed-record"), ([("kind", "corrected")], 400, "malformed-record"),
                ([("kind", "matched"), ("lines", "1"), ("movements", "2")], 400, "malformed-record"),
                (
                    [
                        ("kind", "matched"), ("lines", item.line?.text ?? ""),
                        ("movements", "0198c5f2-0000-7000-8000-000000000000/capture:1"),
                    ], 422, "unbalanced-match"
                ),
            ] {
                let form = [("form", own), ("reason", "x")] + fields
                let answer = try await commands.send("POST", "\(place)/resolve", form: form)
                #expect(answer.status == status && answer.body.contains(code), "\(fields): \(answer.body)")
            }
            for address in ["/console/reconciliation", "/console/periods"] {
                #expect(try await reader.send("POST", address, form: [("form", token), ("reason", "x")]).status == 403)
            }
            let stranger = try await Browser(port: console.port).send("POST", "\(place)/note", form: [("reason", "x")])
            #expect(stranger.status == 303 && stranger.fields["location"] == "/console/sign-in")
            #expect(try await foreign.get(place).status == 404)
            #expect(try await Self.reported(console, "ExceptionNoted").isEmpty)
        }
    }

    @Test func aDayIsClosedAndReopened() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            try await console.importStatement("may.csv")
            try await console.reconcile()
            let payments = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 50
            )
            let names = try payments.compactMap { try JSONValue(parsing: $0.json.utf8)["merchant"]?.string }
            let merchant = try #require(names.first)
            let ann = try await console.visitor([.read, .reconcile])
            let list = "/console/periods"
            let page = try await ann.get(list).body
            let closing = try Self.form(
                page,
                list,
                ["merchant": merchant, "day": "2026-09-22", "reason": "the deposit came"]
            )
            let answer = try await ann.send("POST", list, form: closing)
            let place = try #require(answer.fields["location"], "\(answer.body)")
            #expect(answer.status == 303 && place.hasPrefix("\(list)/"))
            // A duplicate form closes it once; another form gets a refusal.
            #expect(try await ann.send("POST", list, form: closing).fields["location"] == place)
            let second = try Self.form(page, list, ["merchant": merchant, "day": "2026-09-22", "reason": "again"])
                .filter { $0.0 != "once" }
            let late = try await ann.send("POST", list, form: second)
            #expect(late.status == 409 && late.body.contains("already-closed"), "\(late.body)")
            let closed = try await ann.get(place).body
            #expect(closed.contains("the deposit came") && closed.contains("Nothing has changed."))
            let days = PageReading(try await ann.get(list).body)
            #expect(days.links("\(list)/") == [place])
            let action = "\(place)/reopen"
            let form = try Self.form(closed, action, ["reason": "a correction"])
            #expect(try await ann.send("POST", action, form: form).fields["location"] == place)
            let opened = try await ann.get(place).body
            #expect(opened.contains("Reopened") && opened.contains("a correction") && !opened.contains(action))
            let again = try Self.form(opened, list, ["reason": "done"])
            let closedAgain = try await ann.send("POST", list, form: again)
            #expect(closedAgain.fields["location"] == place, "\(closedAgain.body)")
            #expect(try await Self.reported(console, "PeriodClosed").count == 2)
            for (day, status, code) in [
                ("2026-13-01", 400, "malformed-record"), ("2999-01-01", 409, "day-not-over"),
            ] {
                let token = try #require(Browser.formToken(page))
                let bad = try await ann.send(
                    "POST",
                    list,
                    form: [("form", token), ("merchant", merchant), ("day", day), ("reason", "x")]
                )
                #expect(bad.status == status && bad.body.contains(code), "\(day): \(bad.body)")
            }
        }
    }
}

extension TestConsole {
    /// A sale of 12.34 USD on the traded day.
    fileprivate func sell(invoice: String) async throws {
        let at = TestDatabase.Template.tradedDay.adding(microseconds: 43_200_000_000).rfc3339
        let amounts: JSONValue = ["total": ["value": 1234, "currency": "USD"]]
        let references: JSONValue = ["merchant": "8846", "invoice": .string(invoice)]
        let evidence: JSONObject = [
            "amounts": amounts, "evidence": "gateway", "response": [:], "references": references,
        ]
        var captured = evidence
        captured["id"] = "sale"
        // Movements need a batch with a vendor.
        captured["batch"] = ["vendor": "bridgepay", "account": "8846", "number": "1"]
        let reported: [(String, JSONValue)] = [
            ("SaleRequested", ["amounts": amounts, "references": references]),
            ("AuthorizationApproved", .object(evidence)), ("Captured", .object(captured)),
        ]
        let record: JSONValue = [
            "stream": "transaction/0198c1c2-6a00-7000-8000-000000000077",
            "events": .array(
                reported.map { ["schema": 1, "occurredAt": .string(at), "type": .string($0.0), "data": $0.1] }
            ),
        ]
        try await post("/v1/events", record.text, type: "application/json", as: [.documents, .events, .evidence])
        try await ledger.catchUp()
    }
}
