import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Projections
import Testing

@testable import Console

/// Acknowledging an anomaly in the console.
struct AcknowledgementTests {
    /// The newest anomaly, which is open.
    private static func raised(_ console: TestConsole) async throws -> AnomalyView {
        try #require(
            try await console.ledger.payments.anomalies.anomalies(of: "acme", matching: .init(), limit: 1).first
        )
    }

    private static func reported(_ console: TestConsole) async throws -> [RecordedEvent] {
        var filter = EventFilter()
        filter.type = "AnomalyAcknowledged"
        return try await console.ledger.reader.newest(of: "acme", matching: filter, limit: 10)
    }

    @Test func theSignedInOperatorAcknowledges() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let anomaly = try await Self.raised(console)
            let place = "/console/anomalies/\(anomaly.id.description)"
            let visitor = try await console.visitor([.read, .reconcile])
            let page = try await visitor.get(place)
            #expect(Markup(page.body).faults.isEmpty, "\(Markup(page.body).faults)")
            #expect(Markup(page.body).elements.contains { $0.attributes["action"] == "\(place)/acknowledge" })
            let token = try #require(Browser.formToken(page.body))
            let form = [("form", token), ("reason", "Asked the shop:\r\ncard 4111111111111111 was \"reversed\"")]
            let answer = try await visitor.send("POST", "\(place)/acknowledge", form: form)
            #expect(answer.status == 303 && answer.fields["location"] == place, "\(answer.body)")
            let event = try #require(try await Self.reported(console).first)
            #expect(event.actor.hasPrefix("key:") && !event.data.contains("4111111111111111"))
            let after = try await visitor.get(place).body
            #expect(after.contains(event.actor) && after.contains("Asked the shop:") && after.contains("Acknowledged"))
            #expect(!after.contains("\(place)/acknowledge") && Markup(after).faults.isEmpty)
            // The API has the same acknowledgement.
            let item = try #require(try await console.ledger.payments.anomalies.anomaly(anomaly.id, of: "acme"))
            #expect(item.state != .open && item.acknowledgement?.by == event.actor)
            // A duplicate form records nothing; another operator is refused.
            #expect(try await visitor.send("POST", "\(place)/acknowledge", form: form).status == 303)
            let colleague = try await console.visitor([.admin, .read])
            let other = try #require(Browser.formToken(try await colleague.get(place).body))
            let late = try await colleague.send(
                "POST",
                "\(place)/acknowledge",
                form: [("form", other), ("reason", "x")]
            )
            #expect(late.status == 409 && late.body.contains("already-acknowledged"))
            #expect(try await Self.reported(console).count == 1)
        }
    }

    @Test func othersCannotAcknowledge() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let anomaly = try await Self.raised(console)
            let place = "/console/anomalies/\(anomaly.id.description)"
            let reader = try await console.visitor([.read])
            let page = try await reader.get(place).body
            #expect(!page.contains("\(place)/acknowledge") && page.contains("reconcile or admin"))
            let token = try #require(Browser.formToken(page))
            let action = "\(place)/acknowledge"
            #expect(try await reader.send("POST", action, form: [("form", token), ("reason", "x")]).status == 403)

            let commands = try await console.visitor([.read, .reconcile])
            let own = try #require(Browser.formToken(try await commands.get(place).body))
            for (form, status) in [
                ([("reason", "x")], 403), ([("form", token), ("reason", "x")], 403), ([("form", own)], 400),
                ([("form", own), ("reason", " \r\n ")], 400),
                ([("form", own), ("reason", String(repeating: "x", count: 1001))], 400),
            ] {
                #expect(try await commands.send("POST", action, form: form).status == status, "\(form)")
            }
            let foreign = try await console.visitor([.read, .reconcile], tenant: "other")
            let theirs = try #require(Browser.formToken(try await foreign.get("/console").body))
            let answer = try await foreign.send("POST", action, form: [("form", theirs), ("reason", "x")])
            #expect(answer.status == 404)
            let stranger = try await Browser(port: console.port).send("POST", action, form: [("reason", "x")])
            #expect(stranger.status == 303 && stranger.fields["location"] == "/console/sign-in")
            #expect(try await Self.reported(console).isEmpty)
        }
    }
}
