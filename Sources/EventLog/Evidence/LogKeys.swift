package import Merkle

/// The keys of a log, as its key file lists them: one per line; lines beginning with `#` are ignored.
///
/// Every private key signs; the first one is the log's. Verifier keys (`name+id+base64`) sign nothing and are trusted
/// for what they signed in the past. All keys have the same name, which is the origin of the checkpoints. To change a
/// key, put a new one first, and later replace the old private key by its verifier key.
package struct LogKeys: Sendable {
    /// The private keys, at least one, the log's own first.
    package let signing: [NoteSigningKey]
    /// The public halves of all keys, the log's own first.
    package let verifiers: [NoteVerifierKey]

    package struct Malformed: Error, Hashable {
        /// Counted from 1.
        package var line: Int
    }

    package init(_ key: NoteSigningKey) {
        signing = [key]
        verifiers = [key.verifierKey]
    }

    /// Reads a key file.
    ///
    /// - Throws: `Malformed` with the line that is not a key or has another name than the first; with the line after
    ///   the last when there is no private key.
    package init(fileContents text: String) throws(Malformed) {
        var signing: [NoteSigningKey] = []
        var verifiers: [NoteVerifierKey] = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            if let key = try? NoteSigningKey(line) {
                signing.append(key)
                verifiers.append(key.verifierKey)
            } else if let key = try? NoteVerifierKey(line) {
                verifiers.append(key)
            } else {
                throw Malformed(line: index + 1)
            }
            guard verifiers.last?.name == verifiers.first?.name else { throw Malformed(line: index + 1) }
        }
        guard let first = signing.first else { throw Malformed(line: lines.count) }
        self.signing = signing
        self.verifiers = [first.verifierKey] + verifiers.filter { $0 != first.verifierKey }
    }

    /// The contents of a key file with these keys.
    package var fileContents: String {
        let old = verifiers.filter { verifier in !signing.contains { $0.verifierKey == verifier } }
        return """
            # The keys of a Daybook log. Secret: this file is enough to sign checkpoints.
            # Every PRIVATE+KEY signs, the first one is the log's own; the other lines are trusted for the past.
            \(signing.map(\.secretText).joined(separator: "\n"))

            """ + old.map { $0.text + "\n" }.joined()
    }

    /// The same keys with a new key of the same name in front. The previous keys continue to sign as well.
    package func rotated() -> LogKeys {
        LogKeys(signing: [NoteSigningKey(name: verifiers[0].name)] + signing, verifiers: verifiers)
    }

    private init(signing: [NoteSigningKey], verifiers: [NoteVerifierKey]) {
        self.signing = signing
        self.verifiers = signing.prefix(1).map(\.verifierKey) + verifiers
    }

    /// The origin of the checkpoints.
    package var origin: String { verifiers[0].name.description }
}
