import Merkle
import Testing

@Suite("Signed notes")
struct NoteTests {
    // The example of the Go implementation, golang.org/x/mod/sumdb/note.
    private static let signingKey =
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    private static let verifierKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    private static let otherKey = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
    private static let text =
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    private static let signature =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    private static let otherSignature =
        "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"

    private func note(_ text: String) throws -> SignedNote { try SignedNote(text.utf8) }

    @Test("The published example, signed and verified")
    func published() throws {
        let key = try NoteSigningKey(Self.signingKey)
        #expect(key.name.description == "PeterNeumann")
        #expect(key.verifierKey.text == Self.verifierKey)
        #expect(key.verifierKey.id == 0xc74f_20a3)
        #expect(key.secretText == Self.signingKey)
        let signed = try SignedNote(signing: Self.text, with: [key])
        #expect(signed.encoded == Self.text + "\n" + Self.signature)
        let read = try note(signed.encoded)
        #expect(read == signed)
        let verifier = try NoteVerifierKey(Self.verifierKey)
        #expect(try read.verify(with: [verifier]) == [verifier])
    }

    @Test("Signatures of known keys are checked, those of other keys are ignored")
    func several() throws {
        let peter = try NoteVerifierKey(Self.verifierKey)
        let enoch = try NoteVerifierKey(Self.otherKey)
        let both = try note(Self.text + "\n" + Self.signature + Self.otherSignature)
        #expect(both.signatures.count == 2)
        #expect(try both.verify(with: [peter]) == [peter])
        #expect(try both.verify(with: [enoch]) == [enoch])
        #expect(try both.verify(with: [enoch, peter]) == [peter, enoch])
        #expect(throws: NoteError.noKnownSignature) { try both.verify(with: []) }

        let stranger = NoteSigningKey(name: try #require(NoteKeyName("PeterNeumann")))
        #expect(throws: NoteError.noKnownSignature) { try both.verify(with: [stranger.verifierKey]) }
        // The signature of a known key must be valid, whatever other keys have signed.
        let changed = Self.otherSignature.replacing("rwz+eBzm", with: "rwz+eBzn")
        let half = try note(Self.text + "\n" + Self.signature + changed)
        #expect(try half.verify(with: [peter]) == [peter])
        #expect(throws: NoteError.invalidSignature) { try half.verify(with: [peter, enoch]) }
    }

    @Test("A changed text is detected")
    func changedText() throws {
        let verifier = try NoteVerifierKey(Self.verifierKey)
        for text in [Self.text + "more\n", "\n" + Self.text, Self.text.replacing("answer", with: "Answer")] {
            let changed = try note(text + "\n" + Self.signature)
            #expect(throws: NoteError.invalidSignature) { try changed.verify(with: [verifier]) }
        }
    }

    @Test("The text may contain empty lines: the last one is the separator")
    func emptyLines() throws {
        let key = try NoteSigningKey(Self.signingKey)
        for text in ["\n", "\n\n", "a\n\nb\n", "a\n\n— b c\n\n", "— PeterNeumann x08g\n"] {
            let signed = try SignedNote(signing: text, with: [key])
            let read = try note(signed.encoded)
            #expect(read.text == text)
            #expect(try read.verify(with: [key.verifierKey]).count == 1)
        }
    }

    @Test("Bytes that do not have the form of a note are refused", arguments: malformedNotes)
    func malformed(_ bytes: [UInt8]) {
        #expect(throws: NoteError.malformed) { try SignedNote(bytes) }
    }

    private static let malformedNotes: [[UInt8]] = {
        var notes = ["", "\n", "\n\n", text, "\(text)\n", "\(text)\(signature)", "\(text)\n\(signature)\n"]
        // Signature lines.
        let lines: [String] = [
            String(signature.dropLast()), "\(signature)more\n", signature.replacing("—", with: "-"),
            signature.replacing("— ", with: "—  "), signature.replacing("=\n", with: "\n"),
            signature.replacing("=\n", with: "= \n"), signature.replacing("Peter", with: "Pe+er"),
            signature.replacing("Peter", with: "Pe\u{A0}er"), "— PeterNeumann \n", "— PeterNeumann x08gow==\n",
            "—  x08go/ZJkuBS\n",
        ]
        notes += lines.map { "\(text)\n\($0)" }
        // Texts.
        let texts: [String] = [String(text.dropLast()), "tab\there\n", text.replacing("\n", with: "\r\n"), "nul\0\n"]
        notes += texts.map { "\($0)\n\(signature)" }
        return notes.map { Array($0.utf8) } + [[0xFF, 0x0A, 0x0A] + Array(signature.utf8)]
    }()

    @Test("A note may have the maximum number of signatures, but no more")
    func limits() throws {
        let verifier = try NoteVerifierKey(Self.verifierKey)
        let full = String(repeating: Self.otherSignature, count: 99) + Self.signature
        #expect(try note(Self.text + "\n" + full).verify(with: [verifier]) == [verifier])
        #expect(throws: NoteError.malformed) { try note(Self.text + "\n" + full + Self.signature) }
        let long = String(repeating: "x", count: 1 << 20) + "\n\n" + Self.signature
        #expect(throws: NoteError.malformed) { try note(long) }
        let key = try NoteSigningKey(Self.signingKey)
        for text in ["", "no newline", "tab\t\n", "cr\r\n"] {
            #expect(throws: NoteError.malformed) { try SignedNote(signing: text, with: [key]) }
        }
    }

    @Test("No part of a key, and no key with a changed character, is accepted as a key")
    func mangledKeys() throws {
        for (text, read) in [
            (Self.verifierKey, { (text: String) throws(NoteError) in _ = try NoteVerifierKey(text) }),
            (Self.signingKey, { (text: String) throws(NoteError) in _ = try NoteSigningKey(text) }),
        ] as [(String, (String) throws(NoteError) -> Void)] {
            try read(text)
            let characters = Array(text.utf8)
            for start in characters.indices {
                for end in start...characters.count where end - start < characters.count {
                    let part = String(decoding: characters[start..<end], as: UTF8.self)
                    #expect(throws: NoteError.malformedKey, "\(part)") { try read(part) }
                }
                var changed = characters
                changed[start] += 1
                let other = String(decoding: changed, as: UTF8.self)
                #expect(throws: NoteError.malformedKey, "\(other)") { try read(other) }
            }
        }
        for text in [
            // Another length and another algorithm, each with the matching id; the id in capitals.
            "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
            "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            Self.verifierKey.replacing("c74f20a3", with: "C74F20A3"),
        ] {
            #expect(throws: NoteError.malformedKey) { try NoteVerifierKey(text) }
        }
    }

    @Test("New keys differ, can be read back, and are hidden when printed")
    func madeKeys() throws {
        let name = try #require(NoteKeyName("example.com/log"))
        let key = NoteSigningKey(name: name)
        #expect(NoteSigningKey(name: name).verifierKey != key.verifierKey)
        let read = try NoteSigningKey(key.secretText)
        #expect(read.verifierKey == key.verifierKey)
        let signed = try SignedNote(signing: "a\n", with: [read])
        #expect(try signed.verify(with: [NoteVerifierKey(key.verifierKey.text)]).count == 1)
        let secret = key.secretText.split(separator: "+", maxSplits: 4).last.map(String.init) ?? ""
        var dumped = ""
        dump(key, to: &dumped)
        for shown in ["\(key)", String(reflecting: key), dumped] {
            #expect(!shown.contains("PRIVATE") && !shown.contains(secret))
        }
        for name in ["", "a b", "a+b", "a\u{2003}b", "a\nb"] { #expect(NoteKeyName(name) == nil) }
        #expect(NoteKeyName("e\u{301}") != NoteKeyName("\u{e9}"))
    }
}
