import EventLog
package import Merkle

/// The checkpoints of a witness file, of its last epoch. Those of earlier epochs are of events that an adopted log may
/// lack; the stored checkpoints attest what it kept of them.
package struct WitnessedCheckpoints: Sendable {
    package private(set) var attestations: [Attestation] = []
    private var epoch: Int64 = 0
    /// The notes in the file that are not a checkpoint, or not signed by the log's key.
    package private(set) var faults = FaultLog()

    /// Reads all checkpoints.
    ///
    /// - Parameter keys: The keys of the log. If there are any, signatures are checked.
    /// - Throws: `WitnessFile.Failure` when the file cannot be read.
    package static func read(_ path: String, keys: [NoteVerifierKey]) async throws -> WitnessedCheckpoints {
        try await FileThread().run {
            var found = WitnessedCheckpoints()
            try WitnessFile.read(path) { found.add($0, keys) }
            return found
        }
    }

    private mutating func add(_ result: Result<SignedNote, NoteError>, _ keys: [NoteVerifierKey]) {
        guard let note = try? result.get(), let checkpoint = try? Checkpoint(text: note.text) else {
            let position = (attestations.last?.size ?? 0) + 1
            return faults.add(.checkpoint, at: position, "the witness file has a note that is not a checkpoint")
        }
        if !keys.isEmpty, (try? Checkpoint(note, signedBy: keys)) == nil {
            faults.add(.signature, at: checkpoint.size, "the witnessed checkpoint is not signed by the key")
        }
        if checkpoint.epoch > epoch {
            (attestations, epoch) = ([], checkpoint.epoch)
        }
        attestations.append(Attestation(size: checkpoint.size, root: checkpoint.root, source: .witnessed))
    }
}
