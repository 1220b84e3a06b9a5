import Testing

@testable import Postgres

/// The decisions of the pool as transcripts: an input, and the actions it must return.
@Suite struct PoolStateMachineTests {
    private static func machine(connections: Int = 2, waiting: Int = 3) -> PoolStateMachine {
        PoolStateMachine(
            PoolStateMachine.Limits(
                maximumConnections: connections,
                maximumWaiting: waiting,
                acquireTimeout: .seconds(10),
                checkAfterIdle: .seconds(30),
                shortestRetry: .milliseconds(100),
                longestRetry: .seconds(1)
            )
        )
    }

    private static let down = PostgresError(.connectionFailed, connectFailure: .refused)

    private func at(_ seconds: Int) -> Duration { .seconds(seconds) }

    @Test func connectsOnDemandAndReuses() {
        var machine = Self.machine()
        #expect(machine.acquire(1, now: at(0)) == [.connect(0), .wake(after: .seconds(10))])
        #expect(machine.connected(0, now: at(1)) == [.lend(0, to: 1)])
        #expect(machine.giveBack(0, isUsable: true, now: at(2)) == [])
        #expect(machine.acquire(2, now: at(3)) == [.lend(0, to: 2)])
        #expect(machine.statistics == PostgresPool.Statistics(idle: 0, inUse: 1, connecting: 0, waiting: 0))
    }

