/// A request to a witness: a checkpoint, and the proof that its tree begins with the one that the witness knows (C2SP
/// `tlog-witness`, add-checkpoint).
package struct CheckpointSubmission: Sendable, Hashable {
    /// The size of the newest checkpoint that the witness has cosigned, as far as the log knows; 0 for none.
    package var old: Int64
    /// The consistency proof from `old` to the size of the checkpoint; empty if `old` is 0 or that size.
    package var proof: [MerkleHash]
    /// The checkpoint.
    package var note: SignedNote

    private static let prefix = "old "
    /// The most hashes of a proof.
    static let mostHashes = 63

    package init(old: Int64, proof: [MerkleHash], note: SignedNote) {
        self.old = old
        self.proof = proof
        self.note = note
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `NoteError.malformed` for anything that does not have the exact form.
    package init(_ bytes: [UInt8]) throws(NoteError) {
        let newline = UInt8(ascii: "\n")
        guard bytes.count <= SignedNote.maxBytes,
            let end = bytes.indices.dropLast().first(where: { bytes[$0] == newline && bytes[$0 + 1] == newline })
        else { throw .malformed }
        let lines = bytes[..<end].split(separator: newline, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let size = lines[0].dropFirst(Self.prefix.count)
        guard lines[0].hasPrefix(Self.prefix), let old = Int64(size), old >= 0, String(old) == size,
            lines.count <= 1 + Self.mostHashes
        else { throw .malformed }
        proof = []
        for line in lines.dropFirst() {
            guard let hash = MerkleHash(base64: line) else { throw .malformed }
            proof.append(hash)
        }
        self.old = old
        note = try SignedNote(bytes[(end + 2)...])
    }

    /// The body of the request.
    package var encoded: String {
        "\(Self.prefix)\(old)\n" + proof.map { $0.base64 + "\n" }.joined() + "\n" + note.encoded
    }
}
