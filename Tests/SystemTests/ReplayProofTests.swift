import DaybookTestKit
import Foundation
import ReplayProof
import Testing

/// A gateway that loses answers, two servers that are killed and whose clocks jump, and a database that is killed and
/// restored to earlier times: in the end every payment is closed by evidence, no card was charged twice, the ledger
/// equals the gateway's records to the cent, and no tenant reached the account of the other. `make proof` runs it with
/// more payments (docs/decisions/0044).
struct ReplayProofTests {
    private static let payments = ProcessInfo.processInfo.environment["DAYBOOK_PROOF_PAYMENTS"].flatMap { Int($0) }

    /// The program to test, relative to the tests' working directory; the `daybook` built with the tests if it is
    /// empty.
    private static let program = ProcessInfo.processInfo.environment["DAYBOOK_PROOF_PROGRAM"].flatMap {
        $0.isEmpty ? nil : URL(filePath: $0).path
    }

    @Test func nothingIsChargedTwiceDespiteKills() async throws {
        var random = SeededGenerator.forTest()
        let proof = ProofRun(payments: Self.payments ?? 500, seed: random.next(), program: Self.program) {
            print("proof: \($0)")
        }
        let outcome = try await proof.run()
        #expect(outcome.complaints.isEmpty && outcome.furtherComplaints == 0)
        #expect(outcome.doubleCharges == 0 && outcome.differenceCents == 0)
        #expect(outcome.payments == proof.payments && outcome.doubts > 0 && outcome.resubmissions > 0)
        #expect(outcome.kills >= 3 && outcome.jumps == 2 && outcome.restores == 2 && outcome.foreignRequests == 0)
        print("proof: \(outcome)")
    }
}
