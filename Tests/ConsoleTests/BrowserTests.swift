import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Testing

/// The console in a real browser: every page in light, dark and at the width of a phone, with proofs that are checked;
/// by keyboard only; and without scripts. `make screenshots` keeps the pictures.
struct BrowserTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func aBrowserFindsNothingWrong() async throws {
        let keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test"))))
        try await TestConsole.serve(
            on: .tradingDay,
            signing: EvidenceOptions(keys: keys),
            gateways: try Replaying.gateways(),
            replaying: Replaying.options
        ) { console in
            for number in 1...3 { _ = try await console.declined(number) }
            try await console.importStatement("acquirer-may.csv", more: 30)
            try await console.reconcile()
            let head = try await console.ledger.reader.head()
            try await console.ledger.signing.waitForCheckpoint(of: head)
            let key = try await console.key([.read, .audit, .reconcile, .replayPlan, .replayApprove], holder: "ann")
            let colleague = try await console.key([.read, .replayApprove], holder: "bob")
            var arguments = [
                "--url", "http://localhost:\(console.port)", "--key", key.secret, "--colleague",
                colleague.secret, "--day",
                String(TestDatabase.Template.tradedDay.rfc3339.prefix(10)),
            ]
            if let directory = ProcessInfo.processInfo.environment["DAYBOOK_SCREENSHOTS"] {
                arguments += ["--pictures", directory]
            }
            let walk = try await ChildProgram.run(
                Self.root.appending(path: "ops/console-browser").path(percentEncoded: false),
                arguments
            )
            #expect(walk.succeeded, "\(walk.standardOutput) \(walk.standardError)")
            let report = try JSONValue(parsing: walk.standardOutput)
            #expect(report["pages"]?.array?.count ?? 0 >= 45, "\(walk.standardOutput)")
            #expect(report["walks"] == 3, "\(walk.standardOutput)")
        }
    }
}
