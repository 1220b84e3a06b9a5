import EventLog
package import Merkle

/// The checkpoints of a witness file.
package enum WitnessedCheckpoints {
    /// Reads all of them. Blocks while reading.
    ///
    /// - Parameters:
    ///   - keys: Of the log. Signatures are checked when there is one.
    ///   - faults: What in the file is no checkpoint, or is not signed, is added.
    /// - Throws: `WitnessFile.Failure` when the file cannot be read.
    package static func read(
        _ path: String,
        keys: [NoteVerifierKey],
        faults: inout FaultLog
    ) throws -> [Attestation] {
        var attestations: [Attestation] = []
        try WitnessFile.read(path) { result in
            guard let note = try? result.get(), let checkpoint = try? Checkpoint(text: note.text) else {
                let position = (attestations.last?.size ?? 0) + 1
                return faults.add(.checkpoint, at: position, "the witness file holds what is no checkpoint")
            }
            if !keys.isEmpty, (try? Checkpoint(note, signedBy: keys)) == nil {
                faults.add(.signature, at: checkpoint.size, "the witnessed checkpoint is not signed by the key")
            }
            attestations.append(Attestation(size: checkpoint.size, root: checkpoint.root, source: .witnessed))
        }
        return attestations
    }
}
