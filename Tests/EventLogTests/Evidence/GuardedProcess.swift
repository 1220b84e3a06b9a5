import DaybookTestKit
import EventLog
import Synchronization

/// A writer and a signer that share a guard, like another process with the key file and the witnesses.
struct GuardedProcess: Sendable {
    let logGuard = LogGuard()
    let sequencer: Sequencer
    let checkpointer: Checkpointer

    init(_ log: TestLog, _ keys: LogKeys, _ witness: WitnessFile?, _ remote: WitnessOptions? = nil) {
        sequencer = Sequencer(
            configuration: log.configuration,
            clock: log.clock,
            signal: .init(),
            logGuard: logGuard,
            logger: TestLog.logger
        )
        checkpointer = Checkpointer(
            pool: log.pool,
            keys: keys,
            witness: witness,
            remote: remote,
            logGuard: logGuard,
            clock: log.clock,
            interval: .zero,
            logger: TestLog.logger
        )
        logGuard.setProof { [checkpointer] in try await checkpointer.prove() }
    }
}

/// Counts what happens.
final class Tally: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func add() { value.withLock { $0 += 1 } }
}

extension TestLog {
    /// Runs such a process while `body` runs.
    func process(
        _ keys: LogKeys,
        _ witness: WitnessFile?,
        _ remote: WitnessOptions? = nil,
        _ body: @Sendable (GuardedProcess) async throws -> Void
    ) async throws {
        let process = GuardedProcess(self, keys, witness, remote)
        try await TestLog.running(process.sequencer) { try await body(process) }
    }

    /// A writer that compares nothing, like a build without evidence.
    func carelessSequencer() -> Sequencer {
        let logGuard = LogGuard()
        logGuard.setProof { [weak logGuard] in logGuard?.proved(LogEpoch(number: 0)) }
        return Sequencer(
            configuration: configuration,
            clock: clock,
            signal: .init(),
            logGuard: logGuard,
            logger: Self.logger
        )
    }

    /// Appends 300 events and 50 more, with a checkpoint of each state in the file.
    ///
    /// - Returns: SQL that restores the log of 300 events.
    func signed(_ keys: LogKeys, _ witness: WitnessFile?, _ remote: WitnessOptions? = nil) async throws -> String {
        let signer = checkpointer(keys, witness: witness, remote: remote)
        try await append(300)
        try await signer.step()
        let back = try await wayBack()
        try await append(50)
        try await signer.step()
        try await signer.cosign()
        return back
    }
}
