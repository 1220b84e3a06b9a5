import Canonical
import Payments
import Testing
import Vendors

/// The facts of documents, limited to what their sender can know.
@Suite("Limited evidence")
struct LimitedEvidenceTests {
    @Test("No fact of a document has evidence above the limit, and nothing else changes", arguments: VendorFixture.all)
    func limits(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        for event in observation.events {
            for limit in Evidence.allCases {
                let limited = event.limited(to: limit)
                #expect(limited.evidence?.rank ?? 0 <= limit.rank)
                #expect(limited.evidence == event.evidence?.limited(to: limit))
                #expect(limited.type == event.type && limited.limited(to: .settlement) == limited)
                // Whatever states evidence is limited.
                let stated = try limited.data()["evidence"]?.string
                #expect(stated == limited.evidence?.rawValue)
            }
            #expect(event.limited(to: .settlement) == event)
        }
        for event in observation.batchEvents {
            #expect(event.limited(to: .settlement) == event)
            let stated = try event.limited(to: .relayed).data()["evidence"]?.string
            if case .anomalyRaised = event { continue }
            #expect(stated == "relayed")
        }
    }

    @Test("An adapter reports nothing that only the ledger records", arguments: VendorFixture.all)
    func ownEvents(fixture: VendorFixture) throws {
        for event in try fixture.observation().events {
            switch event {
            case .documentReceived, .gateway, .cardToken, .dispute, .receiptIssued, .keysLinked, .batchAssigned:
                Issue.record("\(event.type) in \(fixture.name)")
            case .outcomeResolved(let resolution):
                #expect(resolution.testimony == nil && resolution.statementLine == nil)
            default: continue
            }
        }
    }

    @Test("Every vendor has facts of its host, and all of them can be relayed")
    func everyVendor() throws {
        for vendor in Vendor.allCases {
            let fixtures = VendorFixture.all.filter { $0.adapter?.vendor == vendor }
            let events = try fixtures.flatMap { try $0.observation().events }
            #expect(events.contains { $0.evidence == .gateway }, "\(vendor)")
            #expect(events.allSatisfy { $0.limited(to: .relayed).evidence?.isConfirmed != true }, "\(vendor)")
        }
    }

    @Test("A relayed recovered void leaves in doubt what it raises", arguments: [Evidence.relayed, .settlement])
    func recoveredVoid(limit: Evidence) throws {
        let sale = try VendorFixture.named("handpoint/finance-sale").observation().events
        let fixture = try VendorFixture.named("handpoint/finance-void")
        var body = try #require(fixture.body.object)
        var details = try #require(body["xml"]?.object)
        details["RecoveredTransaction"] = "true"
        body["xml"] = .object(details)
        let adapter = try #require(fixture.adapter)
        let void = try fixture.observation(of: .object(body)).events
        #expect(void.contains(.anomalyCleared(.followUpInDoubt(.void))))
        var history = Lifecycle.decide(sale, after: [], policy: adapter.policy)
        history += Lifecycle.decide(void.map { $0.limited(to: limit) }, after: history, policy: adapter.policy)
        let state = TransactionState(folding: history)
        #expect(state.isInDoubt == (limit == .relayed) && state.captured == (limit == .relayed ? 1_000 : 0))
    }
}

extension Evidence {
    /// True for the ranks that no sender of a document has without vouching for it.
    fileprivate var isConfirmed: Bool { self == .gateway || self == .settlement }
}
