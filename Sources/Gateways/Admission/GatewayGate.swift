package import Canonical

/// Limits the calls to a gateway: a maximum of concurrent calls, a bounded number waiting, and none while the gateway
/// is down.
package actor GatewayGate {
    /// The permission for one call. It is returned with `leave`, whatever the call's result.
    package struct Pass: Sendable {
        fileprivate let admission: CircuitBreaker.Admission
    }

    private var queue: CallQueue
    private var breaker: CircuitBreaker
    /// The maximum wait of a call.
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

    private static let closed = GatewayFailure(
        .circuitOpen,
        "The gateway failed too often recently, so calls are suspended."
    )

    private func passOn() {
        guard let next = queue.leave() else { return }
        waiters.removeValue(forKey: next)?.resume(returning: nil)
    }

    private func wait(_ id: UInt64) async -> GatewayFailure? {
        let waitLimit = queue.settings.waitMicroseconds
        let timer = Task {
            // Cancelled when the call is admitted.
            guard (try? await Task.sleep(for: .microseconds(waitLimit))) != nil else { return }
            self.giveUp(id, GatewayFailure(.waitedTooLong, "No place for the call came free in time."))
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The task may be cancelled before it starts to wait.
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

    private static let cancelled = GatewayFailure(.cancelled, "The call was cancelled before it was sent.")

    private func giveUp(_ id: UInt64, _ failure: GatewayFailure) {
        guard queue.abandon(id) else { return }
        waiters.removeValue(forKey: id)?.resume(returning: failure)
    }

    /// For tests: the number of running and of waiting calls.
    var load: (running: Int, waiting: Int) { (queue.running, queue.waiting.count) }
}

extension CircuitBreaker.Result {
    /// The meaning of an outcome for the gateway's health. Any answer counts as a success.
    init(_ outcome: GatewayOutcome) {
        switch outcome {
        case .answered: self = .success
        case .notSent(let failure), .unanswered(let failure):
            switch failure.code {
            case .notConnected, .connectTimeout, .tlsFailed, .nameNotResolved, .readTimeout, .connectionLost,
                .serverError, .redirected, .unexpectedStatus, .oversized, .malformed:
                self = .failure
            case .unsupported, .incomplete, .circuitOpen, .queueFull, .waitedTooLong, .held, .addressRefused,
                .otherAnswer,
                .cancelled:
                self = .neutral
            }
        }
    }
}

typealias GateResult = CircuitBreaker.Result
