/// The state of a log: how many leaves it has, and the root over them (C2SP `tlog-checkpoint`).
package struct Checkpoint: Sendable, Hashable {
    /// The log's identity: the name of its keys.
    package var origin: String
    package var size: Int64
    package var root: MerkleHash
    /// Further lines, not interpreted here.
    package var extensions: [String]

    package init(origin: String, size: Int64, root: MerkleHash, extensions: [String] = []) {
        self.origin = origin
        self.size = size
        self.root = root
        self.extensions = extensions
    }

    /// Reads the text of a note.
    ///
    /// - Throws: `NoteError.malformed`.
    package init(text: String) throws(NoteError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard lines.count >= 4, lines.last?.isEmpty == true, lines.dropLast().allSatisfy({ !$0.isEmpty }),
            let size = Int64(lines[1]), size >= 0, String(size) == lines[1],
            let root = MerkleHash(base64: lines[2])
        else { throw .malformed }
        self.init(origin: lines[0], size: size, root: root, extensions: Array(lines[3...].dropLast()))
    }

    /// Reads a note with valid signatures.
    ///
    /// - Parameter keys: The keys of the log: at least one of them must have signed, and the name of each that did must
    ///   equal the origin.
    /// - Throws: `NoteError`.
    package init(_ note: SignedNote, signedBy keys: [NoteVerifierKey]) throws(NoteError) {
        let signers = try note.verify(with: keys)
        try self.init(text: note.text)
        guard signers.allSatisfy({ Array($0.name.description.utf8) == Array(origin.utf8) }) else {
            throw .noKnownSignature
        }
    }

    /// The text to sign.
    package var text: String {
        ([origin, String(size), root.base64] + extensions).map { $0 + "\n" }.joined()
    }

    /// The checkpoint as a note, signed by these keys.
    ///
    /// - Throws: `NoteError.malformed` when the origin or an extension is not a line.
    package func signed(by keys: [NoteSigningKey]) throws -> SignedNote {
        try SignedNote(signing: text, with: keys)
    }
}
