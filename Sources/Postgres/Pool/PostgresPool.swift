package import Logging
import Synchronization

/// A bounded set of connections, lent one at a time in the order of the requests.
///
/// Works while `run` is running. The state machine decides, and this class executes its decisions.
package final class PostgresPool: Sendable {
    package struct Options: Sendable {
        package var maximumConnections: Int
        /// The number of tasks that may wait for a connection; one more gets `.poolExhausted` at once.
        package var maximumWaiting: Int
        package var acquireTimeout: Duration
        /// A connection that was idle for longer is tested before it is lent.
        package var checkAfterIdle: Duration
        /// The bounds of the delay between attempts to reach a server that does not answer.
        package var shortestRetry: Duration
        package var longestRetry: Duration

        package init(
            maximumConnections: Int = 8,
            maximumWaiting: Int = 1_024,
            acquireTimeout: Duration = .seconds(10),
            checkAfterIdle: Duration = .seconds(30),
            shortestRetry: Duration = .milliseconds(50),
            longestRetry: Duration = .seconds(5)
        ) {
            self.maximumConnections = max(1, maximumConnections)
            self.maximumWaiting = max(0, maximumWaiting)
            self.acquireTimeout = acquireTimeout
            self.checkAfterIdle = checkAfterIdle
            self.shortestRetry = shortestRetry
            self.longestRetry = longestRetry
        }
    }

    package struct Statistics: Sendable, Hashable {
        package var idle: Int
        package var inUse: Int
        /// Connections being made or tested.
        package var connecting: Int
        /// Tasks waiting for a connection.
        package var waiting: Int
    }

    private typealias Waiting = CheckedContinuation<(PoolStateMachine.ConnectionID, PostgresConnection), any Error>

    private struct State {
        var machine: PoolStateMachine
        var connections: [PoolStateMachine.ConnectionID: PostgresConnection] = [:]
        var waiting: [PoolStateMachine.WaiterID: Waiting] = [:]
        var nextWaiter: PoolStateMachine.WaiterID = 0
        var isFinished = false
        var finishing: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let state: Mutex<State>
    private let origin = ContinuousClock.now
    /// The work for `run`. Bounded although the stream is not: at most one item per connection and two timers.
    private let tasks: AsyncStream<PoolStateMachine.Action>
    private let taskSink: AsyncStream<PoolStateMachine.Action>.Continuation

    package init(
        _ configuration: PostgresConfiguration,
        options: Options = Options(),
        logger: Logger = Logger(label: "postgres.pool", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.configuration = configuration
        self.logger = logger
        let limits = PoolStateMachine.Limits(
            maximumConnections: options.maximumConnections,
            maximumWaiting: options.maximumWaiting,
            acquireTimeout: options.acquireTimeout,
            checkAfterIdle: options.checkAfterIdle,
            shortestRetry: options.shortestRetry,
            longestRetry: options.longestRetry
        )
        state = Mutex(State(machine: PoolStateMachine(limits)))
        (tasks, taskSink) = AsyncStream.makeStream()
    }

    package var statistics: Statistics { state.withLock { $0.machine.statistics } }

    // MARK: Use

    /// Lends a connection to `body`, which must not keep it.
    ///
    /// - Throws: the errors of `body`; `PostgresError` with `.poolExhausted`, `.acquireTimeout`, `.connectionFailed`,
    ///   `.poolShutdown`, `.cancelled` when no connection is available.
    @discardableResult
    package nonisolated(nonsending) func withConnection<R>(
        _ body: nonisolated(nonsending) (PostgresConnection) async throws -> R
    ) async throws -> R {
        let (id, connection) = try await acquire()
        let result: R
        do {
            result = try await body(connection)
        } catch {
            await giveBack(id, connection)
            throw error
        }
        await giveBack(id, connection)
        return result
    }

    /// Runs `body` in a transaction on a borrowed connection. See `PostgresConnection.transaction`.
    @discardableResult
    package nonisolated(nonsending) func withTransaction<R>(
        isolation: PostgresIsolation = .readCommitted,
        readOnly: Bool = false,
        settings: String = "",
        _ body: nonisolated(nonsending) (borrowing PostgresTransaction) async throws -> R
    ) async throws -> R {
        try await withConnection { connection in
            try await connection.transaction(isolation: isolation, readOnly: readOnly, settings: settings, body)
        }
    }

    private func acquire() async throws -> (PoolStateMachine.ConnectionID, PostgresConnection) {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                apply { state, now in
                    state.waiting[waiter] = continuation
                    return state.machine.acquire(waiter, now: now)
                }
                // Cancelled before the waiter was queued: the handler found nothing to remove.
                if Task.isCancelled { apply { state, _ in state.machine.cancel(waiter) } }
            }
        } onCancel: {
            apply { state, _ in state.machine.cancel(waiter) }
        }
    }

    private func giveBack(_ id: PoolStateMachine.ConnectionID, _ connection: PostgresConnection) async {
        if connection.condition == .occupied { await connection.reset() }
        apply { state, now in
            state.machine.giveBack(id, isUsable: connection.condition == .ready, now: now)
        }
    }

    // MARK: Life

    /// Keeps the pool working until `shutdown` is done. When the task is cancelled, the pool closes idle connections,
    /// refuses requests, and returns without waiting for leases.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await task in tasks {
                    group.addTask { await self.perform(task) }
                }
                group.cancelAll()
            }
        } onCancel: {
            apply { state, _ in state.machine.shutdown() }
        }
    }

    /// Refuses new requests, waits up to `grace` for leases to end, then cuts the remaining ones.
    package func shutdown(grace: Duration = .seconds(10)) async {
        apply { state, _ in state.machine.shutdown() }
        await withDiscardingTaskGroup { group in
            group.addTask {
                // When cancelled, either everything is finished or the caller no longer waits.
                try? await Task.sleep(for: grace)
                self.apply { state, _ in state.machine.shutdownIsOverdue() }
            }
            await finished()
            group.cancelAll()
        }
    }

    /// Lends no connection again that exists now: its server may no longer be the one at this address.
    package func renew() { apply { state, now in state.machine.renew(now: now) } }

    /// Runs a pool for the duration of `body`.
    @discardableResult
    package nonisolated(nonsending) static func withPool<R: Sendable>(
        _ configuration: PostgresConfiguration,
        options: Options = Options(),
        _ body: nonisolated(nonsending) (PostgresPool) async throws -> R
    ) async throws -> R {
        let pool = PostgresPool(configuration, options: options)
        async let running: Void = pool.run()
        let result: R
        do {
            result = try await body(pool)
        } catch {
            await pool.shutdown()
            await running
            throw error
        }
        await pool.shutdown()
        await running
        return result
    }

    private func finished() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.finishing.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }

    // MARK: Carrying out

    private var now: Duration { origin.duration(to: .now) }

    /// Sends an input to the state machine and executes the resulting actions.
    private func apply(_ input: (inout State, Duration) -> [PoolStateMachine.Action]) {
        let now = self.now
        let effects = state.withLock { state in
            input(&state, now).compactMap { effect(of: $0, in: &state) }
        }
        // Outside the lock: an effect may run code that calls back into the pool.
        for effect in effects { effect() }
    }

    private func effect(of action: PoolStateMachine.Action, in state: inout State) -> (() -> Void)? {
        switch action {
        case .lend(let id, let waiter):
            guard let waiting = state.waiting.removeValue(forKey: waiter) else { return nil }
            guard let connection = state.connections[id] else { return nil }
            return { waiting.resume(returning: (id, connection)) }
        case .refuse(let waiter, let refusal):
            let waiting = state.waiting.removeValue(forKey: waiter)
            return { waiting?.resume(throwing: refusal.error) }
        case .close(let id):
            let connection = state.connections.removeValue(forKey: id)
            return { connection?.closeSoon() }
        case .abort(let id):
            let connection = state.connections.removeValue(forKey: id)
            return { connection?.abort() }
        case .finish:
            state.isFinished = true
            let finishing = state.finishing
            state.finishing = []
            return { [taskSink] in
                taskSink.finish()
                for continuation in finishing { continuation.resume() }
            }
        case .connect, .check, .retry, .wake:
            return { [taskSink] in taskSink.yield(action) }
        }
    }

    private func perform(_ task: PoolStateMachine.Action) async {
        switch task {
        case .connect(let id):
            await connect(id)
        case .check(let id):
            let connection = state.withLock { $0.connections[id] }
            let isUsable = await connection?.isAlive() ?? false
            apply { state, now in state.machine.checked(id, isUsable: isUsable, now: now) }
        case .retry(let delay):
            try? await Task.sleep(for: delay)
            apply { state, now in state.machine.retryIsDue(now: now) }
        case .wake(let delay):
            try? await Task.sleep(for: delay)
            apply { state, now in state.machine.timePassed(now: now) }
        case .lend, .refuse, .close, .abort, .finish:
            assertionFailure("executed at once, never by run")
        }
    }

    private func connect(_ id: PoolStateMachine.ConnectionID) async {
        do {
            let connection = try await PostgresConnection.connect(configuration)
            connection.onBreak { [weak self] in
                self?.apply { state, now in state.machine.broke(id, now: now) }
            }
            apply { state, now in
                state.connections[id] = connection
                // It may have broken before `onBreak` was set.
                return state.machine.connected(id, isUsable: connection.condition == .ready, now: now)
            }
        } catch {
            let failure = error as? PostgresError ?? PostgresError(.connectionFailed)
            // A cancelled attempt is expected when the pool ends.
            let level: Logger.Level = failure.code == .cancelled ? .debug : .warning
            logger.log(level: level, "no connection to the database", metadata: ["error": "\(failure)"])
            apply { state, _ in
                state.machine.connectFailed(id, failure, jitter: .random(in: 0...UInt64.max))
            }
        }
    }
}

extension PoolStateMachine.Refusal {
    var error: PostgresError {
        switch self {
        case .cancelled: return PostgresError(.cancelled)
        case .exhausted: return PostgresError(.poolExhausted)
        case .shutdown: return PostgresError(.poolShutdown)
        case .unreachable(let error): return error
        case .timedOut(let cause):
            var error = cause ?? PostgresError(.acquireTimeout)
            error.code = .acquireTimeout
            return error
        }
    }
}
