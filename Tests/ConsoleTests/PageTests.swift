import Access
import Canonical
import Composition
import DaybookTestKit
import Foundation
import Projections
import Testing

@testable import Console

/// Every page of a filled ledger is served well-formed, with header fields against caching and framing.
struct PageTests {
    private static let midnight = TestDatabase.Template.tradedDay

    /// Every address that pages link to, except sign-out.
    private static func pages(_ visitor: Browser) async throws -> [(address: String, response: RawResponse)] {
        var waiting = ["/console", "/console?day=\(Zone.utc.day(midnight))", "/console/events?type=AnomalyRaised"]
        var seen = Set(waiting)
        var visited: [(address: String, response: RawResponse)] = []
        // The number of visited pages of each kind is limited.
        var counts: [String: Int] = [:]
        while !waiting.isEmpty {
            let address = waiting.removeFirst()
            let kind = address.prefix { $0 != "?" }.split(separator: "/").prefix(2).joined(separator: "/")
            counts[kind, default: 0] += 1
            guard counts[kind, default: 0] <= 12 else { continue }
            let (place, response) = try await visitor.page(address)
            visited.append((place, response))
            for element in Markup(response.body).elements {
                guard element.name == "a", let href = element.attributes["href"]?.replacing("&amp;", with: "&"),
                    href.hasPrefix("/console"), !href.hasSuffix("/proof"), seen.insert(href).inserted
                else { continue }
                waiting.append(href)
            }
        }
        return visited
    }

