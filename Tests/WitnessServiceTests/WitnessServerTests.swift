import DaybookTestKit
import Foundation
import Merkle
import Testing
import WitnessService

@Suite("A witness over HTTP")
struct WitnessServerTests {
    private let cosigner: NoteSigningKey
    private let tree: SignedTree

    init() throws {
        cosigner = NoteSigningKey(name: try #require(NoteKeyName("witness.test/w1")))
        tree = try SignedTree("log.test/a", size: 40)
    }

    /// Checks that an answer has one valid cosignature on the note.
    private func expectCosigned(_ answer: RawResponse, _ note: SignedNote) throws {
        #expect(answer.status == 200)
        #expect(answer.body.hasSuffix("\n") && answer.body.split(separator: "\n").count == 1)
        let signature = try #require(NoteSignature(line: String(answer.body.dropLast())))
        #expect(try CosigningKey(cosigner).cosignerKey.time(of: signature, on: note.text) != nil)
    }

    private func expectSize(_ answer: RawResponse, _ size: Int) {
        #expect(answer.status == 409)
        #expect(answer.body == "\(size)\n")
        #expect(answer.fields["content-type"] == "text/x.tlog.size")
    }

    @Test("Each answer of the specification")
    func statuses() async throws {
        try await withTemporaryDirectory { directory in
            let (tree, other) = (tree, try SignedTree("log.test/b", size: 9))
            let fork = SignedTree(tree.key, size: 40, seed: 1)
            let stranger = try SignedTree("log.test/a", size: 40)
            try await TestWitness.serve(
                [tree.key.verifierKey, other.key.verifierKey],
                cosigner: cosigner,
                directory: directory
            ) {
                witness in
                try expectCosigned(try await witness.add(tree.request(from: 0, to: 5)), tree.note(5))
                try expectCosigned(try await witness.add(tree.request(from: 5, to: 20)), tree.note(20))
                // The same once more, and a log that has not grown.
                expectSize(try await witness.add(tree.request(from: 5, to: 20)), 20)
                try expectCosigned(try await witness.add(tree.request(from: 20, to: 20)), tree.note(20))
                // Not what the witness knows.
                expectSize(try await witness.add(tree.request(from: 0, to: 30)), 20)
                expectSize(try await witness.add(tree.request(from: 0, to: 3)), 20)
                expectSize(try await witness.add(fork.request(from: 20, to: 20)), 20)
                #expect(try await witness.add(tree.request(from: 30, to: 20)).status == 400)
                #expect(try await witness.add(fork.request(from: 20, to: 30)).status == 422)
                // Unknown logs and keys; signatures of others are ignored.
                #expect(try await witness.add(SignedTree("log.test/c", size: 2).request(from: 0, to: 2)).status == 404)
                #expect(try await witness.add(stranger.request(from: 20, to: 30)).status == 403)
                let strange = try #require(stranger.note(30).signatures.first).line + "\n"
                let mixed = try tree.request(from: 20, to: 30) + strange
                try expectCosigned(try await witness.add(mixed), tree.note(30))
                try expectCosigned(try await witness.add(other.request(from: 0, to: 9)), other.note(9))
                let unsigned = try "old 0\n\n" + tree.note(3).text
                for body in ["", "old 0\n", "old 0\n\n", "x", unsigned] {
                    #expect(try await witness.add(body).status == 400, "\(body)")
                }
                #expect(try await witness.add("old 0\n\n" + String(repeating: "x", count: 256 << 10)).status == 413)
                let client = try await RawClient.connect(port: witness.port)
                try await client.send("GET /add-checkpoint HTTP/1.1\r\nHost: w\r\n\r\n")
                #expect(try await client.readResponse().status == 405)
                // Nothing of this has changed what the witness knows.
                try expectCosigned(try await witness.add(tree.request(from: 30, to: 40)), tree.note(40))
            }
        }
    }

    @Test("Of requests at the same time from one size, one is cosigned")
    func concurrency() async throws {
        try await withTemporaryDirectory { directory in
            let tree = tree
            try await TestWitness.serve([tree.key.verifierKey], cosigner: cosigner, directory: directory) { witness in
                try expectCosigned(try await witness.add(tree.request(from: 0, to: 5)), tree.note(5))
                let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                    for size in 20..<40 {
                        group.addTask { try await witness.add(tree.request(from: 5, to: size)).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count { $0 == 200 } == 1)
                #expect(answers.count { $0 == 409 } == 19)
            }
        }
    }

    @Test("What was cosigned is known after a restart, and a write that was cut off is ignored")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let (tree, keys) = (tree, [tree.key.verifierKey])
            try await TestWitness.serve(keys, cosigner: cosigner, directory: directory) { witness in
                try expectCosigned(try await witness.add(tree.request(from: 0, to: 20)), tree.note(20))
                #expect(throws: WitnessDirectory.Failure.self) { try WitnessDirectory(path: directory) }
            }
            let file = "\(directory)/log.test%2Fa.note"
            let whole = try Data(contentsOf: URL(filePath: file))
            // The process ended while it wrote the next checkpoint.
            try Data(tree.note(30).encoded.utf8.prefix(40)).write(to: URL(filePath: file + ".new"))
            try await TestWitness.serve(keys, cosigner: cosigner, directory: directory) { witness in
                expectSize(try await witness.add(tree.request(from: 0, to: 30)), 20)
                try expectCosigned(try await witness.add(tree.request(from: 20, to: 30)), tree.note(30))
            }
            // A damaged file is not a witness that knows nothing.
            for damaged in [
                whole.prefix(40), Data(),
                Data(String(decoding: whole, as: UTF8.self).replacing("\n20\n", with: "\n10\n").utf8),
            ] {
                try damaged.write(to: URL(filePath: file))
                await #expect(throws: WitnessDirectory.Failure.self) {
                    try await TestWitness.serve(keys, cosigner: cosigner, directory: directory) { _ in }
                }
            }
        }
    }

    @Test("A later epoch begins a new tree; the last checkpoint of the earlier one is kept")
    func epochs() async throws {
        try await withTemporaryDirectory { directory in
            let (tree, adopted) = (tree, SignedTree(tree.key, size: 40, seed: 7))
            try await TestWitness.serve([tree.key.verifierKey], cosigner: cosigner, directory: directory) { witness in
                try expectCosigned(try await witness.add(tree.request(from: 0, to: 20)), tree.note(20))
                expectSize(try await witness.add(adopted.request(from: 20, to: 30, epoch: 1)), 0)
                try expectCosigned(
                    try await witness.add(adopted.request(from: 0, to: 6, epoch: 1)),
                    adopted.note(6, epoch: 1)
                )
            }
            try await TestWitness.serve([tree.key.verifierKey], cosigner: cosigner, directory: directory) { witness in
                expectSize(try await witness.add(tree.request(from: 0, to: 20)), 6)
                expectSize(try await witness.add(tree.request(from: 6, to: 30)), 6)
                expectSize(try await witness.add(adopted.request(from: 0, to: 5, epoch: 1)), 6)
                try expectCosigned(
                    try await witness.add(adopted.request(from: 6, to: 9, epoch: 1)),
                    adopted.note(9, epoch: 1)
                )
            }
            let kept = try SignedNote(Data(contentsOf: URL(filePath: "\(directory)/log.test%2Fa.epoch-0.note")))
            #expect(try Checkpoint(kept, signedBy: [tree.key.verifierKey]).size == 20)
        }
    }

    @Test("A checkpoint that cannot be written is not cosigned")
    func fullDisk() async throws {
        try await withTemporaryDirectory { directory in
            let tree = tree
            try await TestWitness.serve([tree.key.verifierKey], cosigner: cosigner, directory: directory) { witness in
                // In the place of the new file there is a directory.
                let blocking = "\(directory)/log.test%2Fa.note.new"
                try FileManager.default.createDirectory(atPath: blocking, withIntermediateDirectories: false)
                #expect(try await witness.add(tree.request(from: 0, to: 20)).status == 503)
                try FileManager.default.removeItem(atPath: blocking)
                try expectCosigned(try await witness.add(tree.request(from: 0, to: 5)), tree.note(5))
            }
        }
    }
}
