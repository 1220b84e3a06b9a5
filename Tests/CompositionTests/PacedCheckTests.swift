import Testing

@testable import Composition

struct PacedCheckTests {
    /// In four seconds of a loop that asks every 20 ms.
    @Test func aCheckRunsOnceASecond() async throws {
        let start = ContinuousClock.now
        var check = PacedCheck()
        var runs = 0
        for turn in 0..<200 {
            let result = try await check.result(at: start + .milliseconds(20 * turn)) {
                runs += 1
                return runs.isMultiple(of: 2)
            }
            #expect(runs == turn / 50 + 1)
            #expect(result == runs.isMultiple(of: 2))
        }
    }
}
