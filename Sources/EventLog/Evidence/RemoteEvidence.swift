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
                    throw failure("answers 409 without a size")
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
            case .unknownOrigin: throw failure("does not know this log: its operator must add \(keyText)")
            case .untrusted: throw failure("trusts another key of this log: its operator must add \(keyText)")
            case .unusable(let reason): throw failure("cannot be used: \(reason)")
            case .unreachable(let reason): throw failure("cannot be reached: \(reason)")
            }
        }
        throw failure("knows another size with each answer")
    }

    private var keyText: String { keys?.verifiers[0].text ?? "the log's key" }

    /// The witness knows a tree of this size that is not the beginning of this log.
    private func refusal(of size: Int64) throws(RemoteWitnessFailure) -> EvidenceFault {
        guard size > 0 else { throw failure("refuses the log's first checkpoint") }
        return .changed(signed: size, .remote)
    }

    private func failure(_ what: String) -> RemoteWitnessFailure {
        RemoteWitnessFailure(description: "the witness \(address) \(what)")
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
        guard let keys else { throw failure("cannot be asked without the log's signing key") }
        let checkpoint = Checkpoint(
            origin: keys.origin,
            size: situation.head.size,
            root: situation.head.root,
            after: situation.newest?.size ?? 0,
            epoch: situation.epoch.number
        )
        return (checkpoint, try checkpoint.signed(by: keys.signing), false)
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
                    throw failure("sent a cosignature that is not valid")
                }
            }
        }
        guard !valid.isEmpty else { throw failure("did not cosign with its configured key") }
        return valid
    }
}
