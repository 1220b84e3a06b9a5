import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Projections
import Testing

@testable import Console

/// Describing a merchant's zone and cut-off in the console.
struct DescribingTests {
    private static let place = "/console/merchants"

    private static func reported(_ console: TestConsole) async throws -> [RecordedEvent] {
        var filter = EventFilter()
        filter.type = "MerchantDescribed"
        return try await console.ledger.reader.newest(of: "acme", matching: filter, limit: 10)
    }

    /// A form of the page as a browser sends it, with these fields filled in.
    private static func form(_ page: String, _ filled: KeyValuePairs<String, String>) throws -> [(String, String)] {
        let markup = Markup(page)
        #expect(markup.faults.isEmpty, "\(markup.faults)")
        let once = try #require(markup.elements.first { $0.attributes["name"] == "once" }?.attributes["value"])
        let known = markup.elements.first { $0.attributes["name"] == "known" && $0.attributes["type"] == "hidden" }
        return [("form", try #require(Browser.formToken(page))), ("once", once)]
            + (known?.attributes["value"].map { [("known", $0.replacing("&quot;", with: "\""))] } ?? [])
            + filled.map { ($0.key, $0.value) }
    }

    @Test func theSignedInOperatorDescribesAMerchant() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor([.read, .reconcile])
            let list = try await visitor.get(Self.place).body
            #expect(list.contains("No merchant has been described"))
            let first = try Self.form(
                list,
                [
                    "merchant": " Café \"8846\"/2 ", "zone": "America/New_York", "cutoff": "04:00",
                    "reason": "The bar closes\r\nat three, said 4111111111111111",
                ]
            )
            let answer = try await visitor.send("POST", Self.place, form: first)
            let address = "\(Self.place)/Caf%C3%A9%20%228846%22%2F2"
            #expect(answer.status == 303 && answer.fields["location"] == address, "\(answer.body)")
            let event = try #require(try await Self.reported(console).first)
            #expect(event.actor.hasPrefix("key:") && !event.data.contains("4111111111111111"))
            // A duplicate form records nothing.
            #expect(try await visitor.send("POST", Self.place, form: first).status == 303)
            #expect(try await Self.reported(console).count == 1)

            let page = try await visitor.get(address).body
            #expect(page.contains("America/New_York") && page.contains("begins at 04:00"))
            #expect(page.contains("The bar closes at three") && page.contains(event.actor))
            let second = try Self.form(page, ["zone": "+01:00", "cutoff": "00:00", "reason": "moved"])
            #expect(try await visitor.send("POST", Self.place, form: second).fields["location"] == address)
            let item = try #require(try await console.ledger.payments.merchants.merchant("Café \"8846\"/2", of: "acme"))
            #expect(item.zone == "+01:00" && item.cutoff == "00:00" && item.reason == "moved")
            let links = PageReading(try await visitor.get(Self.place).body).links("\(Self.place)/")
            #expect(links == [address])
        }
    }

    @Test func othersCannotDescribeAMerchant() async throws {
        try await TestConsole.serve { console in
            let reader = try await console.visitor([.read])
            let page = try await reader.get(Self.place).body
            #expect(!page.contains("<form class=\"dealing\"") && page.contains("reconcile or admin"))
            let said = [("merchant", "8846"), ("zone", "UTC"), ("cutoff", "04:00"), ("reason", "x")]
            let token = try #require(Browser.formToken(page))
            #expect(try await reader.send("POST", Self.place, form: [("form", token)] + said).status == 403)

            let commands = try await console.visitor([.read, .reconcile])
            let own = try #require(Browser.formToken(try await commands.get(Self.place).body))
            #expect(try await commands.send("POST", Self.place, form: said).status == 403)
            #expect(try await commands.send("POST", Self.place, form: [("form", token)] + said).status == 403)
            for (name, value) in [
                ("merchant", ""), ("merchant", "4111 1111 1111 1111"), ("zone", "Mars/Base"), ("zone", ""),
                ("cutoff", "25:00"), ("reason", " \r\n"), ("reason", String(repeating: "x", count: 1001)),
            ] {
                let form = [("form", own)] + said.map { ($0.0, $0.0 == name ? value : $0.1) }
                let answer = try await commands.send("POST", Self.place, form: form)
                #expect(answer.status == 400 && answer.body.contains("malformed-record"), "\(name) \(value)")
            }
            let stranger = try await Browser(port: console.port).send("POST", Self.place, form: said)
            #expect(stranger.status == 303 && stranger.fields["location"] == "/console/sign-in")
            #expect(try await Self.reported(console).isEmpty)
            // Tenants do not share descriptions.
            let foreign = try await console.visitor([.read, .reconcile], tenant: "other")
            let theirs = try Self.form(
                try await foreign.get(Self.place).body,
                ["merchant": "8846", "zone": "UTC", "cutoff": "04:00", "reason": "x"]
            )
            #expect(try await foreign.send("POST", Self.place, form: theirs).status == 303)
            #expect(try await commands.get("\(Self.place)/8846").status == 404)
            #expect(try await foreign.get("\(Self.place)/8846").status == 200)
        }
    }
}
