import Access
import Canonical
import DaybookTestKit
import Testing

/// Twenty cases for each vendor's document, with what a back office must see afterwards. Readers of the documents wrote
/// them; they had seen none of the code.
@Suite struct DocumentCaseTests {
    static let vendors = ["bridgepay", "paydiant", "handpoint", "dejavoo", "youtransactor"]

    @Test(arguments: vendors)
    func theBackOfficeSeesWhatTheDocumentMeans(_ vendor: String) async throws {
        let cases = try DocumentCase.all(of: vendor)
        #expect(cases.count == 20)
        // After the last of the documents' times, and always behind the clock of the database.
        let clock = ManualClock(at: SystemClock().now().adding(microseconds: -86_400_000_000))
        try await TestAPI.serve(clock: clock) { api in
            // Entries that hold again must go.
            var unused = Self.disputed.filter { entry in cases.contains { $0.id == entry.id } }
            for (number, one) in cases.enumerated() {
                let tenant = "case-\(number)"
                let caller = try await api.caller([.admin, .documents, .read, .replayPlan], tenant: tenant)
                let trial = DocumentTrial(
                    api: api,
                    caller: caller,
                    tenant: tenant,
                    clock: clock,
                    vendor: vendor,
                    one: one
                )
                for miss in try await trial.misses() {
                    let entry = unused.firstIndex { $0.id == one.id && miss.hasPrefix($0.expectation + " ") }
                    if let entry { unused.remove(at: entry) } else { Issue.record("\(one.id): \(miss)") }
                }
            }
            for entry in unused { Issue.record("\(entry.id): \(entry.expectation) holds; \(entry.reason)") }
        }
    }

    @Test("What a case says in words is tried, or it has the reason why not", arguments: vendors)
    func wordsAreTried(_ vendor: String) throws {
        for one in try DocumentCase.all(of: vendor) {
            let words = one.words ?? []
            #expect(one.untried.isEmpty, "\(one.id): \(one.untried)")
            let named = one.expect.compactMap(\.tries) + (one.notTried ?? []).map(\.words)
            #expect(named.allSatisfy { words.indices.contains($0) }, "\(one.id): \(named)")
            #expect((one.notTried ?? []).allSatisfy { !$0.reason.isEmpty }, "\(one.id)")
            var bare = one
            bare.expect.removeAll { $0.tries != nil }
            bare.notTried = nil
            #expect(bare.untried == words, "\(one.id)")
        }
    }

    /// Expectations that do not hold, each with the reason.
    private static let disputed: [(id: String, expectation: String, reason: String)] = [
        (
            "settlement-closes-only-its-own-terminals-batch", "batch closedAt is",
            "the terminal's local time is in closedLocalTime; closedAt is the sender's clock"
        ),
        (
            "settlement-closes-only-its-own-terminals-batch", "batch settlement is",
            "a part of this id passes for a card number, so it is masked"
        ),
        (
            "reader-paired-then-card-read-never-resumed", "reader firstSeen is",
            "the scan lists two names, and the connection an identifier: nothing says that one of them is it"
        ),
        (
            "online-pin-secrets-and-context-twice", "transaction card.pinEntered is",
            "the PIN block is dropped before the document is read, and no tag 9F34 names the method"
        ),
    ]
}
