import Canonical
import Foundation
import Payments
import Testing

/// What each event of a payment posts. The histories were written from the API's document and the accounts' meanings, by
/// an author who has not seen the code.
struct HistoryTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Histories")
    private static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? []).sorted()

    @Test func thereAreHistories() { #expect(Self.files.count >= 4) }

    @Test(arguments: files)
    func everyEventPostsWhatTheHistorySays(_ file: String) throws {
        let text = try Data(contentsOf: Self.directory.appending(path: file))
        let histories = try #require(try JSONValue(parsing: text).array)
        for history in histories {
            let name = history["name"]?.string ?? ""
            var recorded: [TransactionEvent] = []
            for (place, event) in (history["events"]?.array ?? []).enumerated() {
                let type = try #require(event["type"]?.string, "\(name)")
                let data = try #require(event["data"], "\(name)")
                let fact = try TransactionEvent(type: type, schema: 1, data: data)
                let before = TransactionState(folding: recorded)
                recorded += Lifecycle.decide(
                    Self.reported(fact, after: recorded),
                    after: recorded,
                    policy: LifecyclePolicy()
                )
                let book = TransactionState(folding: recorded).book
                var posted: [String: Int64] = [:]
                for leg in Leg.changes(from: before.book, to: book) {
                    let account = leg.account.rawValue + (leg.part.isEmpty ? "" : "/\(leg.part)")
                    posted[account, default: 0] += leg.amount
                }
                var expected: [String: Int64] = [:]
                for member in event["legs"]?.object?.members ?? JSONObject() {
                    expected[member.key] = member.value.int64
                }
                #expect(posted.filter { $0.value != 0 } == expected, "\(name), event \(place + 1): \(type)")
            }
        }
    }

    /// The approval of a sale is reported together with its capture, or the request that shows that it is one. The
    /// histories leave the capture out.
    private static func reported(_ fact: TransactionEvent, after known: [TransactionEvent]) -> [TransactionEvent] {
        var state = TransactionState(folding: known)
        let isFirst = state.operation != .sale
        Lifecycle.evolve(&state, fact)
        guard state.operation == .sale, state.tenders.entries.isEmpty else { return [fact] }
        return [fact] + ((isFirst ? known : []) + [fact]).compactMap(capture)
    }

    private static func capture(_ fact: TransactionEvent) -> TransactionEvent? {
        switch fact {
        case .authorizationApproved(let approval), .partiallyApproved(let approval):
            .captured(
                Capture(
                    id: Capture.saleID,
                    amounts: approval.amounts,
                    evidence: approval.evidence,
                    batch: approval.batch
                )
            )
        default: nil
        }
    }
}
