package import Canonical

/// What stands before a gateway: at most so many calls at once, a bounded number waiting, none while it is down.
package actor GatewayGate {
    /// The right to make one call. It is given back with `leave`, whatever became of the call.
    package struct Pass: Sendable {
        fileprivate let admission: CircuitBreaker.Admission
    }

    private var queue: CallQueue
    private var breaker: CircuitBreaker
    /// How long a call waits for its turn at most.
    package nonisolated let longestWaitMilliseconds: Int64
    private let clock: any WallClock
    private var nextID: UInt64 = 0
    private var waiters: [UInt64: CheckedContinuation<GatewayFailure?, Never>] = [:]

    package init(_ queue: CallQueue.Settings, _ breaker: CircuitBreaker.Settings, clock: any WallClock) {
        self.queue = CallQueue(queue)
        self.breaker = CircuitBreaker(breaker)
        longestWaitMilliseconds = (queue.waitMicroseconds + 999) / 1_000
        self.clock = clock
    }

    /// - Throws: `circuitOpen`, `queueFull`, `waitedTooLong`, `cancelled`.
    package func enter() async throws(GatewayFailure) -> Pass {
        if case .open(let since) = breaker.state, clock.now() >= since,
            clock.now() < since.adding(microseconds: breaker.settings.openMicroseconds)
        {
            throw Self.closed
        }
        nextID += 1
        let id = nextID
        switch queue.enter(id) {
        case .start: break
        case .full: throw GatewayFailure(.queueFull, "As many calls as may wait for this gateway are waiting.")
        case .wait: if let failure = await wait(id) { throw failure }
        }
        let admission = breaker.admit(at: clock.now())
        guard admission == .pass || admission == .probe else {
            passOn()
            throw Self.closed
        }
        return Pass(admission: admission)
    }

    package func leave(_ pass: Pass, _ result: CircuitBreaker.Result) {
        breaker.record(result, of: pass.admission, at: clock.now())
        passOn()
    }

    private static let closed = GatewayFailure(.circuitOpen, "The gateway failed too often of late, and is left alone.")

    private func passOn() {
        guard let next = queue.leave() else { return }
        waiters.removeValue(forKey: next)?.resume(returning: nil)
    }

    private func wait(_ id: UInt64) async -> GatewayFailure? {
        let waitLimit = queue.settings.waitMicroseconds
        let timer = Task {
            // Cancelled when the turn has come.
            guard (try? await Task.sleep(for: .microseconds(waitLimit))) != nil else { return }
            self.giveUp(id, GatewayFailure(.waitedTooLong, "No place for the call came free in time."))
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // It may have been cancelled before it began to wait.
                if Task.isCancelled {
                    _ = queue.abandon(id)
                    continuation.resume(returning: Self.cancelled)
                } else {
                    waiters[id] = continuation
                }
            }
        } onCancel: {
            Task { await self.giveUp(id, Self.cancelled) }
        }
    }

    private static let cancelled = GatewayFailure(.cancelled, "The call was called off before it was made.")

    private func giveUp(_ id: UInt64, _ failure: GatewayFailure) {
        guard queue.abandon(id) else { return }
        waiters.removeValue(forKey: id)?.resume(returning: failure)
    }

    /// For tests: how many calls are under way, and how many wait.
    var load: (running: Int, waiting: Int) { (queue.running, queue.waiting.count) }
}

extension CircuitBreaker.Result {
    /// What an outcome tells of the gateway's health. An answer of any kind is a sign of life.
    init(_ outcome: GatewayOutcome) {
        switch outcome {
        case .answered: self = .success
        case .notSent(let failure), .unanswered(let failure):
            switch failure.code {
            case .notConnected, .connectTimeout, .tlsFailed, .nameNotResolved, .readTimeout, .connectionLost,
                .serverError, .redirected, .unexpectedStatus, .oversized, .malformed:
                self = .failure
            case .unsupported, .incomplete, .circuitOpen, .queueFull, .waitedTooLong, .addressRefused, .otherAnswer,
                .cancelled:
                self = .neutral
            }
        }
    }
}

typealias GateResult = CircuitBreaker.Result
