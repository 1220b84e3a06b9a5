import Audit
import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Testing

/// The cosignatures of a remote witness on checkpoints that were kept.
@Suite struct CosignatureTests {
    private let key: NoteSigningKey
    private let witness: CosigningKey
    private let other: CosigningKey

    init() throws {
        key = NoteSigningKey(name: try #require(NoteKeyName("log.test")))
        witness = CosigningKey(NoteSigningKey(name: try #require(NoteKeyName("witness.test/w1"))))
        other = CosigningKey(NoteSigningKey(name: try #require(NoteKeyName("witness.test/w1"))))
    }

    private func note(_ size: Int64, epoch: Int64 = 0) throws -> SignedNote {
        try Checkpoint(
            origin: key.name.description,
            size: size,
            root: MerkleHash(leaf: [UInt8(size)]),
            after: 0,
            epoch: epoch
        ).signed(by: [key])
    }

    private func cosigned(_ note: SignedNote, by keys: CosigningKey..., as text: String? = nil) throws -> SignedNote {
        note.with(note.signatures + (try keys.map { try $0.signature(for: text ?? note.text, at: 1_700_000_000) }))
    }

    private func read(_ notes: [SignedNote], _ cosigners: [CosigningKey]) async throws -> WitnessedCheckpoints {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/witness"
            try Data(notes.map { $0.encoded + "\n" }.joined().utf8).write(to: URL(filePath: file))
            return try await WitnessedCheckpoints.read(
                file,
                keys: [key.verifierKey],
                cosigners: cosigners.map(\.cosignerKey)
            )
        }
    }

    @Test func theCosignaturesOfTheFileAreCounted() async throws {
        let notes = [
            try note(1), try cosigned(note(1), by: witness), try cosigned(note(3), by: witness, other), try note(5),
        ]
        let found = try await read(notes, [witness])
        #expect(found.faults.isEmpty && found.attestations.count == 4)
        #expect(found.cosigned == 2 && found.newestCosigned == 3)
        // Those of another key are not read, and none without a key.
        #expect(try await read(notes, [other]).cosigned == 1)
        #expect(try await read(notes, []).cosigned == 0)
        // In a new epoch nothing is cosigned yet.
        let adopted = try await read(notes + [try note(2, epoch: 1)], [witness])
        #expect(adopted.faults.isEmpty && adopted.cosigned == 0 && adopted.newestCosigned == nil)
    }

    @Test func aWrongCosignatureIsAFault() async throws {
        let moved = try cosigned(note(3), by: witness, as: note(5).text)
        let found = try await read([try cosigned(note(1), by: witness), moved], [witness])
        #expect(
            found.faults.faults == [
                LogFault(.signature, at: 3, "a cosignature of witness.test/w1 is not valid for this checkpoint")
            ]
        )
        #expect(found.cosigned == 1 && found.newestCosigned == 1)
        // The log's own signature on a moved cosignature is sound: without the witness's key nothing is found.
        #expect(try await read([moved], []).faults.isEmpty)
    }

    @Test func theSecondVerifierChecksThemToo() async throws {
        // The checkpoint of an empty export.
        let empty = try Checkpoint(origin: "log.test", size: 0, root: .empty).signed(by: [key])
        func check(_ note: SignedNote, _ witness: CosigningKey) async throws -> (exitCode: Int32?, output: String) {
            try await Check.python(
                "",
                checkpoint: note.encoded,
                key: key.verifierKey.text,
                witnessKey: witness.cosignerKey.text
            )
        }
        let sound = try await check(cosigned(empty, by: other, witness), witness)
        #expect(sound.exitCode == 0 && sound.output.contains("cosigned by witness.test/w1"), "\(sound.output)")
        let moved = try await check(cosigned(empty, by: witness, as: note(5).text), witness)
        #expect(moved.exitCode == 2 && moved.output.contains("is not valid for this checkpoint"), "\(moved.output)")
        let missing = try await check(cosigned(empty, by: other), witness)
        #expect(missing.exitCode == 2 && missing.output.contains("has not cosigned"), "\(missing.output)")
        let log = try await Check.python("", checkpoint: empty.encoded, witnessKey: key.verifierKey.text)
        #expect(log.exitCode == 1 && log.output.contains("not an Ed25519 key of a witness"), "\(log.output)")
    }
}
