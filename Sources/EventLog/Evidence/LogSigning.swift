package import Merkle

/// The keys and the witness of a log.
package struct EvidenceOptions: Sendable {
    /// Nil when this process does not sign.
    package var keys: LogKeys?
    /// The reason for missing keys, in words.
    package var missingKey = "there is no key file"
    /// The log is signed, or has a witness: without the keys it cannot be compared with them, and nothing is appended.
    package var needsKeys = false
    /// The file with checkpoints outside the database.
    package var witness: WitnessFile?
    /// The witness on another machine.
    package var remote: WitnessOptions?
    /// Every process that appends needs these witnesses from now on.
    package var listsWitnesses = true
    /// The least time between two checkpoints.
    package var interval: Duration

    package init(
        keys: LogKeys? = nil,
        witness: WitnessFile? = nil,
        remote: WitnessOptions? = nil,
        interval: Duration = .seconds(1)
    ) {
        self.keys = keys
        self.witness = witness
        self.remote = remote
        self.interval = interval
    }
}

/// The log is signed, or has a witness, and this process lacks the keys to compare it.
package struct LogKeyMissing: ProofFailure, Hashable {
    package var obstacle: ProofObstacle
}

/// The checkpoints that this process signs, if it has keys.
package struct LogSigning: Sendable {
    private let checkpointer: Checkpointer?
    private let missingKey: String

    package init(_ options: EvidenceOptions, log: LogConnection) {
        missingKey = options.missingKey
        checkpointer = options.keys.map { keys in
            Checkpointer(
                pool: log.pool,
                keys: keys,
                witness: options.witness,
                remote: options.remote,
                listsWitnesses: options.listsWitnesses,
                logGuard: log.logGuard,
                clock: log.clock,
                interval: options.interval,
                logger: log.logger
            )
        }
        if let checkpointer {
            log.logGuard.setProof { try await checkpointer.prove() }
        } else if options.needsKeys {
            let found = "the log cannot be compared with its checkpoints: \(missingKey)"
            let missing = LogKeyMissing(obstacle: ProofObstacle(.logKeyMissing, found))
            log.logGuard.leaveUnproven(missing.obstacle)
            log.logGuard.setProof { throw missing }
        }
    }

    /// Signs until cancelled; returns at once without keys.
    package func run() async { await checkpointer?.run() }

    /// Whether this process signs checkpoints.
    package var state: SigningState { checkpointer?.state ?? .off(missingKey) }

    /// The keys that verify the log's checkpoints, the log's own key first; empty when this process has no keys.
    package var verifierKeys: [NoteVerifierKey] { checkpointer?.keys.verifiers ?? [] }

    /// Returns when this process has signed everything up to `position`, or knows that it is signed. Never returns in
    /// a process that does not sign.
    ///
    /// - Throws: `CancellationError`.
    package func waitForCheckpoint(of position: Int64) async throws {
        await (checkpointer?.signedUpTo ?? PositionSignal()).wait(beyond: position - 1)
        try Task.checkCancellation()
    }
}
