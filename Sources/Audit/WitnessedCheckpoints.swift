import EventLog
package import Merkle

/// The checkpoints of a witness file, of its last epoch. Those of earlier epochs are of events that an adopted log may
/// lack; the stored checkpoints attest what it kept of them.
package struct WitnessedCheckpoints: Sendable {
    package private(set) var attestations: [Attestation] = []
    /// How many of them the remote witness has cosigned, and the size of the newest one.
    package private(set) var cosigned = 0
    package private(set) var newestCosigned: Int64?
    private var epoch: Int64 = 0
    /// The notes in the file that are not a checkpoint, or not signed by the log's key, or with a wrong cosignature.
    package private(set) var faults = FaultLog()

    /// Reads all checkpoints.
    ///
    /// - Parameters:
    ///   - keys: The keys of the log. If there are any, signatures are checked.
    ///   - cosigners: The keys of the remote witness. Its cosignatures are checked, and those of others ignored.
    /// - Throws: `WitnessFile.Failure` when the file cannot be read.
    package static func read(
        _ path: String,
        keys: [NoteVerifierKey],
        cosigners: [CosignerKey] = []
    ) async throws -> WitnessedCheckpoints {
        try await FileThread().run {
            var found = WitnessedCheckpoints()
            try WitnessFile.read(path) { found.add($0, keys, cosigners) }
            return found
        }
    }

    private mutating func add(
        _ result: Result<SignedNote, NoteError>,
        _ keys: [NoteVerifierKey],
        _ cosigners: [CosignerKey]
    ) {
        guard let note = try? result.get(), let checkpoint = try? Checkpoint(text: note.text) else {
            let position = (attestations.last?.size ?? 0) + 1
            return faults.add(.checkpoint, at: position, "the witness file has a note that is not a checkpoint")
        }
        if !keys.isEmpty, (try? Checkpoint(note, signedBy: keys)) == nil {
            faults.add(.signature, at: checkpoint.size, "the witnessed checkpoint is not signed by the key")
        }
        if checkpoint.epoch > epoch {
            (attestations, epoch, cosigned, newestCosigned) = ([], checkpoint.epoch, 0, nil)
        }
        add(cosignaturesOf: note, size: checkpoint.size, cosigners)
        attestations.append(Attestation(size: checkpoint.size, root: checkpoint.root, source: .witnessed))
    }

    private mutating func add(cosignaturesOf note: SignedNote, size: Int64, _ cosigners: [CosignerKey]) {
        var isCosigned = false
        for signature in note.signatures {
            for key in cosigners {
                do throws(NoteError) {
                    if try key.time(of: signature, on: note.text) != nil { isCosigned = true }
                } catch {
                    faults.add(.signature, at: size, "a cosignature of \(key.name) is not valid for this checkpoint")
                }
            }
        }
        guard isCosigned else { return }
        cosigned += 1
        newestCosigned = size
    }
}
