package import Merkle
package import Postgres

/// The proof that an event is in the log: the event, the path from its leaf to the root, and the signed root.
package struct EventProof: Sendable, Hashable {
    package var event: RecordedEvent
    package var inclusion: InclusionProof
    package var checkpoint: StoredCheckpoint
}

/// Reads the evidence about a log: checkpoints, proofs and tiles. Needs no key.
package struct LogEvidence: Sendable {
    private let pool: PostgresPool
    private let store: CheckpointStore
    private let tiles: LogTiles
    /// For proofs, which are verified before they leave.
    let kept: KeptTiles
    private let covered: GatheredRead<Int64, Result<CoveredEvent, any Error>>

    package init(pool: PostgresPool) {
        self.pool = pool
        store = CheckpointStore(pool: pool)
        tiles = LogTiles(pool: pool)
        kept = KeptTiles(tiles)
        covered = GatheredRead { try await CoveredEvent.read($0, pool) }
    }

    /// Forgets what was read of the log: it is in another epoch.
    package func forget() { kept.clear() }

    /// Compares the log with the newest checkpoint and the last witnessed one, and signs nothing.
    ///
    /// - Parameter keys: The keys that must have signed; nil when they are not known, and then signatures are not
    ///   checked.
    /// - Returns: The end of the log, and the newest checkpoint.
    /// - Throws: `EvidenceFault`; `WitnessFile.Failure`; `PostgresError`.
    package func examine(
        keys: [NoteVerifierKey]?,
        witness: WitnessFile?
    ) async throws -> CheckpointStore.Situation {
        let witnessed = try await witness?.last()
        let situation: CheckpointStore.Situation
        do { situation = try await store.situation() } catch is UnreadableEvidence { throw EvidenceFault.unreadable }
        let newest = try situation.newest.map { stored throws(EvidenceFault) in
            let known = try Self.known(stored.note, keys, from: .database)
            guard known.size == stored.size, known.root == stored.root else { throw .foreignCheckpoint(.database) }
            return known
        }
        // A server appends to the file after it has stored the checkpoint.
        if let witness, witnessed == nil, let newest, try await witness.last() == nil {
            throw WitnessFile.Failure(.missing(witness, signed: newest.size))
        }
        let others = try witnessed.map { try Self.known($0.encoded, keys, from: .file) }
        try await EvidenceCheck(tiles: tiles).check(
            situation.head,
            epoch: situation.epoch.number,
            newest: newest,
            others: [others].compactMap(\.self)
        )
        return situation
    }

    private static func known(
        _ note: String,
        _ keys: [NoteVerifierKey]?,
        from witness: EvidenceFault.Witness
    ) throws(EvidenceFault) -> EvidenceCheck.Known {
        if let keys { return try EvidenceCheck.known(note, signedBy: keys, from: witness) }
        guard let read = try? SignedNote(note.utf8), let checkpoint = try? Checkpoint(text: read.text) else {
            throw .foreignCheckpoint(witness)
        }
        return EvidenceCheck.Known(checkpoint, witness)
    }

    /// The end of the log.
    package struct Head: Sendable, Hashable {
        /// The position of the newest event.
        package var position: Int64
        package var epoch: LogEpoch
        /// The log has a checkpoint or a witness, so that it cannot be compared without the keys.
        package var needsKeys: Bool

        private static let sql = """
            SELECT position, epoch, epoch_began_at,
                   EXISTS (SELECT FROM ledger.checkpoints) OR EXISTS (SELECT FROM ledger.witnesses)
            FROM ledger.head
            """

        fileprivate init(_ row: PostgresRow) throws(PostgresError) {
            position = try row.int64(0)
            epoch = try LogEpoch(row, at: 1)
            needsKeys = try row.bool(3)
        }

        fileprivate init(_ pool: PostgresPool) async throws { try self.init(await pool.query(Self.sql).single()) }

        /// Reads it over the connection of the writer.
        init(_ connection: PostgresConnection) async throws { try self.init(await connection.query(Self.sql).single()) }
    }

    package func head() async throws -> Head { try await Head(pool) }

    /// The newest checkpoint; nil before the first one.
    package func checkpoint() async throws -> StoredCheckpoint? { try await store.newest() }

    /// The proof that an event is in the tree of the first checkpoint that covers it. Once that checkpoint exists, the
    /// proof never changes.
    ///
    /// - Returns: Nil while no checkpoint covers the event.
    /// - Throws: `EvidenceFault` when the event is not the one that was signed; `PostgresError`.
    package func proof(of event: RecordedEvent) async throws -> EventProof? {
        try await proof(of: CoveredEvent(event: event, checkpoint: try await store.first(covering: event.position)))
    }

    /// The event at a position, with what `proof(of:)` needs; nil when the tables do not hold it.
    package func coveredEvent(at position: Int64) async throws -> CoveredEvent? {
        try await covered.value(of: position)?.get()
    }

    /// The proof that an event is in the tree of its checkpoint, as above.
    package func proof(of covered: CoveredEvent) async throws -> EventProof? {
        let event = covered.event
        guard let checkpoint = covered.checkpoint else { return nil }
        do {
            if let proof = try await proof(of: event, in: checkpoint, from: kept) { return proof }
            // The kept tiles may be those of a former epoch, which this process has not noticed yet.
            kept.clear()
            if let proof = try await proof(of: event, in: checkpoint, from: tiles) { return proof }
            throw EvidenceFault.changed(signed: checkpoint.size, .database)
        } catch TreeReadError.incompleteTile(let id) {
            throw EvidenceFault.missingTile(id)
        }
    }

    /// Nil when the tiles do not prove it.
    private func proof(
        of event: RecordedEvent,
        in checkpoint: StoredCheckpoint,
        from tiles: some TileSource
    ) async throws -> EventProof? {
        let inclusion = try await tiles.inclusionProof(index: event.position - 1, size: checkpoint.size)
        let leaf = MerkleHash(leaf: Array(event.recordLine.utf8))
        guard inclusion.verifies(leaf: leaf, root: checkpoint.root) else { return nil }
        return EventProof(event: event, inclusion: inclusion, checkpoint: checkpoint)
    }

    /// The proof that the log of `second` events begins with the log of `first` events.
    ///
    /// - Parameters:
    ///   - first: 0...second.
    ///   - second: At most the size of the newest checkpoint.
    /// - Throws: `EvidenceFault` when tiles are missing; `PostgresError`.
    package func consistency(from first: Int64, to second: Int64) async throws -> ConsistencyProof {
        do {
            return try await tiles.consistencyProof(from: first, to: second)
        } catch TreeReadError.incompleteTile(let id) {
            throw EvidenceFault.missingTile(id)
        }
    }

    /// The hashes of a tile, up to the newest checkpoint.
    ///
    /// - Returns: Nil when the signed log has no such tile, or the tile has fewer hashes.
    /// - Throws: `EvidenceFault` when hashes of it are missing; `PostgresError`.
    package func tile(_ path: TilePath) async throws -> [UInt8]? {
        guard let checkpoint = try await store.newest(), path.width <= path.id.width(size: checkpoint.size) else {
            return nil
        }
        let hashes = try await tiles.tiles([path.id], size: checkpoint.size)[path.id]?.hashes ?? []
        guard hashes.count >= path.width else { throw EvidenceFault.missingTile(path.id) }
        return Array(hashes.prefix(path.width)).concatenated
    }
}
