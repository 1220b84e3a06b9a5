import Access
import Canonical
import Composition
import DaybookTestKit
import Foundation
import Intake
import Testing

@testable import Console

/// Statements, page by page.
struct StatementPageTests {
    @Test func aLongFileIsReadPageByPage() async throws {
        try await TestConsole.serve { console in
            let reported = try await console.importStatement(
                "may <b>.csv",
                invoice: "<script>alert(1)</script>",
                more: 230
            )
            try await console.ledger.catchUp()
            let failures = try #require(reported["failedControls"]?.int64)
            let visitor = try await console.visitor()
            let start = Address.statement(try #require(reported["id"]?.string))
            var address: String? = start
            var numbers: [Int] = []
            while let place = address {
                let page = try await visitor.get(place)
                try #require(page.status == 200, "\(page.body)")
                let markup = Markup(page.body)
                #expect(markup.faults.isEmpty, "\(place): \(markup.faults)")
                #expect(!page.body.contains("<script>alert") && !page.body.contains("<b>.csv"))
                #expect(page.body.contains("\(failures) totals in this file differ from the sum of their lines."))
                let rows = page.body.components(separatedBy: "<caption>Lines in the order").last ?? ""
                numbers += rows.components(separatedBy: "<tr><td class=\"number\">").dropFirst()
                    .compactMap { Int($0.prefix { $0.isNumber }) }
                let next = markup.elements.first { $0.attributes["rel"] == "next" }?.attributes["href"]
                address = next?.replacing("&amp;", with: "&")
                try #require(numbers.count <= 1000)
            }
            let lines = try #require(reported["lines"]?.int64)
            #expect(numbers == Array(1...Int(lines)) && lines >= 233)
            // Controls that match and that differ, and invalid cursors.
            let failed = try await visitor.get("\(start)?holds=false").body
            #expect(failed.contains(">no</span>") && !failed.contains(">yes</span>") && failed.contains("99.00 USD"))
            #expect(try await visitor.get("\(start)?holds=true").body.contains(">yes</span>"))
            for bad in ["cursor=x", "controls=x", "holds=perhaps", "limit=1"] {
                #expect(try await visitor.get("\(start)?\(bad)").status == 400, "\(bad)")
            }
            #expect(try await visitor.page("\(start)?holds=").address == start)
            let foreign = try await console.visitor(tenant: "other")
            #expect(try await foreign.get(start).status == 404)
        }
    }

    @Test func aFileIsWithdrawn() async throws {
        try await TestConsole.serve { console in
            let reported = try await console.importStatement("may.csv")
            try await console.ledger.catchUp()
            let place = Address.statement(try #require(reported["id"]?.string))
            let reader = try await console.visitor([.read])
            #expect(try await !reader.get(place).body.contains("\(place)/withdraw"))
            let visitor = try await console.visitor([.read, .reconcile])
            let page = try await visitor.get(place).body
            #expect(Markup(page).faults.isEmpty)
            let token = try #require(Browser.formToken(page))
            let form = [("form", token), ("once", "1"), ("reason", "read <b> wrong")]
            for _ in 0..<2 {
                let answer = try await visitor.send("POST", "\(place)/withdraw", form: form)
                #expect(answer.status == 303 && answer.fields["location"] == "/console/proposals", "\(answer.body)")
            }
            let proposals = try await console.ledger.intake.proposals.open(of: "acme")
            #expect(proposals.count == 1)
            let deciding = "/console/proposals/\(try #require(proposals.first).id.text)/approve"
            let other = try await console.visitor([.read, .reconcile])
            let shown = try await other.get("/console/proposals").body
            #expect(!shown.contains("read <b> wrong"))
            let approval = try Browser.form(shown, deciding, ["reason": "seen"])
            #expect(try await other.send("POST", deciding, form: approval).status == 303)
            try await console.ledger.catchUp()
            let after = try await visitor.get(place).body
            #expect(Markup(after).faults.isEmpty && !after.contains("read <b> wrong"))
            #expect(after.contains("This statement was withdrawn") && !after.contains("\(place)/withdraw"))
            #expect(try await visitor.get("/console/statements?status=withdrawn").body.contains(place))
            #expect(try await !visitor.get("/console/statements?status=imported").body.contains(place))
        }
    }

    @Test func aFileIsFoundByItsDigest() async throws {
        try await TestConsole.serve { console in
            let reported = try await console.importStatement("may.csv")
            try await console.ledger.catchUp()
            let visitor = try await console.visitor()
            let place = Address.statement(try #require(reported["id"]?.string))
            let digest = try #require(reported["digest"]?.string)
            for name in [try #require(reported["id"]?.string), digest, digest.uppercased()] {
                #expect(try await visitor.page("/console/search?q=\(name)").address == place)
            }
            let page = try await visitor.get(place).body
            #expect(page.contains("/console/search?q=214972201"))
            // Its events link to it.
            let position = try #require(reported["firstPosition"]?.int64)
            #expect(try await visitor.get(Address.event(position)).body.contains("href=\"\(place)\""))
        }
    }
}
