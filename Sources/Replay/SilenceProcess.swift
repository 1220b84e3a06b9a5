import Canonical
import EventLog
import Intake
import Logging
import Postgres
import Projections
import ReplayRules

/// Puts payments in doubt whose request was sent to the host and not answered within the time of the rule
/// `wait.silence`: the app may have ended before the SDK called back.
package struct SilenceProcess: Sendable {
    package static let actor = "process:silence"
    private static let page = 500
    private static let interval = Duration.seconds(15)

    private let doubts: DoubtQuery
    private let recorder: TransactionRecorder
    private let books: RuleBooks
    private let ids: any UUIDGenerator
    private let wallClock: any WallClock
    private let loop: BackgroundLoop

    init(
        pool: PostgresPool,
        recorder: TransactionRecorder,
        books: RuleBooks,
        ids: any UUIDGenerator,
        wallClock: any WallClock,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        doubts = DoubtQuery(pool: pool)
        self.recorder = recorder
        self.books = books
        self.ids = ids
        self.wallClock = wallClock
        loop = BackgroundLoop(failureMessage: "payments without an answer wait", logger: logger, clock: clock)
    }

    /// Runs until cancelled. A failed step is retried.
    package func run() async {
        await loop.run {
            let isFull = try await step() == Self.page
            return .time(isFull ? .zero : Self.interval)
        }
    }

    /// Records the doubt of every payment whose time has passed.
    ///
    /// - Returns: The number of payments recorded.
    @discardableResult
    package func step() async throws -> Int {
        let now = wallClock.now()
        guard let seconds = try books.book(at: now).limit("wait.silence")?.number else { return 0 }
        let since = now.adding(microseconds: -seconds * 1_000_000)
        var count = 0
        var failure: (any Error)?
        for payment in try await doubts.silent(recordedBefore: since, limit: Self.page) {
            try Task.checkCancellation()
            let sender = Sender(tenant: payment.tenant, actor: Self.actor, correlation: ids.next().text)
            do {
                if try await recorder.recordSilence(of: payment.transaction, since: since, sender: sender) {
                    count += 1
                }
            } catch {
                // One payment that cannot be read or recorded does not keep the others waiting.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }
}
