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

/// The pages of tips, taxes and fees, and the charts of books.
struct BookPageTests {
    /// A sale with a tip and a tax, and a file with fees: names are markup.
    private static func fill(_ console: TestConsole) async throws {
        func money(_ value: Int64) -> JSONValue { ["value": .number(.init(value)), "currency": "USD"] }
        let amounts: JSONValue = [
            "total": money(1300), "tip": money(200), "tax": money(100),
            "parts": [["kind": "tax", "label": "<i>state</i>", "amount": money(100)]],
        ]
        let record: JSONValue = [
            "stream": "transaction/0198c1c2-6a00-7000-8000-000000000021",
            "events": [
                [
                    "type": "SaleRequested", "schema": 1, "occurredAt": "2026-03-01T12:00:00Z",
                    "data": ["amounts": amounts, "references": ["merchant": "shop", "clerk": "<b>Ann & Co</b>"]],
                ],
                [
                    "type": "Captured", "schema": 1, "occurredAt": "2026-03-01T12:00:00Z",
                    "data": [
                        "id": "sale", "amounts": amounts, "evidence": "gateway", "response": [:], "references": [:],
                    ],
                ],
            ],
        ]
        let scopes: Set<Scope> = [.documents, .events, .evidence]
        try await console.post("/v1/events", record.text, type: "application/json", as: scopes)
        let file = """
            type,currency,gross,fee_interchange,net,day,processor_id,merchant,brand
            sale,USD,100.00,-0.25,99.75,2026-03-02,A,shop,<u>visa</u>
            fee,USD,-2.50,,-2.50,2026-03-02,B,shop,
            """
        try await console.post("/v1/statements?name=x", file + "\n", type: "text/csv", as: [.reconcile])
        try await console.ledger.catchUp()
    }

    private static func agree(on contract: FeeContract, _ console: TestConsole) async throws {
        let commands = console.ledger.reconciliation.rulesCommands
        func sender(_ name: String) -> Sender {
            Sender(tenant: "acme", actor: "key:\(name)", correlation: "c-1", holder: name)
        }
        let rules = MatchingRules(contracts: [contract])
        let proposed = try await commands.propose(rules, reason: "agreed", sender: sender("ann"))
        _ = try await commands.approve(proposed.proposal.id, reason: "agreed", sender: sender("bob"))
        try await console.ledger.catchUp()
    }

    private static let pages: [(address: String, texts: [String])] = [
        ("/console/tips", ["&lt;b&gt;Ann &amp; Co&lt;/b&gt;", "2.00 USD", "Tips in USD as a table"]),
        ("/console/tips?by=recipient%2Cday", ["&lt;b&gt;Ann &amp; Co&lt;/b&gt;, 2026-03-01", "2.00 USD"]),
        ("/console/taxes", ["&lt;i&gt;state&lt;/i&gt;", "1.00 USD", "Taxes in USD as a table"]),
        ("/console/taxes?by=merchant", ["shop", "1.00 USD"]),
        (
            "/console/fees",
            [
                "&lt;u&gt;visa&lt;/u&gt;", "25.00", "0.25 USD", "100.00 USD", "2.50 USD", "no contract", "0.21 USD",
                "0.04 USD", "20.00 basis points and 0.01 USD a line since 2026-01-01", "Fees by component in USD",
            ]
        ), ("/console/receivables", ["Receivables by age in days in USD as a table"]),
        ("/console/cash-forecast", ["Expected deposits by day in USD as a table", "Undated"]),
    ]

    @Test func booksAreShownWithCharts() async throws {
        try await TestConsole.serve { console in
            try await Self.fill(console)
            try await Self.agree(
                on: FeeContract(
                    processor: "daybook-csv",
                    component: "interchange",
                    currency: "USD",
                    begins: "2026-01-01",
                    basisPointHundredths: 2000,
                    fixed: 1
                ),
                console
            )
            let visitor = try await console.visitor([.read])
            for (address, texts) in Self.pages {
                let answer = try await visitor.get(address)
                #expect(answer.status == 200, "\(address): \(answer.body)")
                let page = Markup(answer.body)
                #expect(page.faults.isEmpty, "\(address): \(page.faults)")
                for text in texts { #expect(answer.body.contains(text), "\(address): \(text)") }
                for markup in ["<b>Ann", "<i>state", "<u>visa"] { #expect(!answer.body.contains(markup), "\(address)") }
                // A bar for each row of its table, hidden from readers of the table.
                let bars = page.elements.count { $0.name == "rect" }
                #expect(bars > 0, "\(address)")
                let pictures = page.elements.filter { $0.name == "svg" }
                #expect(pictures.count == 1 && pictures[0].attributes["aria-hidden"] == "true", "\(address)")
                #expect(page.elements.contains { $0.name == "a" && $0.attributes["aria-current"] == "page" })
                #expect(
                    answer.body.contains(#"<a href="/console/journal" aria-current="page">Journal</a>"#),
                    "\(address)"
                )
            }
        }
    }

    /// The forms have the fields of the past, and at the beginning of the log nothing has money.
    @Test func booksAreShownAsTheyWereRecorded() async throws {
        try await TestConsole.serve { console in
            try await Self.fill(console)
            let visitor = try await console.visitor([.read])
            let names = [
                "journal", "trial-balance", "accounts", "accounts/sales/statement", "receivables", "tips", "taxes",
                "fees",
            ]
            for name in names {
                let now = try await visitor.get("/console/\(name)")
                let page = Markup(now.body)
                #expect(page.faults.isEmpty && now.body.contains(" USD"), "\(name): \(page.faults)")
                let fields = page.elements.compactMap { $0.attributes["name"] }
                #expect(fields.contains("as_of") && fields.contains("as_of_position"), "\(name)")
                for past in ["as_of_position=0", "as_of=2020-01-01T00%3A00"] {
                    let answer = try await visitor.get("/console/\(name)?\(past)")
                    #expect(answer.status == 200 && !answer.body.contains(" USD"), "\(name)?\(past)")
                }
            }
        }
    }

    /// Nothing is drawn without amounts, and filters are those of the API.
    @Test func emptyBooksHaveNoChart() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor([.read])
            for name in ["tips", "taxes", "fees", "receivables", "cash-forecast"] {
                let answer = try await visitor.get("/console/\(name)?currency=USD")
                #expect(answer.status == 200 && Markup(answer.body).faults.isEmpty, "\(name): \(answer.body)")
                #expect(!answer.body.contains("<svg"), "\(name)")
                #expect(try await visitor.get("/console/\(name)?nothing=1").status == 400, "\(name)")
            }
            for query in ["tips?by=authority", "taxes?by=recipient", "tips?by=day,day", "fees?from_day=x"] {
                #expect(try await visitor.get("/console/\(query)").status == 400, "\(query)")
            }
            let stranger = try await console.visitor([.audit])
            for name in ["tips", "taxes", "fees"] {
                #expect(try await stranger.get("/console/\(name)").status == 403, "\(name)")
            }
        }
    }
}
