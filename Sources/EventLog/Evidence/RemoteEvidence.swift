package import Logging
package import Merkle
package import Postgres

/// Compares the log with what a remote witness knows of it, and has its checkpoints cosigned.
///
/// The witness names only the size of the newest checkpoint that it has cosigned. Whether the log continues it shows
/// when the witness accepts or refuses the proof from that size on.
package actor RemoteEvidence {
    /// The newest checkpoint that the witness has cosigned for this process; nil before the first one.
    package private(set) var cosigned: EvidenceCheck.Known?
    /// That checkpoint with its cosignatures; nil if it is not stored.
    package private(set) var cosignedNote: SignedNote?

    private let remote: any RemoteWitness
    private let cosigners: [CosignerKey]
    private let keys: LogKeys?
    private let store: CheckpointStore
    private let tiles: LogTiles
    private let logger: Logger
    /// Other servers of this log may have checkpoints cosigned at the same time.
    private static let mostAttempts = 8
    /// The most epochs that the witness is asked for before an adoption: more than one backup is restored and adopted.
    private static let mostEpochs: Int64 = 64

    /// - Parameter keys: If given, a checkpoint of the whole log is signed when the stored ones do not reach to what
    ///   the witness knows. It is not stored.
    package init(_ options: WitnessOptions, keys: LogKeys?, pool: PostgresPool, logger: Logger) {
        remote = options.remote
        cosigners = options.keys
        self.keys = keys
        store = CheckpointStore(pool: pool)
        tiles = LogTiles(pool: pool)
        self.logger = logger
    }

    nonisolated var address: String { remote.address }

    /// Returns when the witness has cosigned a checkpoint of the log: the newest stored one, or one of the whole log.
    ///
    /// - Parameter situation: The log, already compared with everything that was signed.
    /// - Throws: `EvidenceFault` if the log does not continue what the witness knows; `RemoteWitnessFailure`;
    ///   `PostgresError`.
    package func agree(with situation: CheckpointStore.Situation) async throws {
        let epoch = situation.epoch.number
        var situation = situation
        var old = cosigned.flatMap { $0.epoch == epoch ? $0.size : nil } ?? 0
        var refused: Int64?
        for _ in 0..<Self.mostAttempts {
            let (checkpoint, note, isStored) = try checkpoint(of: situation, covering: old)
            let proof = try await proof(from: old, to: checkpoint.size)
            switch await remote.add(CheckpointSubmission(old: old, proof: proof, note: note)) {
            case .cosigned(let signatures):
                let cosignatures = try valid(signatures, on: note)
                cosigned = EvidenceCheck.Known(checkpoint, .remote)
                cosignedNote = isStored ? note.with(note.signatures + cosignatures) : nil
                return
            case .conflict(let size):
                guard let known = size ?? (old == checkpoint.size ? old : nil) else {
                    throw failure(.witnessUnusable, "answers 409 without a size")
                }
                // Once more, because the witness may have heard from another server between comparing and answering.
                if known == old, refused == old { throw try refusal(of: old) }
                refused = known == old ? old : nil
                // Read after the answer: the log then has every checkpoint that a server has sent.
                situation = try await store.situation()
                guard situation.epoch.number == epoch else { throw EpochMismatch() }
                guard known <= situation.head.size else {
                    throw EvidenceFault.shorter(head: situation.head.size, signed: known, .remote)
                }
                if known < old {
                    logger.warning(
                        "the witness was set back",
                        metadata: ["witness": "\(address)", "size": "\(known)", "before": "\(old)"]
                    )
                }
                old = known
            case .proofRefused: throw try refusal(of: old)
            case let answer: throw failure(of: answer)
            }
        }
        throw failure(.witnessUnusable, "knows another size with each answer")
    }

    /// The first epoch from `first` on that the witness has not seen; `first` if it has seen as many as are asked for,
    /// as a witness that does not read epochs seems to.
    ///
    /// The question is the log as it is, signed in the epoch, with its own size as the old one. In an epoch that the
    /// witness has not seen, no size but 0 is right: it refuses, and names 0. In another one it names the size that it
    /// knows, or cosigns the tree that it has cosigned before. So no answer changes what it knows, whether or not the
    /// log is adopted afterwards.
    ///
    /// - Parameter situation: The log that is about to be adopted. An empty one has no size to ask with.
    /// - Throws: `RemoteWitnessFailure`.
    func unseenEpoch(from first: Int64, for situation: CheckpointStore.Situation) async throws -> Int64 {
        guard situation.head.size > 0 else { return first }
        for epoch in first..<first + Self.mostEpochs {
            let note = try signed(situation, in: epoch).note
            switch await remote.add(CheckpointSubmission(old: situation.head.size, proof: [], note: note)) {
            case .conflict(size: 0), .cosigned: return epoch
            case .conflict, .proofRefused: continue
            case let answer: throw failure(of: answer)
            }
        }
        return first
    }

    private var keyText: String { keys?.verifiers[0].text ?? "the log's key" }

    /// The witness knows a tree of this size that is not the beginning of this log.
    private func refusal(of size: Int64) throws(RemoteWitnessFailure) -> EvidenceFault {
        guard size > 0 else { throw failure(.witnessUnusable, "refuses the log's first checkpoint") }
        return .changed(signed: size, .remote)
    }

    private func failure(_ code: ProofObstacle.Code, _ what: String) -> RemoteWitnessFailure {
        RemoteWitnessFailure(obstacle: ProofObstacle(code, "the witness \(address) \(what)"))
    }

    private func failure(of answer: WitnessAnswer) -> RemoteWitnessFailure {
        switch answer {
        case .unknownOrigin: failure(.witnessLacksKey, "does not know this log: it lacks \(keyText)")
        case .untrusted: failure(.witnessLacksKey, "trusts another key of this log: it lacks \(keyText)")
        case .unusable(let reason): failure(.witnessUnusable, "cannot be used: \(reason)")
        case .unreachable(let reason): failure(.witnessUnreachable, "cannot be reached: \(reason)")
        case .cosigned, .conflict, .proofRefused: failure(.witnessUnusable, "cannot be used: its answer makes no sense")
        }
    }

    /// The newest stored checkpoint of the epoch, if it covers `size`, else one of the whole log.
    private func checkpoint(
        of situation: CheckpointStore.Situation,
        covering size: Int64
    ) throws -> (Checkpoint, SignedNote, isStored: Bool) {
        if let newest = situation.newest, newest.size >= size, let note = try? SignedNote(newest.note.utf8),
            let checkpoint = try? Checkpoint(text: note.text), checkpoint.epoch == situation.epoch.number
        {
            return (checkpoint, note, true)
        }
        let (checkpoint, note) = try signed(situation, in: situation.epoch.number)
        return (checkpoint, note, false)
    }

    /// A checkpoint of the whole log, which is not stored.
    private func signed(
        _ situation: CheckpointStore.Situation,
        in epoch: Int64
    ) throws -> (checkpoint: Checkpoint, note: SignedNote) {
        guard let keys else { throw failure(.logKeyMissing, "cannot be asked without the log's signing key") }
        let checkpoint = Checkpoint(
            origin: keys.origin,
            size: situation.head.size,
            root: situation.head.root,
            after: situation.newest?.size ?? 0,
            epoch: epoch
        )
        return (checkpoint, try checkpoint.signed(by: keys.signing))
    }

    private func proof(from old: Int64, to size: Int64) async throws -> [MerkleHash] {
        do {
            return try await tiles.consistencyProof(from: old, to: size).hashes
        } catch TreeReadError.incompleteTile(let id) {
            throw EvidenceFault.missingTile(id)
        }
    }

    /// The cosignatures of the witness's keys, at least one. Those of other keys are ignored.
    private func valid(_ signatures: [NoteSignature], on note: SignedNote) throws -> [NoteSignature] {
        var valid: [NoteSignature] = []
        for signature in signatures {
            for key in cosigners {
                do throws(NoteError) {
                    if try key.time(of: signature, on: note.text) != nil { valid.append(signature) }
                } catch {
                    throw failure(.witnessKeyDiffers, "sent a cosignature that is not valid")
                }
            }
        }
        guard !valid.isEmpty else { throw failure(.witnessKeyDiffers, "did not cosign with its configured key") }
        return valid
    }
}
