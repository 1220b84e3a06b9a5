import DaybookTestKit
import Foundation
import Testing

/// `ops/audit-charges` explains every charge of a sound run, and finds each breach planted in it.
@Suite struct AuditChargesTests {
    @Test func findsEachPlantedBreachAndNothingElse() async throws {
        let program = Check.root.appending(path: "ops/audit-charges").path()
        let result = try await ChildProgram.run("/usr/bin/env", ["python3", program, "--self-test"])
        #expect(result.exitCode == 0, "\(result.standardOutput)\(result.standardError)")
    }
}
