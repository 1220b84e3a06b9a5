/// Decides what a pool does: which waiter gets which connection, when to connect, check, refuse and close.
///
/// A value without I/O or clock. Every input returns the actions to perform; times are durations since an origin that
/// the caller chooses.
struct PoolStateMachine: Sendable {
    typealias ConnectionID = Int
    typealias WaiterID = UInt64

    struct Limits: Sendable {
        var maximumConnections: Int
        var maximumWaiting: Int
        var acquireTimeout: Duration
        /// A connection that was idle for longer is checked before it is lent.
        var checkAfterIdle: Duration
        /// The delay after the first failed connect; it doubles with each further one.
        var shortestRetry: Duration
        var longestRetry: Duration
    }

    enum Refusal: Sendable, Equatable {
        case cancelled, exhausted, shutdown
        /// Carries the error of the last connect, if that is why no connection became free.
        case timedOut(PostgresError?)
        case unreachable(PostgresError)
    }

    enum Action: Sendable, Equatable {
        case lend(ConnectionID, to: WaiterID)
        case refuse(WaiterID, Refusal)
        case connect(ConnectionID)
        case check(ConnectionID)
        case close(ConnectionID)
        /// Cut the connection, whatever it is doing.
        case abort(ConnectionID)
        /// Call `retryIsDue` after this long.
        case retry(after: Duration)
        /// Call `timePassed` after this long.
        case wake(after: Duration)
        /// Nothing is left to wait for.
        case finish
    }

    private enum Phase {
        case connecting, checking, leased
        case idle(since: Duration)
    }

    private struct Waiter {
        let id: WaiterID
        let deadline: Duration
    }

    private enum Life { case running, stopping, over }

    private let limits: Limits
    private var connections: [ConnectionID: Phase] = [:]
    /// Idle connections, the most recently used last and used first, so that surplus ones stay unused.
    private var idle: [ConnectionID] = []
    private var waiters: [Waiter] = []
    private var nextConnection = 0
    /// Connections below this number were made before the last renewal.
    private var firstCurrent = 0
    private var consecutiveFailures = 0
    private var lastFailure: PostgresError?
    private var isBackingOff = false
    private var isWakeSet = false
    private var life = Life.running

    init(_ limits: Limits) {
        precondition(limits.maximumConnections > 0, "a pool needs a connection")
        precondition(limits.maximumWaiting >= 0, "a waiting line has no negative length")
        self.limits = limits
    }

    var statistics: PostgresPool.Statistics {
        var statistics = PostgresPool.Statistics(idle: 0, inUse: 0, connecting: 0, waiting: waiters.count)
        for phase in connections.values {
            switch phase {
            case .idle: statistics.idle += 1
            case .leased: statistics.inUse += 1
            case .connecting, .checking: statistics.connecting += 1
            }
        }
        return statistics
    }

    // MARK: Borrowing

    mutating func acquire(_ waiter: WaiterID, now: Duration) -> [Action] {
        guard life == .running else { return [.refuse(waiter, .shutdown)] }
        if waiters.isEmpty, let id = idle.last, isFresh(id, now) {
            return [lend(id, to: waiter)]
        }
        guard waiters.count < limits.maximumWaiting else { return [.refuse(waiter, .exhausted)] }
        waiters.append(Waiter(id: waiter, deadline: now + limits.acquireTimeout))
        return serve(now) + setWake(now)
    }

