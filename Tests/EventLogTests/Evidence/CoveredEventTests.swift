import DaybookTestKit
import Merkle
import Testing

@testable import EventLog

/// Events that are read with their checkpoints.
@Suite struct CoveredEventTests {
    @Test func eachHasTheFirstCheckpointThatCoversIt() async throws {
        try await TestLog.with { log in
            let checkpointer = log.checkpointer(try LogKeys.made())
            for count in [3, 4] {
                try await log.append(count)
                _ = try await checkpointer.step()
            }
            try await log.append(2)
            let events = try await log.reader.events(after: 0, limit: 9)
            let read = try await CoveredEvent.read([9, 1, 3, 4, 7, 10, 0, -1, .max], log.pool)
            #expect(Set(read.keys) == [1, 3, 4, 7, 9])
            for (position, size) in [(1, 3), (3, 3), (4, 7), (7, 7), (9, nil)] as [(Int64, Int64?)] {
                let covered = try #require(try read[position]?.get())
                #expect(covered.event == events[Int(position) - 1])
                #expect(covered.checkpoint?.size == size)
            }
        }
    }

    @Test func oneThatCannotBeReadSpoilsNoOther() async throws {
        try await TestLog.with { log in
            let checkpointer = log.checkpointer(try LogKeys.made())
            for _ in 1...2 {
                try await log.append(2)
                _ = try await checkpointer.step()
            }
            try await TestDatabase.psql(
                """
                SET session_replication_role = replica;
                ALTER TABLE ledger.checkpoints DROP CONSTRAINT checkpoints_root_check;
                UPDATE ledger.checkpoints SET root = '' WHERE size = 2;
                """,
                at: log.url
            )
            let read = try await CoveredEvent.read([1, 3], log.pool)
            #expect(throws: UnreadableEvidence.self) { _ = try read[1]?.get() }
            #expect(try read[3]?.get().checkpoint?.size == 4)
        }
    }

    @Test func manyProofsAtOnceAreEachOfTheirEvent() async throws {
        try await TestLog.with { log in
            for _ in 1...3 { try await log.append(200) }
            _ = try await log.checkpointer(try LogKeys.made()).step()
            let evidence = log.evidence
            let proofs = try await withThrowingTaskGroup(of: (Int64, EventProof?).self) { group in
                for position in stride(from: 1 as Int64, through: 600, by: 7) {
                    group.addTask {
                        let covered = try #require(try await evidence.coveredEvent(at: position))
                        return (position, try await evidence.proof(of: covered))
                    }
                }
                return try await group.reduce(into: [Int64: EventProof]()) { $0[$1.0] = $1.1 }
            }
            for (position, proof) in proofs {
                #expect(proof.event.position == position && proof.inclusion.index == position - 1)
                let leaf = MerkleHash(leaf: Array(proof.event.recordLine.utf8))
                #expect(proof.inclusion.verifies(leaf: leaf, root: proof.checkpoint.root))
            }
            #expect(proofs.count == 86)
        }
    }
}
