import Merkle
import Testing

@Suite("Checkpoints")
struct CheckpointTests {
    private static let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="

    @Test("The form of the specification's example, both ways")
    func form() throws {
        let text = "example.com/behind-the-sofa\n20852163\n\(Self.root)\n"
        let checkpoint = try Checkpoint(text: text)
        #expect(checkpoint.origin == "example.com/behind-the-sofa")
        #expect(checkpoint.size == 20_852_163)
        #expect(checkpoint.root.base64 == Self.root)
        #expect(checkpoint.extensions.isEmpty)
        #expect(checkpoint.text == text)
        let extended = try Checkpoint(text: text + "more\nand more\n")
        #expect(extended.extensions == ["more", "and more"])
        #expect(extended.text == text + "more\nand more\n")
        #expect(try Checkpoint(text: "o\n0\n\(MerkleHash.empty.base64)\n").root == .empty)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "\n", "o\n", "o\n1\n", "o\n1\n\(root)", "\n1\n\(root)\n", "o\n01\n\(root)\n", "o\n-1\n\(root)\n",
            "o\n+1\n\(root)\n", "o\n\n\(root)\n", "o\n1\n\(root)\n\n", "o\n1\n\(root)\n\nx\n", "o\n1 \n\(root)\n",
            "o\n9223372036854775808\n\(root)\n", "o\n1\nCsUY\n", "o\n1\n\(root)=\n", "o\n1\n\(root.dropLast())\n",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: NoteError.malformed) { try Checkpoint(text: text) }
    }

    @Test("A checkpoint is accepted when a key of its log has signed it")
    func signed() throws {
        let key = NoteSigningKey(name: try #require(NoteKeyName("example.com/log")))
        let next = NoteSigningKey(name: try #require(NoteKeyName("example.com/log")))
        let witness = NoteSigningKey(name: try #require(NoteKeyName("witness.example")))
        let checkpoint = Checkpoint(origin: "example.com/log", size: 7, root: .empty)
        let note = try SignedNote(checkpoint.signed(by: [key, witness]).encoded.utf8)
        #expect(try Checkpoint(note, signedBy: [key.verifierKey]) == checkpoint)
        #expect(try Checkpoint(note, signedBy: [next.verifierKey, key.verifierKey]) == checkpoint)
        #expect(throws: NoteError.noKnownSignature) { try Checkpoint(note, signedBy: [next.verifierKey]) }
        #expect(throws: NoteError.noKnownSignature) { try Checkpoint(note, signedBy: [witness.verifierKey]) }
        let plain = try SignedNote(signing: "not a checkpoint\n", with: [key])
        #expect(throws: NoteError.malformed) { try Checkpoint(plain, signedBy: [key.verifierKey]) }
        #expect(throws: NoteError.malformed) {
            try Checkpoint(origin: "two\nlines\r", size: 7, root: .empty).signed(by: [key])
        }
    }
}
