import Canonical
import DaybookTestKit
import EventLog
import Merkle
import Testing

/// The log is whole only if a remote witness agrees, if there is one.
@Suite("A remote witness")
struct RemoteWitnessTests {
    typealias Change = LogGuardTests.Change

    private func fault(_ change: Change) -> EvidenceFault? {
        switch change {
        case .none, .grown: nil
        case .restored: .shorter(head: 300, signed: 350, .remote)
        case .emptied: .shorter(head: 0, signed: 350, .remote)
        case .rewritten: .changed(signed: 350, .remote)
        case .epochRaised: .unsignedEpoch(1)
        }
    }

    @Test("A process that starts asks it before it appends", arguments: Change.allCases)
    func start(_ change: Change) async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            let back = try await log.signed(keys, nil, witness.options)
            #expect(witness.newest?.size == 350)
            // The database no longer has the lost checkpoint, and there is no file.
            try await log.tamper(change.sql(back))
            if change == .rewritten || change == .grown {
                let other = log.carelessSequencer()
                try await TestLog.running(other) { try await log.append(60, by: other) }
            }
            let head = try await log.reader.head()
            try await log.process(keys, nil, witness.options) { process in
                let result = await log.outcome(of: .sample("new"), by: process.sequencer)
                guard let fault = fault(change) else {
                    #expect(result == .success(.appended(AppendedRange(firstPosition: head + 1, count: 1))))
                    return
                }
                #expect(result == .failure(AppendError(.logContradicted)))
                #expect(process.logGuard.status == .contradicted(fault))
                let now = try await log.reader.head()
                #expect(now == head)
                #expect(witness.newest?.size == 350)
            }
        }
    }

    @Test("While it does not answer at the start, nothing is appended")
    func silentAtStart() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            witness.become(.silent)
            try await log.process(keys, nil, witness.options) { process in
                let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(refused == .failure(AppendError(.logUnproven)))
                let obstacle = try #require(process.logGuard.status.obstacle)
                #expect(obstacle.code == .witnessUnreachable)
                #expect(obstacle.found.contains("https://witness.test cannot be reached"))
                await #expect(throws: RemoteWitnessFailure.self) { try await process.checkpointer.step() }
                witness.become(.answering)
                let appended = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(appended == .success(.appended(AppendedRange(firstPosition: 1, count: 1))))
            }
        }
    }

    @Test("Once it has agreed, appends and checkpoints go on without it, and it catches up")
    func silentLater() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            try await log.process(keys, nil, witness.options) { process in
                try await log.append(3, by: process.sequencer)
                try await process.checkpointer.step()
                try await process.checkpointer.cosign()
                #expect(witness.newest?.size == 3)
                witness.become(.silent)
                try await log.append(4, by: process.sequencer)
                let seventh = try await process.checkpointer.step()
                #expect(seventh?.size == 7)
                await #expect(throws: RemoteWitnessFailure.self) { try await process.checkpointer.cosign() }
                try await log.append(4, by: process.sequencer)
                let eleventh = try await process.checkpointer.step()
                #expect(eleventh?.size == 11)
                #expect(process.logGuard.isProven)
                witness.become(.answering)
                try await process.checkpointer.cosign()
                #expect(witness.newest?.size == 11)
                let calls = witness.calls
                try await process.checkpointer.cosign()
                #expect(witness.calls == calls)
                // It has lost what it knew, and learns it again.
                witness.forget()
                try await log.append(1, by: process.sequencer)
                try await process.checkpointer.step()
                try await process.checkpointer.cosign()
                #expect(witness.newest?.size == 12)
            }
        }
    }

    @Test("Several servers have their checkpoints cosigned by one witness")
    func servers() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            let (left, right) = (
                log.checkpointer(keys, remote: witness.options), log.checkpointer(keys, remote: witness.options)
            )
            for round in 1...4 {
                try await log.append(5)
                for signer in round.isMultiple(of: 2) ? [left, right] : [right, left] {
                    try await signer.step()
                    try await signer.cosign()
                }
                #expect(witness.newest?.size == Int64(5 * round))
            }
        }
    }

    @Test("A running process notices that it knows another log")
    func contradictedLater() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            try await log.process(keys, nil, witness.options) { process in
                try await log.append(3, by: process.sequencer)
                try await process.checkpointer.step()
                try await process.checkpointer.cosign()
                // A server of a lost database has sent more.
                witness.learn(Checkpoint(origin: keys.origin, size: 900, root: .empty))
                try await log.append(3, by: process.sequencer)
                try await process.checkpointer.step()
                let fault = EvidenceFault.shorter(head: 6, signed: 900, .remote)
                await #expect(throws: fault) { try await process.checkpointer.cosign() }
                #expect(process.checkpointer.state == .halted(fault))
                let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(refused == .failure(AppendError(.logContradicted)))
            }
        }
    }

    @Test("A log that is contradicted while it is compared is not proven")
    func contradictedMeanwhile() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            try await log.append(3)
            try await log.process(keys, nil, witness.options) { process in
                // The writer or another task of this process notices it while the witness is asked.
                let fault = EvidenceFault.changed(signed: 3, .process)
                witness.whenAsked { [logGuard = process.logGuard] in logGuard.contradict(fault) }
                await #expect(throws: fault) { try await process.checkpointer.step() }
                #expect(process.logGuard.status == .contradicted(fault))
            }
        }
    }

    @Test("After the adoption, servers and witness go on in the new epoch")
    func adoption() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            let back = try await log.signed(keys, nil, witness.options)
            try await log.tamper(Change.restored.sql(back))
            try await log.process(keys, nil, witness.options) { process in
                let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(refused == .failure(AppendError(.logContradicted)))

                witness.become(.silent)
                await #expect(throws: RemoteWitnessFailure.self) {
                    try await log.adopt(keys: keys, remote: witness.options)
                }
                witness.become(.answering)
                let begun = try await log.adopt(keys: keys, remote: witness.options)
                #expect(begun.epoch == 1 && begun.adopted.size == 300)
                #expect(begun.lost?.size == 350 && begun.lost?.root == nil)
                #expect(witness.newest?.size == 301 && witness.newest?.epoch == 1)

                try await process.checkpointer.step()
                let appended = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(appended == .success(.appended(AppendedRange(firstPosition: 302, count: 1))))
                try await process.checkpointer.step()
                try await process.checkpointer.cosign()
                #expect(witness.newest?.size == 302)
            }
            // The old state is restored once more.
            try await log.tamper(Change.restored.sql(back) + "UPDATE ledger.head SET epoch = 0;")
            try await log.process(keys, nil, witness.options) { process in
                let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(result == .failure(AppendError(.logContradicted)))
            }
        }
    }

    @Test("Cosignatures are kept in the witness file")
    func kept() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let file = WitnessFile(path: "\(directory)/witness")
                let signers = (0..<2).map { _ in log.checkpointer(keys, witness: file, remote: witness.options) }
                for _ in 0..<3 {
                    try await log.append(5)
                    for signer in signers {
                        try await signer.step()
                        try await signer.cosign()
                    }
                }
                var notes: [SignedNote] = []
                try WitnessFile.read(file.path) { notes.append(try $0.get()) }
                #expect(try notes.map { try Checkpoint($0, signedBy: keys.verifiers).size } == [5, 5, 10, 10, 15, 15])
                for (index, note) in notes.enumerated() {
                    let times = try note.signatures.compactMap { try witness.cosignerKey.time(of: $0, on: note.text) }
                    #expect(times == (index.isMultiple(of: 2) ? [] : [1]))
                }
                #expect(try await log.evidence.examine(keys: keys.verifiers, witness: file).newest?.size == 15)
            }
        }
    }

    @Test("A cosignature of another key is none")
    func strangeKey() async throws {
        let keys = try LogKeys.made()
        let (witness, other) = (try MemoryWitness(keys), try MemoryWitness(keys))
        try await TestLog.with { log in
            let options = WitnessOptions(witness, keys: [other.cosignerKey])
            try await log.process(keys, nil, options) { process in
                let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(refused == .failure(AppendError(.logUnproven)))
            }
            let strangers = try MemoryWitness(LogKeys.made())
            try await log.process(keys, nil, strangers.options) { process in
                let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(refused == .failure(AppendError(.logUnproven)))
            }
        }
    }
}
