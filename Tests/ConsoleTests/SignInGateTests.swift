import Canonical
import DaybookTestKit
import Testing

@testable import Console

/// Repeated sign-ins with wrong keys have to wait.
struct SignInGateTests {
    private static let now = Timestamp(microsecondsSince1970: 1_790_035_200_000_000)

    @Test func tooManyWrongKeysHaveToWait() async throws {
        let clock = ManualClock(at: Self.now)
        try await TestConsole.serve(clock: clock) { console in
            let browser = Browser(port: console.port)
            for _ in 0..<SignInGate.limit {
                #expect(try await browser.signIn("dbk_test_nonsense").status == 403)
            }
            let key = try await console.key().secret
            clock.advance(seconds: 60)
            let refused = try await browser.signIn("dbk_test_nonsense")
            #expect(refused.status == 429 && refused.fields["retry-after"] == "240", "\(refused.fields)")
            #expect(refused.body.contains("too-many-attempts"))
            clock.advance(seconds: 240)
            #expect(try await browser.signIn("dbk_test_nonsense").status == 403)
            for _ in 0..<SignInGate.limit { _ = try await browser.signIn("dbk_test_nonsense") }
            #expect(try await browser.signIn("dbk_test_nonsense").status == 429)
            // Others behind the same proxy share the address, and a valid key is accepted.
            #expect(try await browser.signIn(key).status == 303)
        }
    }

    @Test func addressesAreCountedSeparately() {
        let gate = SignInGate()
        for _ in 0..<SignInGate.limit { #expect(gate.failed("192.0.2.1", at: Self.now) == nil) }
        #expect(gate.failed("192.0.2.1", at: Self.now) == 300 && gate.failed("192.0.2.2", at: Self.now) == nil)
        // A clock set back does not make the wait longer than the window.
        #expect(gate.failed("192.0.2.1", at: Self.now.adding(microseconds: -86_400_000_000)) == 300)
        #expect(gate.failed("192.0.2.1", at: Self.now.adding(microseconds: SignInGate.windowMicroseconds)) == nil)
    }

    @Test func theTableIsBounded() {
        let gate = SignInGate()
        for number in 0..<(SignInGate.capacity + 100) {
            _ = gate.failed("address \(number)", at: Self.now.adding(microseconds: Int64(number)))
        }
        #expect(gate.count == SignInGate.capacity)
        // Expired entries are removed first.
        _ = gate.failed("later", at: Self.now.adding(microseconds: SignInGate.windowMicroseconds * 2))
        #expect(gate.count == 1)
    }
}
