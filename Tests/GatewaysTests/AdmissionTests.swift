import Canonical
import DaybookTestKit
import Testing

@testable import Gateways

@Suite("Circuit breaker") struct CircuitBreakerTests {
    enum Step: Sendable {
        /// At this second, with this expected result.
        case admit(Int64, CircuitBreaker.Admission)
        case record(Int64, CircuitBreaker.Result, of: CircuitBreaker.Admission)
    }

    private static func second(_ seconds: Int64) -> Timestamp { Known.now.adding(microseconds: seconds * 1_000_000) }

    private static let opened: [Step] = [
        .admit(0, .pass), .record(0, .failure, of: .pass), .admit(1, .pass), .record(1, .failure, of: .pass),
        .admit(2, .pass), .record(2, .failure, of: .pass), .admit(3, .refused(until: second(32))),
    ]

    static let stories: [(String, [Step], CircuitBreaker.State)] = [
        ("opens after three failures in a row", opened, .open(since: second(2))),
        (
            "a success in between restarts the count",
            Array(opened.prefix(4)) + [.record(2, .success, of: .pass), .record(3, .failure, of: .pass)],
            .closed(failures: 1)
        ),
        (
            "what never got as far counts for nothing",
            Array(opened.prefix(4)) + [
                .record(2, .neutral, of: .pass), .record(2, .failure, of: .refused(until: nil)),
            ],
            .closed(failures: 2)
        ),
        (
            "one may try, and only one", opened + [.admit(32, .probe), .admit(33, .refused(until: nil))],
            .probing
        ),
        (
            "its success closes", opened + [.admit(32, .probe), .record(34, .success, of: .probe), .admit(34, .pass)],
            .closed(failures: 0)
        ),
        (
            "its failure opens it again",
            opened + [.admit(32, .probe), .record(34, .failure, of: .probe), .admit(63, .refused(until: second(64)))],
            .open(since: second(34))
        ),
        (
            "what became of nothing leaves the place to another",
            opened + [.admit(32, .probe), .record(34, .neutral, of: .probe), .admit(34, .probe)],
            .probing
        ),
        (
            "late news of before changes nothing",
            opened + [.record(3, .success, of: .pass), .record(3, .failure, of: .pass)],
            .open(since: second(2))
        ),
        (
            "late news of before does not close it for others while one tries",
            opened + [.admit(32, .probe), .record(33, .success, of: .pass), .admit(33, .refused(until: nil))],
            .probing
        ),
        ("a clock that was set back does not keep it open", opened + [.admit(-3_600, .probe)], .probing),
    ]

    @Test(arguments: stories)
    func story(_ name: String, _ steps: [Step], _ end: CircuitBreaker.State) {
        var breaker = CircuitBreaker(.init(failuresToOpen: 3, openMicroseconds: 30_000_000))
        for step in steps {
            switch step {
            case .admit(let second, let expected):
                let admission = breaker.admit(at: Self.second(second))
                #expect(admission == expected, "\(name)")
            case .record(let second, let result, let admission):
                breaker.record(result, of: admission, at: Self.second(second))
            }
        }
        #expect(breaker.state == end, "\(name)")
    }
}

@Suite("Queue of calls") struct CallQueueTests {
    @Test("Calls run and wait up to their limits, the rest is refused at once")
    func bounds() {
        var queue = CallQueue(.init(concurrent: 2, waiting: 2))
        let entries = (1...5 as ClosedRange<UInt64>).map { queue.enter($0) }
        #expect(entries == [.start, .start, .wait, .wait, .full])
        #expect(queue.running == 2 && queue.waiting == [3, 4])
        // In order of arrival; no later call overtakes them.
        var next = queue.leave()
        #expect(next == 3)
        var entry = queue.enter(6)
        #expect(entry == .wait)
        var isWaiting = queue.abandon(4)
        #expect(isWaiting)
        next = queue.leave()
        #expect(next == 6)
        for _ in 0..<2 {
            next = queue.leave()
            #expect(next == nil)
        }
        #expect(queue.running == 0)
        isWaiting = queue.abandon(6)
        #expect(!isWaiting)
        entry = queue.enter(7)
        #expect(entry == .start)
    }

    @Test("No more calls run than allowed, and no call is lost", arguments: 0..<20 as Range<UInt64>)
    func invariants(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = CallQueue(.init(concurrent: 3, waiting: 5))
        var running: Set<UInt64> = []
        var waiting: [UInt64] = []
        for id in 0..<500 as Range<UInt64> {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                switch queue.enter(id) {
                case .start: running.insert(id)
                case .wait: waiting.append(id)
                case .full: #expect(waiting.count == 5)
                }
            case 1:
                guard let one = running.min() else { continue }
                running.remove(one)
                let next = queue.leave()
                #expect(next == waiting.first)
                if let next {
                    waiting.removeFirst()
                    running.insert(next)
                }
            default:
                guard let one = waiting.last else { continue }
                let isWaiting = queue.abandon(one)
                #expect(isWaiting)
                waiting.removeLast()
            }
            #expect(running.count <= 3 && queue.running == running.count && queue.waiting == waiting)
        }
    }
}

@Suite("Gate before a gateway") struct GatewayGateTests {
    private func gate(_ queue: CallQueue.Settings, failures: Int = 2, clock: ManualClock = ManualClock()) -> GatewayGate
    {
        GatewayGate(queue, .init(failuresToOpen: failures, openMicroseconds: 30_000_000), clock: clock)
    }

    private func code(_ gate: GatewayGate) async -> GatewayFailure.Code? {
        do throws(GatewayFailure) {
            _ = try await gate.enter()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A call without a place waits, and is admitted when one is free")
    func waits() async throws {
        let gate = gate(.init(concurrent: 1, waiting: 1, waitMicroseconds: 600_000_000))
        let first = try await gate.enter()
        async let second = code(gate)
        while await gate.load.waiting == 0 { await Task.yield() }
        #expect(await code(gate) == .queueFull)
        await gate.leave(first, .success)
        #expect(await second == nil)
        #expect(await gate.load == (1, 0))
    }

    @Test("A call that waits too long is not admitted, and neither is a cancelled one")
    func givesUp() async throws {
        let gate = gate(.init(concurrent: 1, waiting: 2, waitMicroseconds: 1))
        let first = try await gate.enter()
        #expect(await code(gate) == .waitedTooLong)
        await gate.leave(first, .success)
        let patient = self.gate(.init(concurrent: 1, waiting: 2, waitMicroseconds: 600_000_000))
        let other = try await patient.enter()
        let waiter = Task { await code(patient) }
        while await patient.load.waiting == 0 { await Task.yield() }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        await patient.leave(other, .success)
        #expect(await patient.load == (0, 0))
    }

    @Test("A gateway that failed too often is not called, then tried with one call")
    func breaks() async throws {
        let clock = ManualClock()
        let gate = gate(.init(concurrent: 4, waiting: 4), clock: clock)
        for _ in 0..<2 { await gate.leave(try await gate.enter(), .failure) }
        #expect(await code(gate) == .circuitOpen)
        clock.advance(seconds: 30)
        let probe = try await gate.enter()
        #expect(await code(gate) == .circuitOpen)
        await gate.leave(probe, .success)
        await gate.leave(try await gate.enter(), .success)
        #expect(await gate.load == (0, 0))
    }
}
