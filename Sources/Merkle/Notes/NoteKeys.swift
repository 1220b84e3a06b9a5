internal import Crypto

/// The name of a key of a note, usually an address without a scheme such as `example.com/log`. It is not empty and has
/// no spaces, plus signs and control characters.
package struct NoteKeyName: Sendable, Hashable, CustomStringConvertible {
    // Compared by bytes: texts that only look the same are different names.
    private let bytes: [UInt8]

    package init?(_ text: String) {
        guard !text.isEmpty,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "+" && !$0.properties.isWhitespace })
        else { return nil }
        bytes = Array(text.utf8)
    }

    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The id of a key: the first four bytes of SHA-256(name, 0x0A, algorithm, public key).
    func keyID(algorithm: UInt8, publicKey: [UInt8]) -> UInt32 {
        SHA256.hash(data: bytes + [0x0A, algorithm] + publicKey).prefix(4)
            .reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The public half of an Ed25519 key for notes. Its text is `name+id+base64`, the id in hexadecimal.
package struct NoteVerifierKey: Sendable, Hashable {
    static let ed25519: UInt8 = 0x01

    package let name: NoteKeyName
    package let id: UInt32
    /// 32 bytes.
    package let publicKey: [UInt8]

    fileprivate init(name: NoteKeyName, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
        id = name.keyID(algorithm: Self.ed25519, publicKey: publicKey)
    }

    /// - Throws: `NoteError.malformedKey`.
    package init(_ text: String) throws(NoteError) {
        let parts = try KeyText(ofPublicKey: text, algorithm: Self.ed25519)
        self.init(name: parts.name, publicKey: Array(parts.key.dropFirst()))
    }

    package var text: String { KeyText(name: name, id: id, key: [Self.ed25519] + publicKey).text }

    /// Whether the signature names this key; it may be invalid.
    package func isNamed(by signature: NoteSignature) -> Bool { signature.name == name && signature.keyID == id }

    func verifies(_ signature: NoteSignature, text: String) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature.bytes, for: Array(text.utf8))
    }
}

/// An Ed25519 key that signs notes. Its text is `PRIVATE+KEY+name+id+base64` and is secret; printing the value does not
/// show it.
package struct NoteSigningKey: Sendable {
    private static let prefix = "PRIVATE+KEY+"

    package let verifierKey: NoteVerifierKey
    private let privateKey: Curve25519.Signing.PrivateKey

    private init(name: NoteKeyName, privateKey: Curve25519.Signing.PrivateKey) {
        self.privateKey = privateKey
        verifierKey = NoteVerifierKey(name: name, publicKey: Array(privateKey.publicKey.rawRepresentation))
    }

    /// A new key.
    package init(name: NoteKeyName) {
        self.init(name: name, privateKey: Curve25519.Signing.PrivateKey())
    }

    /// - Throws: `NoteError.malformedKey`.
    package init(_ text: String) throws(NoteError) {
        guard text.hasPrefix(Self.prefix), let parts = KeyText(String(text.dropFirst(Self.prefix.count))),
            parts.key.count == 33, parts.key[0] == NoteVerifierKey.ed25519,
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: parts.key.dropFirst())
        else { throw .malformedKey }
        self.init(name: parts.name, privateKey: key)
        guard verifierKey.id == parts.id else { throw .malformedKey }
    }

    package var name: NoteKeyName { verifierKey.name }

    /// The key's text in the key file.
    package var secretText: String {
        let key = [NoteVerifierKey.ed25519] + Array(privateKey.rawRepresentation)
        return Self.prefix + KeyText(name: name, id: verifierKey.id, key: key).text
    }

    /// - Throws: `CryptoKitError`.
    func signature(for text: String) throws -> NoteSignature {
        NoteSignature(name: name, keyID: verifierKey.id, bytes: try signature(of: Array(text.utf8)))
    }

    /// The bare signature, 64 bytes.
    ///
    /// - Throws: `CryptoKitError`.
    func signature(of bytes: [UInt8]) throws -> [UInt8] { Array(try privateKey.signature(for: bytes)) }
}

extension NoteSigningKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "signing key of \(verifierKey.text)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// `name+id+base64`.
struct KeyText {
    var name: NoteKeyName
    var id: UInt32
    var key: [UInt8]

    init(name: NoteKeyName, id: UInt32, key: [UInt8]) {
        self.name = name
        self.id = id
        self.key = key
    }

    init?(_ text: String) {
        // Base64 may contain plus signs.
        let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard parts.count == 3, let name = NoteKeyName(parts[0]), let key = Base64.bytes(parts[2]),
            parts[1].utf8.count == 8, let id = UInt32(parts[1], radix: 16), Self.hexadecimal(id) == parts[1]
        else { return nil }
        self.init(name: name, id: id, key: key)
    }

    /// The text of an Ed25519 public key: `key` is the algorithm and 32 bytes.
    ///
    /// - Throws: `NoteError.malformedKey`, also for another algorithm, and for an id that is not that of the key.
    init(ofPublicKey text: String, algorithm: UInt8) throws(NoteError) {
        guard let parts = KeyText(text), parts.key.count == 33, parts.key[0] == algorithm,
            (try? Curve25519.Signing.PublicKey(rawRepresentation: parts.key.dropFirst())) != nil,
            parts.id == parts.name.keyID(algorithm: algorithm, publicKey: Array(parts.key.dropFirst()))
        else { throw .malformedKey }
        self = parts
    }

    var text: String { "\(name)+\(Self.hexadecimal(id))+\(Base64.text(key))" }

    private static func hexadecimal(_ id: UInt32) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
