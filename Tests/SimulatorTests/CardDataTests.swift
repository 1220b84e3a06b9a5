import Canonical
import Redaction
import Testing
import Vendors

@testable import Simulator

/// Some documents contain forbidden data on purpose, and the scrubber must remove all of it.
@Suite struct CardDataTests {
    @Test func carelessDocumentsAreScrubbed() throws {
        let played = try Played(transactions: 5_000, days: 5, faults: .none)
        let careless = Set(played.payments.filter(\.isCareless).map(\.reference))
        let adapters = Dictionary(uniqueKeysWithValues: VendorAdapters.all.map { ($0.vendor, $0) })
        var found = 0
        for delivery in played.deliveries {
            let document = delivery.document
            let isCareless = document.reference.map(careless.contains) ?? false
            let raw = document.record.text
            if !isCareless {
                #expect(CardSecrets.cardNumbers.allSatisfy { !raw.contains($0) }, "\(raw)")
                continue
            }
            guard CardSecrets.cardNumbers.contains(where: raw.contains) else { continue }
            found += 1
            let adapter = try #require(adapters[document.vendor])
            let scrubber = Scrubber(schema: adapter.redactionSchema(for: document.kind))
            let left = scrubber.scrub(UnscrubbedDocument(document.body))
            let text = left.value.text
            for secret in CardSecrets.all { #expect(!text.contains(secret), "\(document.vendor) \(document.kind)") }
            #expect(!left.redactions.isEmpty)
        }
        #expect(found > 10)
    }
}
