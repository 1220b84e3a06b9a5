import Audit
import EventLog
import Foundation
import Merkle
import Testing

/// The example in `docs/log-format.md` has the right values.
@Suite struct LogFormatTests {
    private let document: String

    init() throws {
        document = try String(contentsOf: Check.root.appending(path: "docs/log-format.md"), encoding: .utf8)
    }

    /// The blocks after the heading of the example.
    private func blocks() throws -> [[String]] {
        let example = try #require(document.components(separatedBy: "## 8. An example").last)
        let parts = example.components(separatedBy: "```")
        return parts.indices.filter { $0 % 2 == 1 }.map { index in
            parts[index].components(separatedBy: "\n").dropFirst().dropLast()
        }
    }

    @Test func theExampleInTheDocumentIsCorrect() async throws {
        let blocks = try blocks()
        try #require(blocks.count == 5)
        let lines = blocks[1]
        #expect(lines.count == 3)
        let text = lines.map { $0 + "\n" }.joined()

        let leaves = lines.map { MerkleHash(leaf: Array($0.utf8)) }
        let node = MerkleHash(left: leaves[0], right: leaves[1])
        let root = MerkleHash(left: node, right: leaves[2])
        let figures = blocks[2].map { $0.split(separator: " ").last.map(String.init) }
        #expect(figures == (leaves + [node, root]).map(\.hexadecimal))

        let key = try NoteVerifierKey(blocks[3][0])
        let note = blocks[4].map { $0 + "\n" }.joined()
        let checkpoint = try Checkpoint(try SignedNote(note.utf8), signedBy: [key])
        #expect(checkpoint.size == 3 && checkpoint.root == root)
        let attestation = Attestation(size: 3, root: root, source: .given)
        #expect(Check.faults(of: text, attestation).isEmpty)

        let digest = try #require(bytes(blocks[0][0]))
        let scoped = Claims.scoped(digest, to: "acme")
        let claimed = try lines[0].utf8.withContiguousStorageIfAvailable { try RecordLine($0).claimed }
        #expect(claimed??.idempotency.map(\.key) == [scoped])
        #expect(claimed??.events == 2)

        let verdict = try await Check.python(text, checkpoint: note, key: key.text)
        #expect(verdict.exitCode == 0, "\(verdict.output)")
        #expect(verdict.output.contains(root.base64))
    }

    private func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
