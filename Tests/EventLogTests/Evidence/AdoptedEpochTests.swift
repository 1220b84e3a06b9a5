import DaybookTestKit
import EventLog
import Merkle
import Synchronization
import Testing

/// A log that is adopted begins an epoch that its remote witness has not seen.
@Suite("The epoch of an adopted log")
struct AdoptedEpochTests {
    /// The newest checkpoint of another log of the same keys, lost with its database.
    private func lost(_ keys: LogKeys, epoch: Int64) -> Checkpoint {
        Checkpoint(origin: keys.origin, size: 900, root: .empty, after: 0, epoch: epoch)
    }

    @Test("It follows those that the witness has seen, and asking for it changes nothing", arguments: [0, 1, 3, 40])
    func unseen(_ epoch: Int64) async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            try await log.append(5)
            try await log.checkpointer(keys).step()
            witness.learn(lost(keys, epoch: epoch))
            let seen = Mutex<Set<Int64?>>([])
            witness.whenAsked { seen.withLock { _ = $0.insert(witness.newest?.epoch) } }
            let begun = try await log.adopt(keys: keys, remote: witness.options)
            #expect(begun.epoch == epoch + 1 && begun.lost?.size == 900)
            // Only the checkpoint after the adoption was cosigned.
            #expect(seen.withLock { $0 } == [epoch])
            #expect(witness.newest?.size == 6 && witness.newest?.epoch == epoch + 1)
        }
    }

    @Test("The same backup can be restored and adopted again and again")
    func sameBackup() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            let back = try await log.signed(keys, nil, witness.options)
            for epoch in 1...4 as ClosedRange<Int64> {
                try await log.tamper(
                    LogGuardTests.Change.restored.sql(back)
                        + "UPDATE ledger.head SET epoch = 0, epoch_began_at = NULL;"
                )
                #expect(try await log.adopt(keys: keys, remote: witness.options).epoch == epoch)
                try await log.process(keys, nil, witness.options) { process in
                    let appended = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(appended == .success(.appended(AppendedRange(firstPosition: 302, count: 1))))
                }
            }
        }
    }

    @Test("If the witness falls silent before it has named one, nothing is adopted")
    func silent() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            try await log.append(5)
            try await log.checkpointer(keys).step()
            witness.learn(lost(keys, epoch: 2))
            witness.whenAsked { if witness.calls == 2 { witness.become(.silent) } }
            await #expect(throws: RemoteWitnessFailure.self) {
                try await log.adopt(keys: keys, remote: witness.options)
            }
            #expect(try await log.reader.head() == 5)
            #expect(witness.newest == lost(keys, epoch: 2))
            #expect(try await log.evidence.head().epoch.number == 0)
        }
    }

    @Test("A witness that does not read epochs follows when its operator has set it back")
    func otherWitness() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys, readsEpochs: false)
        try await TestLog.with { log in
            let back = try await log.signed(keys, nil, witness.options)
            try await log.tamper(LogGuardTests.Change.restored.sql(back))
            await #expect(throws: EvidenceFault.self) { try await log.adopt(keys: keys, remote: witness.options) }
            #expect(try await log.evidence.head().epoch.number == 1)
            #expect(witness.newest?.size == 350)
            witness.forget()
            try await log.process(keys, nil, witness.options) { process in
                let appended = await log.outcome(of: .sample("x"), by: process.sequencer)
                #expect(appended == .success(.appended(AppendedRange(firstPosition: 302, count: 1))))
            }
            // It agrees with the log, and has no reason to refuse an epoch.
            #expect(try await log.adopt(keys: keys, remote: witness.options).epoch == 2)
            #expect(witness.newest?.size == 303)
        }
    }

    @Test("An empty log has nothing to ask with: its second adoption finds an epoch")
    func empty() async throws {
        let keys = try LogKeys.made()
        let witness = try MemoryWitness(keys)
        try await TestLog.with { log in
            witness.learn(lost(keys, epoch: 7))
            await #expect(throws: EvidenceFault.self) { try await log.adopt(keys: keys, remote: witness.options) }
            let begun = try await log.adopt(keys: keys, remote: witness.options)
            #expect(begun.epoch == 8)
            #expect(witness.newest?.size == 2)
        }
    }
}
