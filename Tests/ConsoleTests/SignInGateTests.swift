import Canonical
import DaybookTestKit
import Testing

@testable import Console

/// Whoever tries many wrong keys has to wait.
@Suite(.timeLimit(.minutes(20))) struct SignInGateTests {
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
            for attempt in ["dbk_test_nonsense", key] {
                let refused = try await browser.signIn(attempt)
                #expect(refused.status == 429 && refused.fields["retry-after"] == "240", "\(refused.fields)")
                #expect(refused.body.contains("too-many-attempts"))
            }
            clock.advance(seconds: 240)
            #expect(try await browser.signIn(key).status == 303)
        }
    }

    @Test func aGoodKeyBeginsAnew() {
        let gate = SignInGate()
        for _ in 1..<SignInGate.limit { gate.failed("192.0.2.1", at: Self.now) }
        #expect(gate.wait("192.0.2.1", at: Self.now) == nil)
        gate.succeeded("192.0.2.1")
        for _ in 1..<SignInGate.limit { gate.failed("192.0.2.1", at: Self.now) }
        #expect(gate.wait("192.0.2.1", at: Self.now) == nil)
        gate.failed("192.0.2.1", at: Self.now)
        #expect(gate.wait("192.0.2.1", at: Self.now) == 300 && gate.wait("192.0.2.2", at: Self.now) == nil)
        // A clock that was set back does not make the wait longer than the window.
        #expect(gate.wait("192.0.2.1", at: Self.now.adding(microseconds: -86_400_000_000)) == 300)
    }

    @Test func theTableHasAnEnd() {
        let gate = SignInGate()
        for number in 0..<(SignInGate.capacity + 100) {
            gate.failed("address \(number)", at: Self.now.adding(microseconds: Int64(number)))
        }
        #expect(gate.count == SignInGate.capacity)
        // What is over makes room first.
        gate.failed("later", at: Self.now.adding(microseconds: SignInGate.windowMicroseconds * 2))
        #expect(gate.count == 1)
    }
}
