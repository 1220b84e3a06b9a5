import Access
import Canonical
import Composition
import DaybookAPI
import DaybookTestKit
import EventLog
import Operations
import Payments
import Projections
import Reconciliation
import Testing

@testable import Console

/// Lists page by page, filters in the address, and the search box.
struct FindingTests {
    private static let midnight = TestDatabase.Template.tradedDay

    private static func links(_ page: String, _ prefix: String) -> [String] {
        Markup(page).elements.filter { $0.name == "a" }.compactMap {
            $0.attributes["href"]?.replacing("&amp;", with: "&")
        }
        .filter { $0.hasPrefix(prefix) }
    }

    @Test func pagesOfAListHoldEveryPaymentOnce() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let visitor = try await console.visitor()
            var address: String? = "/console/transactions?limit=7"
            var seen: [String] = []
            var pages = 0
            while let place = address {
                let page = try await visitor.get(place)
                try #require(page.status == 200, "\(page.body)")
                seen += Self.links(page.body, "/console/transactions/")
                address = Markup(page.body).elements.first { $0.attributes["rel"] == "next" }?.attributes["href"]?
                    .replacing("&amp;", with: "&")
                pages += 1
                try #require(pages < 50)
            }
            let all = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 1000
            )
            #expect(seen == all.map { "/console/transactions/\($0.id.description)" })
            #expect(pages == (all.count + 6) / 7)

            let events = try await visitor.get("/console/events")
            let older = try #require(Self.links(events.body, "/console/events?up_to=").first)
            let first = Self.links(events.body, "/console/events/")
            let second = Self.links(try await visitor.get(older).body, "/console/events/")
            #expect(first.count == 100 && !second.isEmpty && Set(first).isDisjoint(with: second))
        }
    }

    @Test func filtersHaveAShortAddressInTheZone() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let visitor = try await console.visitor()
            // A browser sends every field of the form.
            let (address, page) = try await visitor.page(
                "/console/transactions?from=2026-09-22T00%3A00&to=&status=&vendor=bridgepay&merchant=&in_doubt=true"
            )
            #expect(address == "/console/transactions?from=2026-09-22T00%3A00&vendor=bridgepay&in_doubt=true")
            #expect(page.status == 200)
            #expect(
                page.body.contains("value=\"2026-09-22T00:00:00\"") || page.body.contains("value=\"2026-09-22T00:00\"")
            )

            let token = try #require(Browser.formToken(page.body))
            let zoned = try await visitor.send(
                "POST",
                "/console/zone",
                form: [("form", token), ("zone", "Asia/Tokyo"), ("back", "/console/system")]
            )
            #expect(zoned.status == 303 && zoned.fields["location"] == "/console/system")
            #expect(try await visitor.get("/console/system").body.contains("+09:00</time>"))
            #expect(try await visitor.get("/console/system?zone=Europe/Paris").status == 200)
            #expect(visitor.cookies["daybook_zone"] == "Europe/Paris")
            let bad = try await visitor.send("POST", "/console/zone", form: [("form", token), ("zone", "Mars/Base")])
            #expect(bad.status == 400)
        }
    }

    @Test func anyIdentifierIsFound() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let visitor = try await console.visitor()
            let payments = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 1000
            )
            var tried: Set<String> = []
            for payment in payments {
                let item = try JSONValue(parsing: payment.json.utf8)
                let place = "/console/transactions/\(payment.id.description)"
                let names: [(String, JSONValue?)] = [
                    ("id", item["id"]), ("gateway", item["references"]?["gatewayTransaction"]),
                    ("rrn", item["references"]?["retrievalReference"]), ("invoice", item["references"]?["invoice"]),
                    ("code", item["references"]?["authorizationCode"]), ("reference", item["reference"]),
                    ("last4", item["card"]?["lastFour"]),
                ]
                for case (let kind, let name?) in names {
                    guard tried.insert(kind).inserted, let text = name.string else { continue }
                    let (address, page) = try await visitor.page("/console/search?q=+\(Browser.escaped(text))+")
                    #expect(page.status == 200)
                    #expect(address == place || Self.links(page.body, place).count > 0, "\(kind) \(text): \(address)")
                }
            }
            #expect(tried.isSuperset(of: ["id", "gateway", "code", "reference", "last4", "invoice"]), "\(tried)")

            let batches = try await console.ledger.payments.batches.batches(of: "acme", limit: 100)
            let batch = try #require(batches.first { $0.reference.number != nil })
            let number = try #require(batch.reference.number)
            let (place, found) = try await visitor.page("/console/search?q=\(Browser.escaped(number))")
            #expect(
                place.hasPrefix("/console/batches/") || found.body.contains(">\(number)</a>"),
                "\(place)"
            )
            let checkouts = try await console.ledger.payments.checkouts.checkouts(
                of: "acme",
                matching: .init(),
                limit: 100
            )
            let wallet = try #require(checkouts.first { !$0.transactions.isEmpty })
            let checkout = Address.checkout(wallet.id)
            #expect(try await visitor.page("/console/search?q=\(Browser.escaped(wallet.id))").address == checkout)
            // Each payment links to its checkouts and back.
            for one in wallet.transactions {
                let payment = Address.transaction(one)
                #expect(try await visitor.get(checkout).body.contains("href=\"\(payment)\""))
                #expect(Self.links(try await visitor.get(payment).body, checkout).count == 1)
            }
            let reader = try #require(try await console.ledger.payments.readers.readers(of: "acme", limit: 1).first)
            let (device, _) = try await visitor.page("/console/search?q=\(Browser.escaped(reader.reader.serial))")
            #expect(device.hasPrefix("/console/readers/") || device.hasPrefix("/console/search"))
            #expect(try await visitor.page("/console/search?q=%233").address == "/console/events/3")
            #expect(try await visitor.get("/console/search?q=no-such-thing").body.contains("Nothing found."))
            #expect(try await visitor.get("/console/search?q=").status == 303)
            // The longest search is linked; a longer one is not.
            let longest = try #require(Address.search(String(repeating: "x", count: 256)))
            #expect(try await visitor.get(longest).status == 200)
            #expect(Address.search(String(repeating: "x", count: 257)) == nil)
        }
    }

    @Test func subjectsOfReconciliationAreFound() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            // A line that names a payment, with another amount.
            let payments = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 1000
            )
            let captured = try payments.map { try JSONValue(parsing: $0.json.utf8) }.first {
                $0["captures"]?.array?.isEmpty == false && $0["references"]?["gatewayTransaction"] != nil
            }
            let named = try #require(captured?["references"]?["gatewayTransaction"]?.string)
            try await console.post(
                "/v1/statements?name=may.csv",
                "type,currency,gross,fee,net,processor_id,day\nsale,USD,0.01,0.00,0.01,\(named),2026-09-22\n",
                type: "text/csv",
                as: [.reconcile]
            )
            try await console.reconcile()
            let visitor = try await console.visitor()
            let exceptions = try await console.ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 1000)
            let ofLine = try #require(exceptions.first { $0.line != nil })
            let ofPayment = try #require(exceptions.first { $0.transaction != nil })
            let run = try #require(try await console.ledger.reconciliation.query.runs(of: "acme", limit: 1).first)
            for (name, place) in [
                (ofLine.id.text, Address.exception(ofLine.id.text)), (run.id.text, Address.run(run.id.text)),
            ] {
                let (address, page) = try await visitor.page("/console/search?q=\(name)")
                #expect(address == place && page.status == 200)
            }
            // Search by the line's id, by its processor id, and by the payment.
            let line = try #require(ofLine.line)
            let view = try #require(try await console.ledger.exception(ofLine.id, of: "acme"))
            let reference = try #require(view.statementLine?.references["processor_id"]?.string)
            let payment = try #require(ofPayment.transaction)
            for (name, exception) in [(line.text, ofLine), (reference, ofLine), (payment.text, ofPayment)] {
                let page = try await visitor.get("/console/search?q=\(Browser.escaped(name))&all=true")
                #expect(Self.links(page.body, Address.exception(exception.id.text)).count == 1, "\(name)")
            }
            // The list of runs links to the run, and the run to its exceptions.
            let place = Address.run(run.id.text)
            #expect(Self.links(try await visitor.get("/console/reconciliation").body, place) == [place])
            let raised = try await visitor.get(place)
            #expect(raised.status == 200 && raised.body.contains(run.rules))
            #expect(Self.links(raised.body, Address.exception(ofLine.id.text)).count == 1)
            #expect(try await visitor.get(Address.run("no-run")).status == 404)
        }
    }

    @Test func openPagesReceiveNewEvents() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor()
            let client = try await RawClient.connect(port: console.port)
            let cookie = try #require(visitor.cookies["daybook_session"])
            try await client.send(
                "GET /console/live HTTP/1.1\r\nHost: localhost\r\nCookie: daybook_session=\(cookie)\r\n\r\n"
            )
            let head = String(decoding: try await client.read(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
            #expect(head.contains("200 OK") && head.contains("text/event-stream"))
            let first = String(decoding: try #require(try await client.readChunk()), as: UTF8.self)
            #expect(first.contains("event: listening") && first.contains("\"position\":0"))
            try await console.trade(payments: 1, on: Self.midnight)
            let chunk = String(decoding: try #require(try await client.readChunk()), as: UTF8.self)
            #expect(chunk.contains("event: appended") && chunk.contains("\"events\":"))
            #expect(!chunk.contains("merchant"))
        }
    }

    @Test func openPagesAreToldOfANewEpoch() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor()
            try await console.trade(payments: 1, on: Self.midnight)
            let head = try await console.ledger.reader.head()
            let cookie = try #require(visitor.cookies["daybook_session"])
            func open() async throws -> RawClient {
                let client = try await RawClient.connect(port: console.port)
                try await client.send(
                    "GET /console/live HTTP/1.1\r\nHost: localhost\r\nCookie: daybook_session=\(cookie)\r\n\r\n"
                )
                _ = try await client.read(through: Array("\r\n\r\n".utf8))
                return client
            }
            let client = try await open()
            let first = String(decoding: try #require(try await client.readChunk()), as: UTF8.self)
            #expect(first.contains("id: \(head)\n"))
            // The page connects again, and learns of the state of the new epoch.
            try await TestLog.adopt(at: console.url)
            while try await client.readChunk() != nil {}
            let second = String(decoding: try #require(try await open().readChunk()), as: UTF8.self)
            #expect(second.contains("id: 1-\(head + 1)\n") && second.contains("\"position\":\(head + 1)"))
            for (after, code) in [("\(head)", "other-epoch"), ("1-\(head + 9)", "position-beyond-end")] {
                #expect(try await visitor.get("/console/live?after=\(after)").body.contains(code), "\(after)")
            }
        }
    }
}