    @Test func everyPageIsWellFormedAndPrivate() async throws {
        let clock = ManualClock(at: Self.midnight.adding(microseconds: 86_400_000_000))
        try await TestConsole.serve(on: .tradingDay, clock: clock) { console in
            try await console.importStatement("may.csv")
            try await console.reconcile()
            let visitor = try await console.visitor([.read, .audit, .reconcile])
            #expect(try await visitor.get("/console/").fields["location"] == "/console")
            let pages = try await Self.pages(visitor)
            let kinds = Set(pages.map { $0.address.prefix { $0 != "?" }.split(separator: "/").dropFirst().first ?? "" })
            #expect(
                kinds.isSuperset(
                    of: [
                        "", "transactions", "batches", "checkouts", "statements", "merchants", "readers", "anomalies",
                        "events", "system", "reconciliation", "exceptions", "periods",
                    ]
                ),
                "\(kinds)"
            )
            for (address, response) in pages {
                #expect(response.status == 200, "\(address): \(response.body)")
                let fields = response.fields
                #expect(fields["x-content-type-options"] == "nosniff", "\(address)")
                #expect(fields["referrer-policy"] == "no-referrer", "\(address)")
                #expect(fields["cache-control"] == "no-store", "\(address)")
                let policy = fields["content-security-policy"] ?? ""
                #expect(
                    policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
                    "\(address)"
                )
                #expect(!policy.contains("unsafe"), "\(address)")
                guard fields["content-type"]?.hasPrefix("text/html") == true else { continue }
                #expect(policy.contains("form-action 'self'") && policy.contains("base-uri 'none'"), "\(address)")
                #expect(Markup(response.body).faults.isEmpty, "\(address): \(Markup(response.body).faults)")
                #expect(response.body.components(separatedBy: "<h1>").count == 2, "\(address)")
                #expect(!response.body.contains("<style") && !response.body.contains("<script>"), "\(address)")
                #expect(!response.body.contains("dbk_"), "\(address)")
            }
        }
    }

    @Test func textsOfMerchantsAreEscaped() async throws {
        try await TestConsole.serve { console in
            // To a browser, a quotation mark with a combining accent is still a quotation mark.
            let nasty = "<script>alert(1)</script>\"\u{308} onclick=\"x\" {{id}} & 'so' \u{202E}back"
            try await console.take(
                "bridgepay",
                [
                    "kind": "BPNPayment", "merchant": .string(nasty),
                    "terminal": "</td><script>alert(1)</script>\"\u{308} onclick=\"x\"",
                    "transaction": .string("ref " + nasty),
                    "body": [
                        "BPNPaymentRequest": [
                            "invoiceNumber": "<b>1</b>", "amount": "7.50", "transactionType": "TRANSACTION_TYPE_SALE",
                            "tenderType": "TENDER_TYPE_CREDIT",
                        ],
                        "BridgeCommResponse": [
                            "transactionID": "<i>", "requestType": "004", "responseCode": "0",
                            "authorizationCode": "786986", "authorizedAmount": "$7.50",
                            "gatewayTransactionID": "214972201",
                            "gatewayMessage": .string("A01 " + nasty), "gatewayResult": "00000",
                            "ISOCurrencyCode": "USD", "cardType": "Visa", "maskedPAN": "4***********9269",
                        ],
                    ],
                ]
            )
            let visitor = try await console.visitor()
            let query = Browser.escaped(nasty)
            let targets = [
                "/console", "/console/transactions", "/console/search?q=214972201", "/console/search?q=\(query)",
                "/console/anomalies", "/console/events", "/console/events/1", "/console/transactions?merchant=\(query)",
                "/console/batches?number=\(query)",
            ]
            var isShown = false
            for target in targets {
                let (address, response) = try await visitor.page(target)
                #expect(response.status == 200 || response.status == 400, "\(target): \(response.status)")
                let markup = Markup(response.body)
                #expect(markup.faults.isEmpty, "\(address): \(markup.faults)")
                #expect(!response.body.contains("<script>alert"), "\(address)")
                #expect(!response.body.unicodeScalars.contains("\u{202E}"), "\(address)")
                #expect(!markup.elements.contains { $0.attributes["onclick"] != nil }, "\(address)")
                if response.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;") { isShown = true }
            }
            #expect(isShown)
        }
    }

    @Test func noTemplateWritesDataUnescaped() {
        for (name, text) in PageRenderer.sources {
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
        }
    }

    @Test func badInputIsExplained() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor()
            for (target, status) in [
                ("/console/transactions?status=lost", 400), ("/console/transactions?nonsense=1", 400),
                ("/console/transactions?cursor=zz", 400), ("/console/transactions/nobody", 404),
                ("/console/transactions/0198c5f2-0000-7000-8000-000000000000", 404), ("/console/batches/1", 404),
                ("/console/checkouts?status=lost", 400), ("/console/checkouts/nobody", 404),
                ("/console/checkouts?transaction=1", 400), ("/console/statements?format=paper", 400),
                ("/console/statements/1", 404), ("/console/statements?cursor=1", 400),
                ("/console/reconciliation?from=yesterday", 400), ("/console/reconciliation?day=2026-09-22", 400),
                ("/console/exceptions?class=lost", 400), ("/console/exceptions?status=lost", 400),
                ("/console/exceptions?cursor=x", 400), ("/console/exceptions?line=1", 400),
                ("/console/exceptions?limit=0", 400), ("/console/exceptions/1", 404),
                ("/console/exceptions/0198c5f2-0000-7000-8000-000000000000", 404),
                ("/console/periods?status=lost", 400), ("/console/periods?from=1", 400), ("/console/periods/1", 404),
                ("/console/periods/0198c5f2-0000-7000-8000-000000000000", 404),
                ("/console/merchants/nobody", 404), ("/console/merchants?limit=0", 400),
                ("/console/readers/acme/1", 404), ("/console/events/0", 404), ("/console/events/99", 404),
                ("/console/nowhere", 404), ("/console/transactions/", 404), ("/console?day=tomorrow", 400),
                ("/console/readers?cursor=1", 400), ("/console/anomalies/1", 404), ("/console/doubts?limit=0", 400),
                ("/console/duplicates?window=0", 400), ("/console/anomalies?state=lost", 400),
            ] {
                let answer = try await visitor.get(target)
                #expect(answer.status == status, "\(target): \(answer.status)")
                #expect(answer.fields["content-type"]?.hasPrefix("text/html") == true, "\(target)")
                #expect(Markup(answer.body).faults.isEmpty, "\(target): \(Markup(answer.body).faults)")
            }
        }
    }

    @Test func tenantsDoNotSeeEachOthersPayments() async throws {
        try await TestConsole.serve { console in
            try await console.trade(payments: 5, on: Self.midnight, tenant: "other")
            let visitor = try await console.visitor()
            let theirs = try await console.visitor(tenant: "other")
            let list = try await theirs.get("/console/transactions").body
            let links = Markup(list).elements.compactMap { $0.attributes["href"] }
            let payments = links.filter { $0.hasPrefix("/console/transactions/") }
            #expect(!payments.isEmpty)
            for address in payments { #expect(try await visitor.get(address).status == 404) }
            #expect(try await visitor.get("/console/transactions").body.contains("No transactions found."))
            #expect(try await visitor.get("/console/events/1").status == 404)
            #expect(try await visitor.get("/console/events/1/proof").status == 404)
        }
    }

    @Test func assetsAreCachedForEver() async throws {
        try await TestConsole.serve { console in
            let browser = Browser(port: console.port)
            let style = try #require(
                Markup(try await browser.get("/console/sign-in").body).elements
                    .first { $0.name == "link" && $0.attributes["rel"] == "stylesheet" }?.attributes["href"]
            )
            let answer = try await browser.get(style)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "text/css; charset=utf-8")
            #expect(answer.fields["cache-control"] == "public, max-age=31536000, immutable")
            let tag = try #require(answer.fields["etag"])
            #expect(try await browser.send("GET", style, fields: ["If-None-Match": tag]).status == 304)
            #expect(try await browser.get(style.replacing(tag.filter { $0 != "\"" }, with: "0123")).status == 404)
        }
    }
}
