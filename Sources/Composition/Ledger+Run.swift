import EventLog
import Intake
import Logging
import Projections
import Reconciliation
import Replay

extension Ledger {
    /// Runs appending, the read models and settlement while `body` runs. Afterwards, everything accepted is finished
    /// before this returns.
    ///
    /// - Parameters:
    ///   - follows: False for a short command that only appends: the read models are left to a server.
    ///   - installs: False for a command that changes nothing: the read models' tables remain as they are.
    ///   - callsGateways: False to make no gateway calls: no doubts are queried and no replays are executed.
    ///   - interval: The interval of automatic reconciliation, which also runs at once after an import; nil for none.
    package func run<Result: Sendable>(
        follows: Bool = true,
        installs: Bool = true,
        callsGateways: Bool = true,
        reconcilingEvery interval: Duration? = nil,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { background in
            background.addTask { [log] in await log.run() }
            if installs {
                try await readModels.install()
                background.addTask { [log] in await log.keepPartitions() }
            }
            if follows { follow(in: &background, reconcilingEvery: interval) }
            do {
                let result = try await withAppending {
                    guard follows, callsGateways else { return try await body() }
                    return try await replay.calling(body)
                }
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

    /// Starts what follows the log: the read models, settlement, reconciliation and signing.
    private func follow(
        in background: inout ThrowingTaskGroup<Void, any Error>,
        reconcilingEvery interval: Duration?
    ) {
        for runner in readModels.runners(appended: log.appended, logger: log.logger) {
            background.addTask { try await runner.run() }
        }
        background.addTask { [reconciliation] in await reconciliation.runSettlement() }
        if let interval {
            background.addTask { [reconciliation] in await reconciliation.run(every: interval) }
        }
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