    /// Removes a waiter that has left. No action if it was already served or refused.
    mutating func cancel(_ waiter: WaiterID) -> [Action] {
        guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return [] }
        waiters.remove(at: index)
        return [.refuse(waiter, .cancelled)]
    }

    mutating func timePassed(now: Duration) -> [Action] {
        isWakeSet = false
        let overdue = waiters.prefix { $0.deadline <= now }
        waiters.removeFirst(overdue.count)
        return overdue.map { .refuse($0.id, .timedOut(lastFailure)) } + setWake(now)
    }

    /// Accepts a returned connection.
    mutating func giveBack(_ id: ConnectionID, isUsable: Bool, now: Duration) -> [Action] {
        guard case .leased = connections[id] else { return [] }
        return settle(id, isUsable: isUsable, now: now)
    }

    // MARK: Connections

    mutating func connected(_ id: ConnectionID, isUsable: Bool = true, now: Duration) -> [Action] {
        consecutiveFailures = 0
        lastFailure = nil
        return settle(id, isUsable: isUsable, now: now)
    }

    /// - Parameter jitter: a random number, so that the clients of a restarted server do not reconnect in step.
    mutating func connectFailed(_ id: ConnectionID, _ error: PostgresError, jitter: UInt64) -> [Action] {
        connections[id] = nil
        guard life == .running else { return finishIfEmpty() }
        consecutiveFailures += 1
        lastFailure = error
        var actions: [Action] = []
        if error.code == .invalidConfiguration || error.connectFailure?.isPermanent == true {
            actions = waiters.map { .refuse($0.id, .unreachable(error)) }
            waiters = []
        }
        if !isBackingOff {
            isBackingOff = true
            actions.append(.retry(after: retryDelay(jitter)))
        }
        return actions
    }

    mutating func retryIsDue(now: Duration) -> [Action] {
        isBackingOff = false
        return serve(now)
    }

    mutating func checked(_ id: ConnectionID, isUsable: Bool, now: Duration) -> [Action] {
        guard case .checking = connections[id] else { return [] }
        return settle(id, isUsable: isUsable, now: now)
    }

    /// Handles a connection that broke while not in use. One that is lent or being checked is handled when it is
    /// returned.
    mutating func broke(_ id: ConnectionID, now: Duration) -> [Action] {
        guard case .idle = connections[id] else { return [] }
        return settle(id, isUsable: false, now: now)
    }

    /// Closes every connection that exists now as soon as it is not in use: the server may be another one.
    mutating func renew(now: Duration) -> [Action] {
        firstCurrent = nextConnection
        let closed = idle.map { Action.close($0) }
        for id in idle { connections[id] = nil }
        idle = []
        return closed + serve(now)
    }

    // MARK: The end

    mutating func shutdown() -> [Action] {
        guard life == .running else { return [] }
        life = .stopping
        let refused = waiters.map { Action.refuse($0.id, .shutdown) }
        waiters = []
        let closed = idle.map { Action.close($0) }
        for id in idle { connections[id] = nil }
        idle = []
        return refused + closed + finishIfEmpty()
    }

    /// Called when the grace period for leases has ended.
    mutating func shutdownIsOverdue() -> [Action] {
        guard life == .stopping else { return [] }
        let aborted = connections.keys.sorted().map { Action.abort($0) }
        connections = [:]
        return aborted + finishIfEmpty()
    }

    // MARK: Decisions

    private mutating func settle(_ id: ConnectionID, isUsable: Bool, now: Duration) -> [Action] {
        // Closed meanwhile by an overdue shutdown.
        guard connections[id] != nil else { return [.close(id)] }
        idle.removeAll { $0 == id }
        guard isUsable, id >= firstCurrent, life == .running else {
            connections[id] = nil
            return [.close(id)] + (life == .running ? serve(now) : finishIfEmpty())
        }
        if let waiter = waiters.first {
            waiters.removeFirst()
            return [lend(id, to: waiter.id)] + serve(now)
        }
        connections[id] = .idle(since: now)
        idle.append(id)
        return []
    }

    private mutating func serve(_ now: Duration) -> [Action] {
        guard life == .running else { return [] }
        var actions: [Action] = []
        while let id = idle.last, let waiter = waiters.first, isFresh(id, now) {
            waiters.removeFirst()
            actions.append(lend(id, to: waiter.id))
        }
        // Each connection being made or checked is meant for one of the waiters.
        var promised = statistics.connecting
        while promised < waiters.count, let id = idle.popLast() {
            connections[id] = .checking
            actions.append(.check(id))
            promised += 1
        }
        while promised < waiters.count, connections.count < limits.maximumConnections, mayConnect {
            connections[nextConnection] = .connecting
            actions.append(.connect(nextConnection))
            nextConnection += 1
            promised += 1
        }
        return actions
    }

    /// While the server does not answer, one attempt at a time is enough.
    private var mayConnect: Bool {
        !isBackingOff && (consecutiveFailures == 0 || statistics.connecting == 0)
    }

    private func isFresh(_ id: ConnectionID, _ now: Duration) -> Bool {
        guard case .idle(let since) = connections[id] else { return false }
        return now - since < limits.checkAfterIdle
    }

    private mutating func lend(_ id: ConnectionID, to waiter: WaiterID) -> Action {
        idle.removeAll { $0 == id }
        connections[id] = .leased
        return .lend(id, to: waiter)
    }

    /// A random delay between half and all of the doubled delay.
    private func retryDelay(_ jitter: UInt64) -> Duration {
        let doublings = min(consecutiveFailures - 1, 16)
        let delay = min(limits.shortestRetry * (1 << doublings), limits.longestRetry)
        return delay / 2 + delay / 2 * Int(jitter % 1_001) / 1_000
    }

    /// Sets one timer for the whole queue, since all waiters have the same wait limit.
    private mutating func setWake(_ now: Duration) -> [Action] {
        guard !isWakeSet, let first = waiters.first else { return [] }
        isWakeSet = true
        return [.wake(after: max(.zero, first.deadline - now))]
    }

    private mutating func finishIfEmpty() -> [Action] {
        guard life == .stopping, connections.isEmpty else { return [] }
        life = .over
        return [.finish]
    }
}
