/// A text with signatures in the form of C2SP `signed-note`. Reading one does not verify it.
package struct SignedNote: Sendable, Hashable {
    /// Ends in a newline; does not include the blank line after it.
    package private(set) var text: String
    package private(set) var signatures: [NoteSignature]

    /// The limits of a note that is read: witnesses may add signatures, but not without limit.
    static let maxSignatures = 100
    static let maxBytes = 1 << 20

    /// Signs a text.
    ///
    /// - Parameter text: Ends in a newline and has no other control characters.
    /// - Throws: `NoteError.malformed` for any other text.
    package init(signing text: String, with keys: [NoteSigningKey]) throws {
        guard text.utf8.last == UInt8(ascii: "\n"), Self.isPlain(text.utf8) else { throw NoteError.malformed }
        self.text = text
        signatures = try keys.map { try $0.signature(for: text) }
    }

    /// Reads a note.
    ///
    /// - Throws: `NoteError.malformed` for anything that does not have the exact form of a note.
    package init(_ bytes: some Collection<UInt8>) throws(NoteError) {
        let bytes = Array(bytes)
        guard bytes.count <= Self.maxBytes, bytes.last == UInt8(ascii: "\n"), Self.isPlain(bytes),
            String(validating: bytes, as: UTF8.self) != nil
        else { throw .malformed }
        // The last empty line separates the text from the signatures.
        let newline = UInt8(ascii: "\n")
        guard let separator = bytes.indices.dropLast().last(where: { bytes[$0] == newline && bytes[$0 + 1] == newline })
        else { throw .malformed }
        let lines = bytes[(separator + 2)...].split(separator: newline, omittingEmptySubsequences: false).dropLast()
        guard !lines.isEmpty, lines.count <= Self.maxSignatures else { throw .malformed }
        text = String(decoding: bytes[...separator], as: UTF8.self)
        signatures = []
        for line in lines {
            guard let signature = NoteSignature(line: String(decoding: line, as: UTF8.self)) else { throw .malformed }
            signatures.append(signature)
        }
    }

    /// The note as it is stored and served.
    package var encoded: String { text + "\n" + signatures.map { $0.line + "\n" }.joined() }

    /// Checks the signatures of known keys; signatures of other keys are ignored.
    ///
    /// - Returns: The keys with valid signatures, at least one.
    /// - Throws: `NoteError.invalidSignature` when the signature of a known key is invalid,
    ///   `NoteError.noKnownSignature` when none of them has signed.
    @discardableResult
    package func verify(with keys: [NoteVerifierKey]) throws(NoteError) -> [NoteVerifierKey] {
        var verified: [NoteVerifierKey] = []
        for signature in signatures {
            for key in keys where key.isNamed(by: signature) {
                guard key.verifies(signature, text: text) else { throw .invalidSignature }
                if !verified.contains(key) { verified.append(key) }
            }
        }
        guard !verified.isEmpty else { throw .noKnownSignature }
        return verified
    }

    /// The same text with these signatures only.
    package func with(_ signatures: [NoteSignature]) -> SignedNote {
        var note = self
        note.signatures = signatures
        return note
    }

    private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") }
    }
}

/// Why a note, a checkpoint or a key is not accepted.
package enum NoteError: Error, Hashable {
    case malformed
    case invalidSignature
    case noKnownSignature
    /// The key's text is not that of an Ed25519 key, or its id does not belong to the key.
    case malformedKey
}

/// One signature line of a note.
package struct NoteSignature: Sendable, Hashable {
    package let name: NoteKeyName
    /// The first four bytes of the signature blob, which identify one of the name's keys.
    package let keyID: UInt32
    package let bytes: [UInt8]

    init(name: NoteKeyName, keyID: UInt32, bytes: [UInt8]) {
        self.name = name
        self.keyID = keyID
        self.bytes = bytes
    }

    /// - Parameter line: Without the newline.
    package init?(line: String) {
        let parts = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard parts.count == 3, Array(parts[0].utf8) == Array("—".utf8), let name = NoteKeyName(parts[1]),
            let blob = Base64.bytes(parts[2]), blob.count > 4
        else { return nil }
        self.init(name: name, keyID: blob.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, bytes: Array(blob.dropFirst(4)))
    }

    /// Without the newline.
    package var line: String { "— \(name) \(Base64.text(keyID.noteBytes + bytes))" }
}

extension UInt32 {
    /// The four bytes, the first one most significant.
    var noteBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
