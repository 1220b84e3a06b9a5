package import Canonical
package import Logging
import Merkle
package import Postgres

/// Adopts a log that contradicts what is known of it, after an operator has decided that it is the log from now on.
///
/// The log gets a new epoch and a `LogEpochBegun` with what was lost, and the keys of the log sign a checkpoint of the
/// new epoch. A server accepts a new epoch only with such a checkpoint, so write access to the database does not
/// suffice to begin one.
package struct LogAdoption: Sendable {
    /// Why the log cannot be adopted.
    package enum Refusal: Error, Sendable, Hashable {
        /// The log is damaged in itself: `daybook verify` names the place. Only a restored database helps.
        case damaged(EvidenceFault)
        /// Its checkpoints were signed with keys that are not given.
        case withoutKeys
    }

    private let pool: PostgresPool
    private let keys: LogKeys?
    private let witness: WitnessFile?
    private let remote: RemoteEvidence?
    private let witnesses: [WitnessKind]
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    /// - Parameter pool: Its sessions act as the owner of the tables.
    package init(
        pool: PostgresPool,
        keys: LogKeys?,
        witness: WitnessFile?,
        remote: WitnessOptions? = nil,
        ids: any UUIDGenerator,
        clock: any WallClock,
        logger: Logger
    ) {
        self.pool = pool
        self.keys = keys
        self.witness = witness
        witnesses = WitnessKind.given(witness, remote)
        self.remote = remote.flatMap { remote in
            keys.map { RemoteEvidence(remote, keys: $0, pool: pool, logger: logger) }
        }
        self.ids = ids
        self.clock = clock
    }

    /// Begins a new epoch. If it is interrupted before the checkpoint is signed, servers append nothing until it is
    /// repeated.
    ///
    /// - Parameters:
    ///   - reason: Why this log is the log from now on. Recorded.
    ///   - actor: Who decides.
    /// - Throws: `Refusal`; `WitnessFile.Failure`; `RemoteWitnessFailure`; `PostgresError`.
    package func adopt(reason: String, actor: String) async throws -> LogEpochBegun {
        let situation = try await CheckpointStore(pool: pool).situation()
        guard keys != nil || situation.newest == nil else { throw Refusal.withoutKeys }
        let witnessed = try await examine(situation)
        let remotelyLost = try await sizeLost(of: situation)
        var lost = witnessed.flatMap { found in
            found.isLost ? LogEpochBegun.Mark(size: found.known.size, root: found.known.root) : nil
        }
        if let remotelyLost, remotelyLost > lost?.size ?? -1 { lost = .init(size: remotelyLost, root: nil) }
        let next = max(situation.epoch.number, witnessed?.known.epoch ?? 0) + 1
        let begun = LogEpochBegun(
            // A restored log may have forgotten its epochs, and the witness begins a tree only in one that is new to it.
            epoch: try await remote?.unseenEpoch(from: next, for: situation) ?? next,
            reason: reason,
            adopted: .init(size: situation.head.size, root: situation.head.root),
            lost: lost
        )
        try await append(begun, actor: actor)
        try await sign()
        return begun
    }

    /// The newest checkpoint of the witness file, and whether the log does not continue it.
    private func examine(
        _ situation: CheckpointStore.Situation
    ) async throws -> (known: EvidenceCheck.Known, isLost: Bool)? {
        let check = EvidenceCheck(tiles: LogTiles(pool: pool))
        func compare(_ known: EvidenceCheck.Known?) async throws {
            let epoch = known?.epoch ?? 0
            try await check.check(situation.head, epoch: epoch, newest: known, others: [])
        }
        guard let keys else { return nil }
        do {
            try await compare(
                try situation.newest.map { try EvidenceCheck.known($0.note, signedBy: keys.verifiers, from: .database) }
            )
        } catch let fault as EvidenceFault {
            throw Refusal.damaged(fault)
        }
        guard let note = try await witness?.last() else { return nil }
        let witnessed = try EvidenceCheck.known(note.encoded, signedBy: keys.verifiers, from: .file)
        do {
            try await compare(witnessed)
            return (witnessed, false)
        } catch is EvidenceFault {
            return (witnessed, true)
        }
    }

    /// Has the remote witness, if there is one, cosign the log in its new epoch.
    ///
    /// - Throws: `EvidenceFault` if the witness does not accept that a new tree begins; `RemoteWitnessFailure`;
    ///   `PostgresError`.
    package func cosign() async throws {
        guard let remote else { return }
        try await remote.agree(with: try await CheckpointStore(pool: pool).situation())
    }

    /// The size of the newest checkpoint of the remote witness if the log does not continue it.
    private func sizeLost(of situation: CheckpointStore.Situation) async throws -> Int64? {
        guard let remote else { return nil }
        do {
            try await remote.agree(with: situation)
            return nil
        } catch EvidenceFault.shorter(_, let size, .remote) {
            return size
        } catch EvidenceFault.changed(let size, .remote) {
            return size
        } catch let fault as EvidenceFault {
            throw Refusal.damaged(fault)
        }
    }

    private func append(_ begun: LogEpochBegun, actor: String) async throws {
        let now = clock.now()
        let id = ids.next()
        let event = ProposedEvent(
            id: id,
            type: LogEpochBegun.type,
            schema: 1,
            occurredAt: now,
            actor: actor,
            correlation: id.text,
            data: String(decoding: begun.json.canonicalBytes, as: UTF8.self)
        )
        let item = AppendItem(
            tenant: LogEpochBegun.tenant,
            stream: LogEpochBegun.stream,
            expected: .any,
            events: [event]
        )
        try await pool.withConnection { connection in
            try await connection.transaction { transaction in
                var tip = try await LogTip.locked(in: transaction, known: nil)
                guard tip.position == begun.adopted.size, tip.edge.frontier.root == begun.adopted.root else {
                    throw EpochMismatch()
                }
                tip.epoch = begun.epoch
                _ = try await transaction.execute(
                    "UPDATE ledger.head SET epoch = $1, epoch_began_at = clock_timestamp()",
                    [.int64(begun.epoch)]
                )
                // Processes need the witnesses of this adoption from now on, and no others.
                _ = try await transaction.execute("DELETE FROM ledger.witnesses")
                for kind in witnesses {
                    _ = try await transaction.execute(
                        "INSERT INTO ledger.witnesses (kind) VALUES ($1)",
                        [.text(kind.rawValue)]
                    )
                }
                let facts = try await LogFacts(about: [item], in: transaction)
                guard let draft = try BatchDraft([item], facts: facts, base: tip, now: now),
                    let parameters = draft.parameters,
                    try await transaction.query(BatchDraft.sql, encoded: parameters).single().bool(0)
                else { throw PostgresError(.protocolViolation) }
            }
        }
    }

    /// Signs the first checkpoint of the new epoch.
    private func sign() async throws {
        guard let keys else { return }
        let store = CheckpointStore(pool: pool)
        let situation = try await store.situation()
        let note = try Checkpoint(
            origin: keys.origin,
            size: situation.head.size,
            root: situation.head.root,
            after: situation.newest?.size ?? 0,
            epoch: situation.epoch.number
        ).signed(by: keys.signing)
        let checkpoint = StoredCheckpoint(
            size: situation.head.size,
            root: situation.head.root,
            note: note.encoded,
            signedAt: clock.now()
        )
        _ = try await store.add(checkpoint, after: situation.newest?.size)
        try await witness?.append(note.encoded, size: situation.head.size, epoch: situation.epoch.number)
    }
}
