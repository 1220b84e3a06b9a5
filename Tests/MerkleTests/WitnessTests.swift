import Merkle
import Testing

@Suite("What a witness is asked, decides and answers")
struct WitnessTests {
    private static let roots = KnownTree.roots.map { MerkleHash(bytes: KnownTree.bytes($0)) ?? .empty }
    private let tiles = TreeTiles(KnownTree.leaves.map { MerkleHash(leaf: $0) })

    private func checkpoint(_ size: Int, epoch: Int64 = 0, root: MerkleHash? = nil) -> Checkpoint {
        Checkpoint(origin: "log.test", size: Int64(size), root: root ?? Self.roots[size], after: 0, epoch: epoch)
    }

    private func proof(_ first: Int64, _ second: Int64) async throws -> [MerkleHash] {
        try await tiles.consistencyProof(from: first, to: second).hashes
    }

    @Test("A submission is read as it was written")
    func submission() async throws {
        let key = NoteSigningKey(name: try #require(NoteKeyName("log.test")))
        let note = try checkpoint(7).signed(by: [key])
        for old in [0, 3, 7] as [Int64] {
            let submission = CheckpointSubmission(old: old, proof: try await proof(old, 7), note: note)
            #expect(submission.encoded.hasPrefix("old \(old)\n"))
            #expect(try CheckpointSubmission(Array(submission.encoded.utf8)) == submission)
        }
        let hash = Self.roots[1].base64 + "\n"
        #expect(
            try CheckpointSubmission(Array("old 1\n\(String(repeating: hash, count: 63))\n\(note.encoded)".utf8)).old
                == 1
        )
        for head in [
            "", "old\n", "old 01\n", "old -1\n", "old +1\n", "old 1 \n", "old  1\n", "Old 1\n",
            "old 9223372036854775808\n",
            "old 1\nx\n", "old 1\n\(hash.dropLast())=\n", "old 1\n" + String(repeating: hash, count: 64), "old 1\r\n",
        ] {
            #expect(throws: NoteError.malformed) { try CheckpointSubmission(Array("\(head)\n\(note.encoded)".utf8)) }
        }
        #expect(throws: NoteError.malformed) { try CheckpointSubmission(Array("old 0\n\n\(note.text)".utf8)) }
        #expect(throws: NoteError.malformed) { try CheckpointSubmission(Array("old 0\n".utf8)) }
    }

    @Test("A log only grows")
    func growth() async throws {
        let empty = WitnessedTree(nil)
        #expect(try empty.judge(checkpoint(5), old: 0, proof: []) == .grown)
        #expect(try empty.judge(checkpoint(0), old: 0, proof: []) == .grown)
        #expect(throws: WitnessedTree.Refusal.invalidProof) {
            try empty.judge(checkpoint(5), old: 0, proof: [Self.roots[1]])
        }
        #expect(throws: WitnessedTree.Refusal.conflict(size: 0)) { try empty.judge(checkpoint(5), old: 3, proof: []) }
        #expect(throws: WitnessedTree.Refusal.conflict(size: 0)) {
            try empty.judge(checkpoint(0, root: Self.roots[1]), old: 0, proof: [])
        }

        let tree = WitnessedTree(checkpoint(3))
        let proof = try await proof(3, 7)
        #expect(try tree.judge(checkpoint(7), old: 3, proof: proof) == .grown)
        #expect(try tree.judge(checkpoint(3), old: 3, proof: []) == .same)
        #expect(throws: WitnessedTree.Refusal.invalidProof) { try tree.judge(checkpoint(7), old: 3, proof: []) }
        #expect(throws: WitnessedTree.Refusal.invalidProof) { try tree.judge(checkpoint(3), old: 3, proof: proof) }
        #expect(throws: WitnessedTree.Refusal.invalidProof) {
            try tree.judge(checkpoint(7, root: Self.roots[8]), old: 3, proof: proof)
        }
        for (size, old) in [(7, 0), (7, 2), (2, 2), (2, 0), (0, 0)] as [(Int, Int64)] {
            #expect(throws: WitnessedTree.Refusal.conflict(size: 3)) {
                try tree.judge(checkpoint(size), old: old, proof: [])
            }
        }
        #expect(throws: WitnessedTree.Refusal.conflict(size: 3)) {
            try tree.judge(checkpoint(3, root: Self.roots[4]), old: 3, proof: [])
        }
        #expect(throws: WitnessedTree.Refusal.oldSizeBeyondCheckpoint) {
            try tree.judge(checkpoint(3), old: 4, proof: [])
        }
    }

    @Test("A later epoch begins a new tree, and an earlier one never comes back")
    func epochs() async throws {
        let tree = WitnessedTree(checkpoint(7, epoch: 1))
        #expect(try tree.judge(checkpoint(2, epoch: 2), old: 0, proof: []) == .newEpoch)
        #expect(try tree.judge(checkpoint(7, epoch: 3), old: 0, proof: []) == .newEpoch)
        #expect(throws: WitnessedTree.Refusal.conflict(size: 0)) {
            try tree.judge(checkpoint(8, epoch: 2), old: 7, proof: [])
        }
        let proof = try await proof(7, 8)
        #expect(throws: WitnessedTree.Refusal.conflict(size: 7)) {
            try tree.judge(checkpoint(8, epoch: 0), old: 7, proof: proof)
        }
        #expect(throws: WitnessedTree.Refusal.conflict(size: 7)) {
            try tree.judge(checkpoint(2, epoch: 0), old: 0, proof: [])
        }
        for line in ["epoch x", "epoch +2", "epoch -2", "epoch 02", "epoch 9223372036854775808"] {
            let odd = Checkpoint(origin: "log.test", size: 2, root: Self.roots[2], extensions: [line])
            #expect(odd.epoch == 0, "\(line)")
        }
    }

    @Test("Answers by their status")
    func answers() throws {
        let line = "— witness.example/w1 IDJKvgAAAABkGFDL\n"
        let signature = try #require(NoteSignature(line: String(line.dropLast())))
        func answer(_ status: Int, _ body: String = "", type: String? = "text/x.tlog.size") -> WitnessAnswer {
            WitnessAnswer(status: status, type: type, body: Array(body.utf8))
        }
        #expect(answer(200, line, type: nil) == .cosigned([signature]))
        #expect(answer(200, line + line) == .cosigned([signature, signature]))
        for body in ["", "\n", String(line.dropLast()), line + "x\n", line + "\n"] {
            #expect(answer(200, body) == .unusable("it answers 200 without signature lines"), "\(body)")
        }
        #expect(answer(409, "7\n") == .conflict(size: 7))
        #expect(answer(409, "7\n", type: "Text/X.tlog.size; charset=utf-8") == .conflict(size: 7))
        for body in ["7", "07\n", "-7\n", "x\n", ""] { #expect(answer(409, body) == .conflict(size: nil), "\(body)") }
        #expect(answer(409, "7\n", type: "text/plain") == .conflict(size: nil))
        #expect(answer(404) == .unknownOrigin && answer(403) == .untrusted && answer(422) == .proofRefused)
        #expect(answer(503) == .unreachable("it answers 503") && answer(400) == .unusable("it answers 400"))
        #expect(answer(302) == .unusable("it answers 302"))
    }
}
