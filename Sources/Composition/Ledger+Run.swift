import EventLog
import Intake
import Logging
import Projections
import Reconciliation
import Replay

extension Ledger {
    /// What a ledger is open for. What runs meanwhile follows from it.
    package enum Work: Sendable, Hashable {
        /// It reads the log and these read models, once they contain the log. Nothing is applied, installed or
        /// appended.
        case reading([String])
        /// It appends, or changes keys. Read models are installed; other processes apply the log to them.
        case appending
        /// It appends, and applies the log: read models, settlement and signing run.
        case applying
        /// It applies the log, calls gateways and reconciles until it is stopped.
        case following

        /// Whether nothing is written.
        package var isReading: Bool { if case .reading = self { true } else { false } }

        fileprivate var applies: Bool { self == .applying || self == .following }
    }

    /// Runs what the work needs while `body` runs. Afterwards, everything accepted is finished before this returns.
    ///
    /// - Parameters:
    ///   - interval: The interval of automatic reconciliation of a ledger that follows, which also reconciles at once
    ///     after an import; nil for none.
    ///   - waiting: Called once if work that reads waits for more than a second, with the position that the slowest
    ///     read model contains, and the wanted one.
    /// - Throws: `ReadModelsBehind` for work that reads; the errors of `body`.
    package func run<Result: Sendable>(
        for work: Work = .following,
        reconcilingEvery interval: Duration? = nil,
        waiting: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in },
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { background in
            background.addTask { [log] in await log.run(asFollower: work.applies) }
            do {
                if !work.isReading {
                    try await readModels.install()
                    background.addTask { [log] in await log.keepPartitions() }
                }
                if work.applies { apply(in: &background) }
                if work == .following {
                    background.addTask { [log] in await log.prove() }
                    background.addTask { [watch] in await watch?.run() }
                }
                if work == .following, let interval {
                    background.addTask { [reconciliation] in await reconciliation.run(every: interval) }
                }
                let result = try await perform(work, waiting: waiting, body)
                background.cancelAll()
                await finish(&background)
                return result
            } catch {
                background.cancelAll()
                await finish(&background)
                throw error
            }
        }
    }

    private func perform<Result: Sendable>(
        _ work: Work,
        waiting: @Sendable (_ applied: Int64, _ of: Int64) -> Void,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        switch work {
        case .reading(let names):
            // An append that is tried nevertheless is refused at once.
            await intake.documents.close()
            await log.sequencer.close()
            try await waitUntilReadable(names, waiting: waiting)
            return try await body()
        case .appending, .applying: return try await withAppending(body)
        case .following: return try await withAppending { try await replay.calling(body) }
        }
    }

    /// Starts what applies the log: the read models, settlement, doubts after silence, and signing.
    private func apply(in background: inout ThrowingTaskGroup<Void, any Error>) {
        let follower = readModels.follower(appended: log.appended, logger: log.logger)
        background.addTask { await follower.run() }
        background.addTask { [reconciliation] in await reconciliation.runSettlement() }
        background.addTask { [replay] in await replay.silence.run() }
        background.addTask { [signing] in await signing.run() }
    }

    private func withAppending<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        // Separate tasks, because a cancelled server must still finish everything it has accepted.
        let appending = Task { [log] in await log.sequencer.run() }
        let gathering = Task { [intake] in await intake.documents.run() }
        func finish() async {
            // The order matters: the last window must still be appended.
            await log.sequencer.beginClosing()
            await intake.documents.close()
            await gathering.value
            await log.sequencer.close()
            await appending.value
        }
        do {
            let result = try await body()
            await finish()
            return result
        } catch {
            await finish()
            throw error
        }
    }

    private func finish(_ background: inout ThrowingTaskGroup<Void, any Error>) async {
        while true {
            do {
                guard try await background.next() != nil else { return }
            } catch {
                if !(error is CancellationError) {
                    let type = String(reflecting: type(of: error))
                    log.logger.warning("a task ended badly", metadata: ["error": "\(type)"])
                }
            }
        }
    }
}
