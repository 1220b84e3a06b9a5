internal import Crypto

/// The public half of a witness's key for cosignatures (C2SP `tlog-cosignature`, Ed25519). Its text is
/// `name+id+base64`, like that of a log's key, with another algorithm byte.
package struct CosignerKey: Sendable, Hashable {
    static let algorithm: UInt8 = 0x04

    package let name: NoteKeyName
    package let id: UInt32
    /// 32 bytes.
    package let publicKey: [UInt8]

    fileprivate init(name: NoteKeyName, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
        id = name.keyID(algorithm: Self.algorithm, publicKey: publicKey)
    }

    /// - Throws: `NoteError.malformedKey`, also for the key of a log.
    package init(_ text: String) throws(NoteError) {
        let parts = try KeyText(ofPublicKey: text, algorithm: Self.algorithm)
        self.init(name: parts.name, publicKey: Array(parts.key.dropFirst()))
    }

    package var text: String { KeyText(name: name, id: id, key: [Self.algorithm] + publicKey).text }

    /// The time of a cosignature of this key, in seconds since 1970.
    ///
    /// - Parameter text: The text of the note.
    /// - Returns: Nil if the signature is of another key.
    /// - Throws: `NoteError.invalidSignature` if it has this key's name and id and is not valid.
    package func time(of signature: NoteSignature, on text: String) throws(NoteError) -> Int64? {
        guard signature.name == name, signature.keyID == id else { return nil }
        guard signature.bytes.count == 72,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { throw .invalidSignature }
        let time = signature.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard let seconds = Int64(exactly: time),
            key.isValidSignature(signature.bytes.dropFirst(8), for: Self.message(seconds, text))
        else { throw .invalidSignature }
        return seconds
    }

    /// What is signed: a header, the time, and the text of the note.
    fileprivate static func message(_ seconds: Int64, _ text: String) -> [UInt8] {
        Array("cosignature/v1\ntime \(seconds)\n\(text)".utf8)
    }
}

/// A key with which a witness cosigns. Its key file has the form of a log's; only the algorithm of the signatures
/// differs.
package struct CosigningKey: Sendable {
    private let key: NoteSigningKey
    package let cosignerKey: CosignerKey

    package init(_ key: NoteSigningKey) {
        self.key = key
        cosignerKey = CosignerKey(name: key.name, publicKey: key.verifierKey.publicKey)
    }

    /// Cosigns the text of a note.
    ///
    /// - Parameter seconds: The time since 1970, 0 or more.
    /// - Throws: `CryptoKitError`.
    package func signature(for text: String, at seconds: Int64) throws -> NoteSignature {
        let signature = try key.signature(of: CosignerKey.message(seconds, text))
        let time = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: seconds >> Int64($0)) }
        return NoteSignature(name: key.name, keyID: cosignerKey.id, bytes: time + signature)
    }
}
