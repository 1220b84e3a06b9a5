import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Payments
import Projections
import Testing

@testable import Console

/// Pages about one merchant use the merchant's zone.
struct MerchantZoneTests {
    @Test func aMerchantsPagesAreInItsZone() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let payments = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 1000
            )
            let items = try payments.map { try JSONValue(parsing: $0.json.utf8) }
            let item = try #require(items.first { $0["merchant"] != nil })
            let merchant = try #require(item["merchant"]?.string)
            let address = Address.transaction(try #require(item["id"]?.string))
            let visitor = try await console.visitor()
            #expect(try await visitor.get(address).body.contains(" UTC</time>"))
            #expect(try await !visitor.get(address).body.contains("zone-note"))

            try await console.describe(merchant, "Asia/Kolkata", "04:00")
            try await console.ledger.catchUp()
            let page = try await visitor.get(address).body
            #expect(page.contains("+05:30</time>") && page.contains("in the zone Asia/Kolkata"))
            #expect(page.contains("<p class=\"zone-note\">") && Markup(page).faults.isEmpty)
            // The merchant had no description at that position, so times are in UTC.
            let position = try #require(item["lastPosition"]?.int64)
            let past = try await visitor.get("\(address)?as_of_position=\(position)").body
            #expect(past.contains(" UTC</time>") && !past.contains("+05:30</time>") && !past.contains("zone-note"))
            let filter = "merchant=\(Browser.escaped(merchant))"
            let list = try await visitor.get("/console/transactions?\(filter)").body
            #expect(list.contains("+05:30</time>") && !list.contains(" UTC</time></a>"))
            // Times in the form are in the merchant's zone, too. Its day begins at 04:00.
            let day = try await visitor.get("/console?day=2026-09-22&\(filter)").body
            #expect(day.contains("in the zone Asia/Kolkata, beginning at 04:00"))
            #expect(day.contains("--zone=Asia/Kolkata --cutoff=04:00"))
            // A zone in the address takes precedence. Pages of other merchants keep theirs.
            #expect(try await visitor.get("\(address)?zone=UTC").body.contains(" UTC</time>"))
            visitor.cookies["daybook_zone"] = nil
            let other = try #require(items.first { $0["merchant"] != nil && $0["merchant"]?.string != merchant })
            let theirs = try await visitor.get(Address.transaction(try #require(other["id"]?.string))).body
            #expect(theirs.contains(" UTC</time>") && !theirs.contains("zone-note"))
        }
    }

    @Test func thePastOfAPaymentIsShown() async throws {
        try await TestConsole.serve(on: .tradingDay) { console in
            let payments = try await console.ledger.payments.transactions.transactions(
                of: "acme",
                matching: .init(),
                limit: 1000
            )
            let payment = try #require(payments.max { $0.version < $1.version })
            let events = try await console.ledger.reader.stream("transaction/\(payment.id.description)", of: "acme")
            try #require(events.count > 2)
            let visitor = try await console.visitor()
            let address = Address.transaction(payment.id.description)
            let now = try await visitor.get(address).body
            #expect(now.contains("event \(events[2].position)<") && !now.contains("This page shows a past state"))
            let past = try await visitor.get("\(address)?as_of_position=\(events[1].position)").body
            #expect(past.contains("event \(events[1].position)<") && !past.contains("event \(events[2].position)<"))
            #expect(past.contains("This page shows a past state") && past.contains("at position \(events[1].position)"))
            #expect(Markup(past).faults.isEmpty, "\(Markup(past).faults)")
            #expect(past.contains("--as-of-position=\(events[1].position)"))
            let early = try await visitor.get("\(address)?as_of_position=\(events[0].position - 1)")
            #expect(early.status == 404 && early.body.contains("had not begun by then"))
            for bad in ["as_of=yesterday", "as_of_position=x", "as_of=2026-01-01T00:00&as_of_position=1"] {
                #expect(try await visitor.get("\(address)?\(bad)").status == 400, "\(bad)")
            }
            // A browser sends the empty field, too.
            let (place, _) = try await visitor.page("\(address)?as_of=&as_of_position=\(events[1].position)")
            #expect(place == "\(address)?as_of_position=\(events[1].position)")
            // The form's time is in the visitor's zone.
            let later = try await visitor.get("\(address)?as_of=2999-01-01T00%3A00&zone=Asia%2FTokyo").body
            #expect(later.contains("This page shows a past state") && later.contains("2999-01-01 00:00:00 +09:00"))
        }
    }
}
