import Merkle
import Testing

@Suite("Cosignatures")
struct CosignatureTests {
    // Made with another implementation of Ed25519, from the private key of the bytes 20 21 ... 3f.
    private static let signingKey =
        "PRIVATE+KEY+witness.example/w1+484bc619+ASAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/"
    private static let cosignerKey = "witness.example/w1+20324abe+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X"
    private static let line = """
        — witness.example/w1 IDJKvgAAAABkGFDLPg6TW2unQ0a9uULZNouCSACsox8dRoaRirsB2FjnZDR59Fg2E1PmyNQfmUpZI1dBjOKapmoU\
        5IkZfXU1GSajCA==
        """
    private static let text = "daybook.example/log\n3\nrct2OTZL8WtaW6dV6ncaO1FFf5uH3fWkDmqLAg5LxX0=\n"
    private static let time: Int64 = 1_679_315_147

    @Test("The form of keys and cosignatures, both ways")
    func form() throws {
        let key = try CosigningKey(NoteSigningKey(Self.signingKey))
        #expect(key.cosignerKey.text == Self.cosignerKey)
        #expect(try CosignerKey(Self.cosignerKey) == key.cosignerKey)
        let signature = try #require(NoteSignature(line: Self.line))
        #expect(signature.line == Self.line)
        #expect(try key.cosignerKey.time(of: signature, on: Self.text) == Self.time)
        let own = try key.signature(for: Self.text, at: Self.time)
        #expect(own.bytes.count == 72)
        #expect(try key.cosignerKey.time(of: own, on: Self.text) == Self.time)
    }

    @Test("Text and time are signed, and other keys are ignored")
    func verification() throws {
        let key = try CosignerKey(Self.cosignerKey)
        let signature = try #require(NoteSignature(line: Self.line))
        #expect(throws: NoteError.invalidSignature) { try key.time(of: signature, on: Self.text + "after 0\n") }
        let signing = NoteSigningKey(name: try #require(NoteKeyName("witness.example/w1")))
        #expect(try CosigningKey(signing).cosignerKey.time(of: signature, on: Self.text) == nil)
        // The same signature with another time.
        let other = try #require(NoteSignature(line: Self.line.replacing("GFDLPg6T", with: "GFDMPg6T")))
        #expect(throws: NoteError.invalidSignature) { try key.time(of: other, on: Self.text) }
        let short = try #require(NoteSignature(line: "— witness.example/w1 IDJKvgAAAABkGFDL"))
        #expect(throws: NoteError.invalidSignature) { try key.time(of: short, on: Self.text) }
    }

    @Test("A key of a log is not one of a witness, nor the reverse")
    func kinds() throws {
        let key = try NoteSigningKey(Self.signingKey)
        #expect(throws: NoteError.malformedKey) { try CosignerKey(key.verifierKey.text) }
        #expect(throws: NoteError.malformedKey) { try NoteVerifierKey(Self.cosignerKey) }
        #expect(throws: NoteError.malformedKey) {
            try CosignerKey(Self.cosignerKey.replacing("20324abe", with: "20324abf"))
        }
        #expect(throws: NoteError.malformedKey) { try CosignerKey("witness.example/w1") }
    }
}
