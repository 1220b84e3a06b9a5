package import Canonical
package import Logging
import Merkle
import Metrics
package import Postgres
import Synchronization

/// Whether this process signs checkpoints.
package enum SigningState: Sendable, Hashable {
    /// It has no key, for the reason given.
    case off(String)
    case signing
    /// It will not sign again before a restart: the log contradicts what was signed, or the keys are not those of the
    /// log.
    case halted(EvidenceFault)
}

/// Signs the log about every second while it has new events.
///
/// A checkpoint is signed only after the log has been shown to contain everything signed before: what the database
/// holds, what the witness file holds, and what this process has signed. Anything else halts signing until the next
/// start, which checks again. Several instances may run: each adds a checkpoint only if the newest one is still the one
/// it compared with.
package actor Checkpointer {
    package nonisolated let keys: LogKeys
    /// How far the log is signed, by this process or as found by it.
    package nonisolated let signedUpTo = PositionSignal()
    private let witness: WitnessFile?
    private let store: CheckpointStore
    private let check: EvidenceCheck
    private let clock: any WallClock
    private let pause: any Clock<Duration>
    private let interval: Duration
    private let logger: Logger
    private let stateBox = Mutex(SigningState.signing)

    /// The newest checkpoint this process has signed or accepted.
    private var signed: EvidenceCheck.Known?
    /// The last problem that was logged, so that it is logged once and not every second.
    private var trouble: String?
    /// The newest checkpoint in the witness file; nil before it was read.
    private var witnessed: EvidenceCheck.Known??

    /// - Parameters:
    ///   - interval: The minimum time between two checkpoints.
    ///   - pause: The clock used for waiting.
    package init(
        pool: PostgresPool,
        keys: LogKeys,
        witness: WitnessFile?,
        clock: any WallClock,
        interval: Duration = .seconds(1),
        pause: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) {
        self.keys = keys
        self.witness = witness
        self.clock = clock
        self.pause = pause
        self.interval = interval
        self.logger = logger
        store = CheckpointStore(pool: pool)
        check = EvidenceCheck(tiles: LogTiles(pool: pool))
    }

    package nonisolated var state: SigningState { stateBox.withLock { $0 } }

    /// Signs until cancelled or halted.
    package func run() async {
        Gauge(label: "daybook_log_halted").record(0)
        while !Task.isCancelled {
            do {
                _ = try await step()
                trouble = nil
            } catch is EvidenceFault {
                return
            } catch is CancellationError {
                return
            } catch let error as PostgresError {
                if error.code == .cancelled || error.code == .poolShutdown { return }
                warn("checkpoints wait for their database", "\(error.code) \(error.sqlState ?? "-")")
            } catch let error as WitnessFile.Failure {
                warn("the witness file cannot be used", "\(error)")
            } catch {
                warn("no checkpoint was made", "\(type(of: error))")
            }
            do { try await pause.sleep(for: interval) } catch { return }
        }
    }

    private func warn(_ message: Logger.Message, _ error: String) {
        guard trouble != error else { return }
        trouble = error
        logger.error(message, metadata: ["error": "\(error)"])
    }

    /// Signs the current log if it has new events.
    ///
    /// - Returns: The checkpoint that was added; nil when there was nothing to sign, or another instance was faster.
    /// - Throws: `EvidenceFault`, and then again on every later call; `WitnessFile.Failure`; `PostgresError`.
    package func step() async throws -> StoredCheckpoint? {
        if case .halted(let fault) = state { throw fault }
        do {
            return try await sign()
        } catch let fault as EvidenceFault {
            halt(fault)
            throw fault
        } catch is UnreadableEvidence {
            halt(.unreadable)
            throw EvidenceFault.unreadable
        }
    }

    private func sign() async throws -> StoredCheckpoint? {
        // Read before the log, which only grows: a checkpoint witnessed meanwhile must not appear to exceed the log.
        let witnessed = try await lastWitnessed()
        let situation = try await store.situation()
        let newest = try situation.newest.map { try known($0) }
        let head = situation.head
        if let newest, let signed, newest.size == head.size, newest.root == head.root,
            newest.size == signed.size, newest.root == signed.root, witness == nil || witnessed?.size == newest.size
        {
            return nil
        }
        var earlier: [EvidenceCheck.Known] = []
        for known in [newest, witnessed, signed].compactMap({ $0 })
        where !earlier.contains(where: { $0.size == known.size && $0.root == known.root }) {
            earlier.append(known)
        }
        try await check.check(head, against: earlier)
        let added = head.size > (newest?.size ?? 0) ? try await add(head, after: newest?.size) : nil
        if let latest = added ?? situation.newest { try await accept(latest) }
        return added
    }

    private func add(_ head: MerkleFrontier, after newest: Int64?) async throws -> StoredCheckpoint? {
        let stated = Checkpoint(origin: keys.origin, size: head.size, root: head.root, after: newest ?? 0)
        let note = try stated.signed(by: keys.signing)
        let checkpoint = StoredCheckpoint(
            size: head.size,
            root: head.root,
            note: note.encoded,
            signedAt: clock.now()
        )
        guard try await store.add(checkpoint, after: newest) else { return nil }
        Counter(label: "daybook_log_checkpoints_total").increment()
        return checkpoint
    }

    /// Remembers a checkpoint that agrees with the log, and appends it to the witness file.
    private func accept(_ checkpoint: StoredCheckpoint) async throws {
        var known = try known(checkpoint)
        known.witness = .process
        signed = known
        signedUpTo.reached(known.size)
        Gauge(label: "daybook_log_checkpoint_size").record(checkpoint.size)
        guard let witness, known.size > ((witnessed ?? nil)?.size ?? 0) else { return }
        try await witness.append(checkpoint.note, size: checkpoint.size)
        known.witness = .file
        witnessed = known
    }

    private func lastWitnessed() async throws -> EvidenceCheck.Known? {
        guard let witness else { return nil }
        if let witnessed { return witnessed }
        let last = try await witness.last().map {
            try EvidenceCheck.known($0.encoded, signedBy: keys.verifiers, from: .file)
        }
        witnessed = .some(last)
        return last
    }

    /// The checkpoint of a row, if the row agrees with its note and a key of the log has signed the note.
    private func known(_ stored: StoredCheckpoint) throws(EvidenceFault) -> EvidenceCheck.Known {
        let known = try EvidenceCheck.known(stored.note, signedBy: keys.verifiers, from: .database)
        guard known.size == stored.size, known.root == stored.root else { throw .foreignCheckpoint(.database) }
        return known
    }

    private func halt(_ fault: EvidenceFault) {
        stateBox.withLock { $0 = .halted(fault) }
        Gauge(label: "daybook_log_halted").record(1)
        logger.critical("no more checkpoints are signed", metadata: ["reason": "\(fault)"])
    }
}
