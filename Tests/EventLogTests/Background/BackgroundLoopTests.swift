import EventLog
import Logging
import Postgres
import Testing

@Suite("Background loop, running")
struct BackgroundLoopTests {
    private struct Broken: Error {}

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func loop(_ appended: PositionSignal = PositionSignal()) -> BackgroundLoop {
        BackgroundLoop(
            appended: appended,
            retry: .milliseconds(1)...(.milliseconds(2)),
            failureMessage: "waits",
            logger: Self.quiet
        )
    }

    @Test("Failed steps are retried until one ends the loop")
    func retries() async {
        var steps = 0
        await loop().run {
            steps += 1
            if steps < 4 { throw Broken() }
            return .end
        }
        #expect(steps == 4)
    }

    @Test("A closed database or a cancelled step ends the loop", arguments: [true, false])
    func ends(isCancelled: Bool) async {
        var steps = 0
        await loop().run {
            steps += 1
            if isCancelled { throw CancellationError() }
            throw PostgresError(.poolShutdown)
        }
        #expect(steps == 1)
    }

    @Test("An append during a step is not missed, and one after it wakes the loop")
    func appends() async {
        let appended = PositionSignal()
        var steps = 0
        await loop(appended).run(after: .time(.zero)) {
            steps += 1
            switch steps {
            case 1: appended.reached(5)
            // Another process has appended, how far is not known.
            case 2: appended.poke()
            case 3: Task { appended.reached(6) }
            default: return .end
            }
            return .append(beyond: steps == 1 ? 4 : 5, gathering: .zero)
        }
        #expect(steps == 4)
    }

    @Test("A loop that waits ends when its task is cancelled", .timeLimit(.minutes(1)))
    func cancels() async {
        let (started, signal) = AsyncStream<Void>.makeStream()
        let loop = loop()
        let task = Task {
            await loop.run {
                signal.yield()
                return .append(beyond: 0, orAfter: .seconds(3_600), gathering: .zero)
            }
        }
        for await _ in started { break }
        task.cancel()
        await task.value
    }
}
