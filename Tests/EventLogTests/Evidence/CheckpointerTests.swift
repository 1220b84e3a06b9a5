import DaybookTestKit
import EventLog
import Merkle
import Postgres
import Testing

@Suite("Checkpoints of the log")
struct CheckpointerTests {
    @Test("New events are signed once, and have proofs")
    func signing() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            let checkpointer = log.checkpointer(keys)
            #expect(try await checkpointer.step() == nil)
            #expect(try await log.evidence.checkpoint() == nil)
            var sizes: [Int64] = []
            for count in [1, 2, 300, 1, 400] {
                try await log.append(count)
                let added = try #require(try await checkpointer.step())
                #expect(try await checkpointer.step() == nil)
                #expect(try await log.evidence.checkpoint() == added)
                sizes.append(added.size)
            }
            #expect(sizes == [1, 3, 303, 304, 704])
            #expect(checkpointer.state == .signing)

            // From an outsider's view: record lines and signed notes.
            let events = try await log.events()
            let leaves = events.map { MerkleHash(leaf: Array($0.recordLine.utf8)) }
            let checkpoints = try await log.checkpoints(keys)
            #expect(checkpoints.map(\.size) == sizes)
            for checkpoint in checkpoints {
                var tree = MerkleFrontier()
                for leaf in leaves.prefix(Int(checkpoint.size)) { tree.append(leaf) }
                #expect(checkpoint.root == tree.root)
                #expect(checkpoint.origin == "log.test")
            }
            for (first, second) in zip(checkpoints, checkpoints.dropFirst()) {
                let proof = try await log.evidence.consistency(from: first.size, to: second.size)
                #expect(proof.verifies(firstRoot: first.root, secondRoot: second.root))
            }
            for position in [1, 2, 256, 257, 303, 304, 305, 512, 513, 704] {
                let proof = try #require(try await log.evidence.proof(of: events[position - 1]))
                #expect(proof.checkpoint.size == sizes.first { $0 >= position })
                #expect(proof.inclusion.verifies(leaf: leaves[position - 1], root: proof.checkpoint.root))
            }
            try await log.append(1)
            let unsigned = try #require(try await log.events().last)
            #expect(try await log.evidence.proof(of: unsigned) == nil)
        }
    }

    @Test("Tiles are served as far as a checkpoint covers them")
    func tiles() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(600)
            let full = TilePath(id: TileID(level: 0, index: 1))
            #expect(try await log.evidence.tile(full) == nil)
            _ = try await log.checkpointer(keys).step()
            try await log.append(300)
            let leaves = try await log.events().map { MerkleHash(leaf: Array($0.recordLine.utf8)) }
            #expect(try await log.evidence.tile(full) == Array(leaves[256..<512]).concatenated)
            let partial = TileID(level: 0, index: 2)
            #expect(
                try await log.evidence.tile(TilePath(id: partial, width: 88)) == Array(leaves[512..<600]).concatenated
            )
            #expect(try await log.evidence.tile(TilePath(id: partial, width: 5))?.count == 160)
            for path in [
                TilePath(id: partial, width: 89), TilePath(id: partial), TilePath(id: .init(level: 1, index: 1)),
            ] {
                #expect(try await log.evidence.tile(path) == nil)
            }
            let upper = try #require(try await log.evidence.tile(TilePath(id: TileID(level: 1, index: 0), width: 2)))
            var tree = MerkleFrontier()
            for leaf in leaves[..<512] { tree.append(leaf) }
            let halves = try #require([MerkleHash](concatenated: upper))
            #expect(MerkleHash(left: halves[0], right: halves[1]) == tree.root)
        }
    }

    @Test("Several instances sign one history while the log grows")
    func instances() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with(connections: 12) { log in
            let signers = [log.checkpointer(keys), log.checkpointer(keys), log.checkpointer(keys)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 0..<40 { try await log.append(37) } }
                for signer in signers {
                    group.addTask { for _ in 0..<40 { _ = try await signer.step() } }
                }
                try await group.waitForAll()
            }
            _ = try await signers[0].step()
            let checkpoints = try await log.checkpoints(keys)
            #expect(checkpoints.last?.size == 1480)
            for (first, second) in zip(checkpoints, checkpoints.dropFirst()) {
                let proof = try await log.evidence.consistency(from: first.size, to: second.size)
                #expect(proof.verifies(firstRoot: first.root, secondRoot: second.root))
            }
            for signer in signers { #expect(signer.state == .signing) }
        }
    }

    @Test("A log that contradicts what was signed is no longer signed", arguments: Tampering.allCases)
    func contradictions(_ tampering: Tampering) async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                try await log.append(300)
                let old = log.checkpointer(keys, witness: witness)
                _ = try await old.step()
                let back = try await log.wayBack()
                try await log.append(50)
                _ = try await old.step()
                let signed = try await log.checkpoints(keys).count
                try await log.tamper(tampering.sql(back))
                if tampering == .rewrittenTail {
                    let other = log.carelessSequencer()
                    try await TestLog.running(other) { try await log.append(60, by: other) }
                }
                // The process that signed, one that has only the witness file, and one that has neither.
                for (signer, fault, hasWitness) in [
                    (old, tampering.seenBySigner, true),
                    (log.checkpointer(keys, witness: witness), tampering.seenByFile, true),
                    (log.checkpointer(keys), tampering.seenByDatabase, false),
                ] {
                    guard let fault else {
                        if hasWitness {
                            _ = try await signer.step()
                        } else {
                            // Only the file knows, so a process without it does not go on.
                            await #expect(throws: WitnessNotNamed.self) { try await signer.step() }
                        }
                        continue
                    }
                    await #expect(throws: fault) { try await signer.step() }
                    #expect(signer.state == .halted(fault))
                    await #expect(throws: fault) { try await signer.step() }
                    #expect(try await log.checkpoints(keys).count <= signed)
                }
            }
        }
    }

    enum Tampering: CaseIterable {
        case truncatedTail, olderState, rewrittenTail, changedLeaf, missingLeaf, changedTile, missingTile, changedHead
        case changedCheckpoint, malformedHead

        func sql(_ back: String) -> String {
            switch self {
            case .truncatedTail: back
            case .olderState, .rewrittenTail: back + "DELETE FROM ledger.checkpoints WHERE size > 300"
            case .changedLeaf: "UPDATE ledger.events SET leaf = sha256(leaf) WHERE position = 340"
            case .missingLeaf: "DELETE FROM ledger.events WHERE position = 340"
            case .changedTile: "UPDATE ledger.tiles SET root = sha256(root)"
            case .missingTile: "DELETE FROM ledger.tiles"
            case .changedHead: "UPDATE ledger.head SET frontier = set_byte(frontier, 7, 1 # get_byte(frontier, 7))"
            case .changedCheckpoint: "UPDATE ledger.checkpoints SET root = sha256(root) WHERE size = 350"
            case .malformedHead: "UPDATE ledger.head SET frontier = ''"
            }
        }

        /// The fault found by the process that signed, which checks the tree again when there are new events.
        var seenBySigner: EvidenceFault? {
            switch self {
            case .changedLeaf, .missingLeaf, .changedTile, .missingTile: nil
            default: seenByFile
            }
        }

        /// The fault found by a new process that has the witness file.
        var seenByFile: EvidenceFault? {
            switch self {
            case .truncatedTail: .shorter(head: 300, signed: 350, .database)
            case .olderState: .shorter(head: 300, signed: 350, .file)
            case .rewrittenTail: .changed(signed: 350, .file)
            case .changedLeaf, .changedTile, .changedHead: .headContradictsTiles(size: 350)
            case .missingLeaf: .missingTile(TileID(level: 0, index: 1))
            case .missingTile: .missingTile(TileID(level: 1, index: 0))
            case .changedCheckpoint: .foreignCheckpoint(.database)
            case .malformedHead: .unreadable
            }
        }

        var seenByDatabase: EvidenceFault? {
            switch self {
            // Only data outside the database can show it.
            case .olderState, .rewrittenTail: nil
            default: seenByFile
            }
        }
    }

    @Test("A process remembers what it has signed without a file")
    func memory() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(3)
            let back = try await log.wayBack()
            try await log.append(3)
            let signer = log.checkpointer(keys)
            _ = try await signer.step()
            try await log.tamper(back + "DELETE FROM ledger.checkpoints")
            await #expect(throws: EvidenceFault.shorter(head: 3, signed: 6, .process)) { try await signer.step() }
        }
    }

    @Test("Another key cannot continue the log; a key file that lists the first key can")
    func keys() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(3)
            _ = try await log.checkpointer(keys).step()
            try await log.append(3)
            let stranger = log.checkpointer(try LogKeys.made())
            await #expect(throws: EvidenceFault.foreignCheckpoint(.database)) { try await stranger.step() }
            #expect(try await log.checkpoints(keys).count == 1)

            let both = try LogKeys(fileContents: keys.rotated().fileContents)
            #expect(both.signing.count == 2 && both.verifiers[1] == keys.verifiers[0])
            _ = try await log.checkpointer(both).step()
            // A verifier with one of the keys can check the checkpoints made meanwhile.
            #expect(try await log.checkpoints(keys).map(\.size) == [3, 6])
            try await log.append(1)
            let text = "\(both.signing[0].secretText)\n\(keys.verifiers[0].text)\n"
            let next = try LogKeys(fileContents: text)
            _ = try await log.checkpointer(next).step()
            #expect(try await log.checkpoints(next).map(\.size) == [3, 6, 7])
            await #expect(throws: NoteError.noKnownSignature) { try await log.checkpoints(keys) }
        }
    }

    @Test("An event other than the signed one has no proof")
    func changedEvent() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(300)
            _ = try await log.checkpointer(keys).step()
            let event = try await log.events()[1]
            var changed = event
            changed.actor = "somebody else"
            await #expect(throws: EvidenceFault.changed(signed: 300, .database)) {
                try await log.evidence.proof(of: changed)
            }
            #expect(try await log.evidence.proof(of: event) != nil)
            // The hash of the event before it, with which the path begins.
            try await log.tamper("UPDATE ledger.tiles SET hashes = set_byte(hashes, 5, 1 # get_byte(hashes, 5))")
            await #expect(throws: EvidenceFault.changed(signed: 300, .database)) {
                try await log.evidence.proof(of: event)
            }
        }
    }

    @Test("An outage of the database is reported, and signing continues afterwards")
    func outage() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(3)
            let options = PostgresPool.Options(maximumConnections: 2, acquireTimeout: .milliseconds(200))
            let away = PostgresConfiguration(connectionString: "host=/nonexistent dbname=x")
            try await PostgresPool.withPool(away, options: options) { pool in
                let signer = Checkpointer(
                    pool: pool,
                    keys: keys,
                    witness: nil,
                    clock: log.clock,
                    logger: TestLog.logger
                )
                await #expect(throws: PostgresError.self) { try await signer.step() }
                #expect(signer.state == .signing)
            }
            let signer = log.checkpointer(keys)
            try await log.tamper("ALTER TABLE ledger.checkpoints RENAME TO away")
            await #expect(throws: PostgresError.self) { try await signer.step() }
            #expect(signer.state == .signing)
            try await log.tamper("ALTER TABLE ledger.away RENAME TO checkpoints")
            #expect(try await signer.step()?.size == 3)
        }
    }
}