    @Test func servesInTheOrderOfRequests() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        #expect(machine.acquire(2, now: at(1)) == [])
        #expect(machine.acquire(3, now: at(1)) == [])
        #expect(machine.giveBack(0, isUsable: true, now: at(2)) == [.lend(0, to: 2)])
        // Queued after waiter 3, it must not overtake it although the connection is free at that moment.
        #expect(machine.acquire(4, now: at(2)) == [])
        #expect(machine.giveBack(0, isUsable: true, now: at(3)) == [.lend(0, to: 3)])
        #expect(machine.giveBack(0, isUsable: true, now: at(3)) == [.lend(0, to: 4)])
    }

    @Test func neverConnectsMoreThanAllowedNorMoreThanNeeded() {
        var machine = Self.machine(connections: 2, waiting: 5)
        #expect(machine.acquire(1, now: at(0)) == [.connect(0), .wake(after: .seconds(10))])
        #expect(machine.acquire(2, now: at(0)) == [.connect(1)])
        #expect(machine.acquire(3, now: at(0)) == [])
        #expect(machine.cancel(1) == [.refuse(1, .cancelled)])
        #expect(machine.connected(0, now: at(1)) == [.lend(0, to: 2)])
        #expect(machine.connected(1, now: at(1)) == [.lend(1, to: 3)])
    }

    @Test func refusesWhenTheQueueIsFull() {
        var machine = Self.machine(connections: 1, waiting: 1)
        _ = machine.acquire(1, now: at(0))
        #expect(machine.acquire(2, now: at(0)) == [.refuse(2, .exhausted)])
        #expect(machine.connected(0, now: at(0)) == [.lend(0, to: 1)])
        #expect(machine.acquire(3, now: at(0)) == [])
        #expect(machine.acquire(4, now: at(0)) == [.refuse(4, .exhausted)])
    }

    @Test func aWaiterIsRefusedAtItsDeadlineAndNoOther() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        #expect(machine.timePassed(now: at(10)) == [])
        #expect(machine.acquire(2, now: at(11)) == [.wake(after: .seconds(10))])
        #expect(machine.acquire(3, now: at(15)) == [])
        #expect(machine.timePassed(now: at(21)) == [.refuse(2, .timedOut(nil)), .wake(after: .seconds(4))])
        #expect(machine.giveBack(0, isUsable: true, now: at(22)) == [.lend(0, to: 3)])
        #expect(machine.timePassed(now: at(25)) == [])
    }

    @Test func cancellationIsHandledOnce() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        #expect(machine.cancel(1) == [.refuse(1, .cancelled)])
        #expect(machine.cancel(1) == [])
        #expect(machine.connected(0, now: at(0)) == [])
        _ = machine.acquire(2, now: at(0))
        #expect(machine.cancel(2) == [])
    }

    @Test func aLongIdleConnectionIsCheckedFirst() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        _ = machine.giveBack(0, isUsable: true, now: at(0))
        #expect(machine.acquire(2, now: at(30)) == [.check(0)])
        #expect(machine.checked(0, isUsable: true, now: at(31)) == [.lend(0, to: 2)])
        _ = machine.giveBack(0, isUsable: true, now: at(31))
        #expect(machine.acquire(3, now: at(61)) == [.check(0)])
        #expect(machine.checked(0, isUsable: false, now: at(62)) == [.close(0), .connect(1)])
    }

    @Test func aBrokenConnectionIsReplacedForAWaiter() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        _ = machine.acquire(2, now: at(0))
        #expect(machine.giveBack(0, isUsable: false, now: at(1)) == [.close(0), .connect(1)])
        #expect(machine.connected(1, now: at(1)) == [.lend(1, to: 2)])
        _ = machine.giveBack(1, isUsable: true, now: at(1))
        #expect(machine.broke(1, now: at(2)) == [.close(1)])
        #expect(machine.broke(1, now: at(2)) == [])
        #expect(machine.statistics == PostgresPool.Statistics(idle: 0, inUse: 0, connecting: 0, waiting: 0))
    }

    @Test func nothingMadeBeforeARenewalIsLentAgain() {
        var machine = Self.machine(connections: 3)
        for waiter in 1...3 as ClosedRange<UInt64> { _ = machine.acquire(waiter, now: at(0)) }
        _ = machine.connected(0, now: at(0))
        _ = machine.connected(1, now: at(0))
        _ = machine.cancel(3)
        _ = machine.giveBack(1, isUsable: true, now: at(0))
        // 0 is in use, 1 is idle, and 2 is being made.
        #expect(machine.renew(now: at(1)) == [.close(1)])
        #expect(machine.giveBack(0, isUsable: true, now: at(1)) == [.close(0)])
        #expect(machine.connected(2, now: at(1)) == [.close(2)])
        #expect(machine.acquire(4, now: at(2)) == [.connect(3)])
        #expect(machine.connected(3, now: at(2)) == [.lend(3, to: 4)])
        #expect(machine.giveBack(3, isUsable: true, now: at(3)) == [])
        #expect(machine.acquire(5, now: at(3)) == [.lend(3, to: 5)])
    }

    @Test func failedConnectsBackOffAndProbeOneAtATime() {
        var machine = Self.machine(connections: 2)
        _ = machine.acquire(1, now: at(0))
        _ = machine.acquire(2, now: at(0))
        #expect(machine.connectFailed(0, Self.down, jitter: 0) == [.retry(after: .milliseconds(50))])
        #expect(machine.connectFailed(1, Self.down, jitter: 0) == [])
        #expect(machine.acquire(3, now: at(0)) == [])
        #expect(machine.retryIsDue(now: at(1)) == [.connect(2)])
        // The third failure in a row: 400 ms, reduced by the jitter to between half and all of it.
        #expect(machine.connectFailed(2, Self.down, jitter: 1_000) == [.retry(after: .milliseconds(400))])
        #expect(machine.retryIsDue(now: at(2)) == [.connect(3)])
        #expect(machine.connected(3, now: at(2)) == [.lend(3, to: 1), .connect(4)])
    }

    @Test func theBackOffIsBounded() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        for attempt in 0..<100 {
            let actions = machine.connectFailed(attempt, Self.down, jitter: UInt64(attempt) &* 0x9e37_79b9_7f4a_7c15)
            guard case .retry(let delay) = actions.first else {
                Issue.record("no retry after failure \(attempt)")
                return
            }
            #expect(delay >= .milliseconds(50) && delay <= .seconds(1))
            if attempt > 5 { #expect(delay >= .milliseconds(500)) }
            #expect(machine.retryIsDue(now: at(0)) == [.connect(attempt + 1)])
        }
    }

    @Test func aTimeoutNamesTheReason() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connectFailed(0, Self.down, jitter: 0)
        #expect(machine.timePassed(now: at(10)) == [.refuse(1, .timedOut(Self.down))])
    }

    @Test func aWrongPasswordIsReportedAtOnce() {
        var machine = Self.machine(connections: 1)
        let denied = PostgresError(.connectionFailed, connectFailure: .authentication)
        _ = machine.acquire(1, now: at(0))
        _ = machine.acquire(2, now: at(0))
        #expect(
            machine.connectFailed(0, denied, jitter: 0) == [
                .refuse(1, .unreachable(denied)), .refuse(2, .unreachable(denied)),
                .retry(after: .milliseconds(50)),
            ]
        )
    }

    @Test func shutdownWaitsForLeases() {
        var machine = Self.machine(connections: 2)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        _ = machine.acquire(2, now: at(0))
        _ = machine.connected(1, now: at(0))
        _ = machine.giveBack(1, isUsable: true, now: at(0))
        #expect(machine.shutdown() == [.close(1)])
        #expect(machine.acquire(3, now: at(1)) == [.refuse(3, .shutdown)])
        #expect(machine.giveBack(0, isUsable: true, now: at(2)) == [.close(0), .finish])
        #expect(machine.shutdown() == [])
        #expect(machine.shutdownIsOverdue() == [])
    }

    @Test func shutdownRefusesWaitersAndCutsOverdueLeases() {
        var machine = Self.machine(connections: 1)
        _ = machine.acquire(1, now: at(0))
        _ = machine.connected(0, now: at(0))
        _ = machine.acquire(2, now: at(0))
        #expect(machine.shutdown() == [.refuse(2, .shutdown)])
        #expect(machine.shutdownIsOverdue() == [.abort(0), .finish])
        #expect(machine.giveBack(0, isUsable: false, now: at(1)) == [])
    }

    @Test func anEmptyPoolShutsDownAtOnceAndALateConnectionIsClosed() {
        var empty = Self.machine()
        #expect(empty.shutdown() == [.finish])
        var machine = Self.machine()
        _ = machine.acquire(1, now: at(0))
        #expect(machine.shutdown() == [.refuse(1, .shutdown)])
        #expect(machine.connected(0, now: at(1)) == [.close(0), .finish])
        var failing = Self.machine()
        _ = failing.acquire(1, now: at(0))
        _ = failing.shutdown()
        #expect(failing.connectFailed(0, Self.down, jitter: 0) == [.finish])
    }
}
