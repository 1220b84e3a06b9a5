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
    /// It will not sign again before the log is adopted or a restart: the log contradicts what was signed, or the keys
    /// are not those of the log.
    case halted(EvidenceFault)
}

/// Signs the log about every second while it has new events.
///
/// A checkpoint is signed only after the log has been shown to contain everything signed before: what the database
/// holds, what the witness file holds, and what this process has signed. At the start, in a new epoch
/// and after a new connection of the writer, a remote witness has to agree as well; otherwise its cosignatures follow,
/// and nothing waits for them. Anything else halts signing, and with it every append and gateway call of this process,
/// until an operator has adopted the log, or until the next start, which checks again. Several instances may run: each
/// adds a checkpoint only if the newest one is still the one it compared with.
package actor Checkpointer {
    package nonisolated let keys: LogKeys
    /// How far the log is signed, by this process or as found by it.
    package nonisolated let signedUpTo = PositionSignal()
    private let witness: WitnessFile?
    private let remote: RemoteEvidence?
    private let given: [WitnessKind]
    private let listsWitnesses: Bool
    private let store: CheckpointStore
    private let check: EvidenceCheck
    private let logGuard: LogGuard
    private let clock: any WallClock
    private let pause: any Clock<Duration>
    private let interval: Duration
    private let logger: Logger

    /// The newest checkpoint this process has signed or accepted.
    private var signed: EvidenceCheck.Known?
    private enum Duty: Hashable { case signing, cosigning }
    /// The last problem of each duty that was logged, so that it is logged once and not every second.
    private var troubles: [Duty: String] = [:]
    /// The epoch of the log when it was compared last.
    private var haltedEpoch: Int64?
    /// The newest checkpoint in the witness file; nil while it has none or was not read.
    private var witnessed: EvidenceCheck.Known?
    /// The last note with cosignatures that was appended to the witness file.
    private var kept: SignedNote?
    /// The last answer of the remote witness that did not let the log be proven, and when it was asked.
    private var unanswered: (failure: RemoteWitnessFailure, at: ContinuousClock.Instant)?

    /// - Parameters:
    ///   - listsWitnesses: Whether every process needs the witnesses of this one from now on.
    ///   - logGuard: Learns whether the log is proven.
    ///   - interval: The minimum time between two checkpoints.
    ///   - pause: The clock used for waiting.
    package init(
        pool: PostgresPool,
        keys: LogKeys,
        witness: WitnessFile?,
        remote: WitnessOptions? = nil,
        listsWitnesses: Bool = true,
        logGuard: LogGuard = LogGuard(),
        clock: any WallClock,
        interval: Duration = .seconds(1),
        pause: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) {
        self.keys = keys
        self.witness = witness
        self.remote = remote.map { RemoteEvidence($0, keys: keys, pool: pool, logger: logger) }
        given = WitnessKind.given(witness, remote)
        self.listsWitnesses = listsWitnesses
        self.logGuard = logGuard
        self.clock = clock
        self.pause = pause
        self.interval = interval
        self.logger = logger
        store = CheckpointStore(pool: pool)
        check = EvidenceCheck(tiles: LogTiles(pool: pool))
    }

    package nonisolated var state: SigningState {
        if case .contradicted(let fault) = logGuard.status { .halted(fault) } else { .signing }
    }

    /// Signs until cancelled, and has the checkpoints cosigned. While the log is contradicted, it only looks whether
    /// the log was adopted.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.repeat(.signing) { try await self.step() } }
            if remote != nil { group.addTask { await self.repeat(.cosigning) { try await self.cosign() } } }
        }
    }

    private func `repeat`(_ duty: Duty, _ body: @Sendable () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await body()
                if troubles.removeValue(forKey: duty) != nil, duty == .cosigning {
                    logger.notice("checkpoints are cosigned again")
                }
            } catch is EvidenceFault {
                troubles[duty] = nil
            } catch is CancellationError {
                return
            } catch let error as PostgresError {
                if error.code == .cancelled || error.code == .poolShutdown { return }
                warn(duty, "checkpoints wait for their database", "\(error.code) \(error.sqlState ?? "-")")
            } catch let error as WitnessNotNamed {
                warn(duty, "nothing is appended without the log's witness", "\(error.obstacle)")
            } catch let error as WitnessFile.Failure {
                warn(duty, "the witness file cannot be used", "\(error)")
            } catch let error as RemoteWitnessFailure {
                if Task.isCancelled { return }
                warn(duty, "the remote witness has not cosigned", "\(error)")
            } catch {
                warn(duty, "no checkpoint was made", "\(type(of: error))")
            }
            do { try await pause.sleep(for: interval) } catch { return }
        }
    }

    private func warn(_ duty: Duty, _ message: Logger.Message, _ error: String) {
        guard troubles[duty] != error else { return }
        troubles[duty] = error
        // Nothing waits for cosignatures while the log is proven.
        logger.log(
            level: duty == .signing ? .error : .warning,
            message,
            metadata: ["error": "\(error)"]
        )
    }

    /// Signs the current log if it has new events.
    ///
    /// - Returns: The checkpoint that was added; nil when there was nothing to sign, or another instance was faster.
    /// - Throws: `EvidenceFault`, and then again on every later call until the log is adopted; `WitnessFile.Failure`;
    ///   `PostgresError`.
    @discardableResult
    package func step() async throws -> StoredCheckpoint? {
        let situation = try await prove()
        let (head, newest) = (situation.head, situation.newest?.size)
        let added = head.size > (newest ?? 0) ? try await add(head, situation.epoch.number, after: newest) : nil
        if let latest = added ?? situation.newest { try await accept(latest) }
        return added
    }

    /// Compares the log with everything that was signed, and lets the guard know.
    ///
    /// - Throws: Like `step()`.
    @discardableResult
    package func prove() async throws -> CheckpointStore.Situation {
        do {
            return try await compare()
        } catch let fault as EvidenceFault {
            halt(fault)
            throw fault
        } catch is UnreadableEvidence {
            halt(.unreadable)
            throw EvidenceFault.unreadable
        } catch let failure as WitnessFile.Failure {
            if case .unproven = logGuard.status { logGuard.leaveUnproven(failure.obstacle) }
            throw failure
        }
    }

    private func compare() async throws -> CheckpointStore.Situation {
        let wasContradicted = logGuard.isContradicted
        let connection = logGuard.connection
        if case .contradicted(let fault) = logGuard.status {
            let epoch = try await store.situation().epoch.number
            // An adoption signs its checkpoint a moment after it has raised the epoch.
            let isAdopted = epoch > logGuard.epoch?.number ?? haltedEpoch ?? epoch
            guard isAdopted || fault == .unsignedEpoch(epoch) else { throw fault }
        }
        // Other processes, and the operator who adopted the log, may have added to the file.
        if !logGuard.isProven { witnessed = nil }
        // Read before the log, which only grows: a checkpoint witnessed meanwhile must not appear to exceed the log.
        let witnessed = try await lastWitnessed()
        let situation = try await store.situation()
        haltedEpoch = situation.epoch.number
        let missing = WitnessNotNamed(listed: situation.witnesses, given: given)
        let newest = try situation.newest.map { try known($0) }
        if let witness, witnessed == nil, let newest, !logGuard.isProven {
            throw WitnessFile.Failure(.missing(witness, signed: newest.size))
        }
        let isKnown = newest.map { newest in
            newest.epoch == situation.epoch.number && newest.size == situation.head.size
                && newest.root == situation.head.root && signed.map(newest.isEqual) ?? false
                && (witness == nil || witnessed.map(newest.isEqual) ?? false)
        }
        if logGuard.isProven, isKnown ?? false, missing == nil { return situation }
        try await check.check(
            situation.head,
            epoch: situation.epoch.number,
            newest: newest,
            others: [witnessed, signed].compactMap(\.self)
        )
        if let missing {
            logGuard.leaveUnproven(missing.obstacle, inNewEpoch: wasContradicted)
            throw missing
        }
        try await ask(about: situation, inNewEpoch: wasContradicted)
        // Only with the first proof: what an adoption has listed since is the operator's decision.
        if listsWitnesses, logGuard.epoch == nil {
            try await store.list(given.filter { !situation.witnesses.contains($0) }, in: situation.epoch.number)
        }
        // The witness or the writer may have contradicted the log meanwhile.
        if !wasContradicted, case .contradicted(let fault) = logGuard.status { throw fault }
        logGuard.proved(situation.epoch, by: connection)
        Gauge(label: "daybook_log_halted").record(0)
        return situation
    }

    /// Asks the remote witness before the log is proven in its epoch.
    private func ask(about situation: CheckpointStore.Situation, inNewEpoch isNew: Bool) async throws {
        guard let remote, !logGuard.isProven || logGuard.epoch?.number != situation.epoch.number else { return }
        // Every append asks again until the log is proven.
        if let unanswered, .now < unanswered.at + interval { throw unanswered.failure }
        do {
            try await remote.agree(with: situation)
            unanswered = nil
        } catch let failure as RemoteWitnessFailure {
            unanswered = (failure, .now)
            logGuard.leaveUnproven(failure.obstacle, inNewEpoch: isNew)
            throw failure
        }
    }

    /// Has the newest checkpoint cosigned, if the log is proven, and keeps it with the cosignatures.
    ///
    /// - Throws: `EvidenceFault` if the witness contradicts the log; `RemoteWitnessFailure`; `WitnessFile.Failure`;
    ///   `PostgresError`.
    package func cosign() async throws {
        guard let remote, logGuard.isProven else { return }
        let situation = try await store.situation()
        let epoch = situation.epoch.number
        guard epoch == logGuard.epoch?.number, let newest = situation.newest else { return }
        func covered() async -> Int64 { await remote.cosigned.flatMap { $0.epoch == epoch ? $0.size : nil } ?? 0 }
        let before = await covered()
        Gauge(label: "daybook_log_witness_behind").record(max(0, newest.size - before))
        // At the start it may have cosigned a checkpoint that was not stored.
        let isStored = await remote.cosignedNote != nil
        if before < newest.size || !isStored {
            do {
                try await remote.agree(with: situation)
            } catch let fault as EvidenceFault {
                halt(fault)
                throw fault
            }
            Gauge(label: "daybook_log_witness_behind").record(max(0, newest.size - (await covered())))
        }
        guard let witness, let note = await remote.cosignedNote, note != kept, let cosigned = await remote.cosigned
        else {
            return
        }
        try await witness.append(note.encoded, size: cosigned.size, epoch: cosigned.epoch, isCosigned: true)
        kept = note
    }

    private func add(_ head: MerkleFrontier, _ epoch: Int64, after newest: Int64?) async throws -> StoredCheckpoint? {
        let stated = Checkpoint(
            origin: keys.origin,
            size: head.size,
            root: head.root,
            after: newest ?? 0,
            epoch: epoch
        )
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
        guard let witness, (known.epoch, known.size) > (witnessed?.epoch ?? 0, witnessed?.size ?? 0) else { return }
        try await witness.append(checkpoint.note, size: checkpoint.size, epoch: known.epoch)
        known.witness = .file
        witnessed = known
    }

    private func lastWitnessed() async throws -> EvidenceCheck.Known? {
        guard let witness else { return nil }
        if let witnessed { return witnessed }
        let last = try await witness.last().map {
            try EvidenceCheck.known($0.encoded, signedBy: keys.verifiers, from: .file)
        }
        witnessed = last
        return last
    }

    /// The checkpoint of a row, if the row agrees with its note and a key of the log has signed the note.
    private func known(_ stored: StoredCheckpoint) throws(EvidenceFault) -> EvidenceCheck.Known {
        let known = try EvidenceCheck.known(stored.note, signedBy: keys.verifiers, from: .database)
        guard known.size == stored.size, known.root == stored.root else { throw .foreignCheckpoint(.database) }
        return known
    }

    private func halt(_ fault: EvidenceFault) {
        if case .contradicted(fault) = logGuard.status { return }
        logGuard.contradict(fault)
        Gauge(label: "daybook_log_halted").record(1)
        logger.critical("the log is contradicted; nothing is appended or signed", metadata: ["reason": "\(fault)"])
    }
}
