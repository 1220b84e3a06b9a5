package import Logging
import Postgres

/// Repeats a step in the background: after a time, or after an append. A failed step is logged and retried.
package struct BackgroundLoop: Sendable {
    private let appended: PositionSignal
    private let retry: ClosedRange<Duration>
    private let failureMessage: Logger.Message
    private let logger: Logger
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - retry: The delay after the first of several failures, and the longest one.
    ///   - failureMessage: Logged with the type of the error.
    package init(
        appended: PositionSignal = PositionSignal(),
        retry: ClosedRange<Duration> = .seconds(1)...(.seconds(1)),
        failureMessage: Logger.Message,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.appended = appended
        self.retry = retry
        self.failureMessage = failureMessage
        self.logger = logger
        self.clock = clock
    }

    /// Runs until the task is cancelled, the database is closed, or `step` returns `.end`.
    ///
    /// - Parameters:
    ///   - first: What is waited for before the first step.
    ///   - step: Returns what is waited for before the next one.
    package func run(after first: LoopPause = .none, _ step: () async throws -> LoopPause) async {
        var state = LoopState(retry: retry)
        // Read before a step, so that an append of another process during the step is not missed.
        var pokes = appended.pokes
        var action = state.handle(.began(first))
        while true {
            let event: LoopState.Event
            switch action {
            case .stop: return
            case .pause(let pause): event = await wait(for: pause, since: pokes) ? .paused : .cancelled
            case .step:
                pokes = appended.pokes
                event = await result(of: step)
            }
            action = Task.isCancelled ? .stop : state.handle(event)
        }
    }

    private func result(of step: () async throws -> LoopPause) async -> LoopState.Event {
        do {
            return .stepped(try await step())
        } catch {
            let isFinal =
                error is CancellationError || Task.isCancelled || (error as? PostgresError)?.code == .poolShutdown
            if !isFinal {
                logger.warning(failureMessage, metadata: ["error": "\(String(reflecting: type(of: error)))"])
            }
            return .failed(isFinal: isFinal)
        }
    }

    /// - Returns: False when the task was cancelled.
    private func wait(for pause: LoopPause, since pokes: Int) async -> Bool {
        var rest = Duration.zero
        switch pause {
        case .none, .end: return true
        case .time(let time): rest = time
        case .append(let position, let time, let gathering):
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [appended] in await appended.wait(beyond: position, since: pokes) }
                if let time { group.addTask { [clock] in try? await clock.sleep(for: time) } }
                await group.next()
                group.cancelAll()
            }
            rest = gathering
        }
        do { try await clock.sleep(for: rest) } catch { return false }
        return !Task.isCancelled
    }
}
