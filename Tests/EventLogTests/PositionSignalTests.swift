import EventLog
import Testing

struct PositionSignalTests {
    @Test func aReachedPositionIsNotWaitedFor() async {
        let signal = PositionSignal()
        signal.reached(5)
        await signal.wait(beyond: 4)
        #expect(signal.position == 5)
        signal.reached(3)
        #expect(signal.position == 5)
    }

    @Test func allWaitersAreWoken() async {
        let signal = PositionSignal()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { while signal.position < 1 { await signal.wait(beyond: 0) } } }
            signal.reached(1)
        }
        #expect(signal.position == 1)
    }

    @Test func aSlowReaderSeesOnlyTheNewestPosition() async {
        let signal = PositionSignal()
        for position in 1...100 { signal.reached(Int64(position)) }
        await signal.wait(beyond: 0)
        #expect(signal.position == 100)
    }

    @Test func aCancelledWaitReturns() async {
        let signal = PositionSignal()
        for _ in 0..<100 {
            let waiting = Task { await signal.wait(beyond: 0) }
            waiting.cancel()
            await waiting.value
        }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await signal.wait(beyond: 0)
        }
        await cancelled.value
        #expect(signal.position == 0)
    }

    @Test func aSignalBetweenCheckAndWaitIsNotMissed() async {
        let signal = PositionSignal()
        let pokes = signal.pokes
        signal.poke()
        await signal.wait(beyond: 0, since: pokes)
        #expect(signal.position == 0)
        #expect(signal.pokes == pokes + 1)
    }
}
