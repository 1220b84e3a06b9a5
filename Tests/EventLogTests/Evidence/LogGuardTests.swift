import Canonical
import DaybookTestKit
import EventLog
import Merkle
import Postgres
import Testing

/// Nothing is appended to a log that contradicts what is known of it, until an operator has adopted it.
@Suite("A log is whole, or nothing is appended")
struct LogGuardTests {
    /// What happened to the log, and what a new process with the witness file makes of it.
    enum Change: CaseIterable {
        case none, grown, restored, emptied, rewritten, epochRaised

        func sql(_ back: String) -> String {
            switch self {
            case .none, .grown: "SELECT 1"
            case .restored, .rewritten: back + "DELETE FROM ledger.checkpoints WHERE size > 300;"
            case .emptied:
                """
                TRUNCATE ledger.events, ledger.streams, ledger.idempotency, ledger.reference_keys, ledger.tiles,
                    ledger.checkpoints;
                UPDATE ledger.head SET position = 0, frontier = '', recorded_at = 'epoch';
                """
            // With access to the database the epoch can be raised, but no checkpoint of it signed.
            case .epochRaised:
                back + "DELETE FROM ledger.checkpoints WHERE size > 300; UPDATE ledger.head SET epoch = 1;"
            }
        }

        var fault: EvidenceFault? {
            switch self {
            case .none, .grown: nil
            case .restored: .shorter(head: 300, signed: 350, .file)
            case .emptied: .shorter(head: 0, signed: 350, .file)
            case .rewritten: .changed(signed: 350, .file)
            case .epochRaised: .unsignedEpoch(1)
            }
        }
    }

    @Test("A process that starts compares the log with its witness before it appends", arguments: Change.allCases)
    func start(_ change: Change) async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let back = try await log.signed(keys, witness)
                try await log.tamper(change.sql(back))
                if change == .rewritten || change == .grown {
                    let other = log.carelessSequencer()
                    try await TestLog.running(other) { try await log.append(60, by: other) }
                }
                let head = try await log.reader.head()
                try await log.process(keys, witness) { process in
                    let result = await log.outcome(of: .sample("new"), by: process.sequencer)
                    guard let fault = change.fault else {
                        #expect(result == .success(.appended(AppendedRange(firstPosition: head + 1, count: 1))))
                        return
                    }
                    #expect(result == .failure(AppendError(.logContradicted)))
                    #expect(process.logGuard.status == .contradicted(fault))
                    #expect(process.checkpointer.state == .halted(fault))
                    let now = try await log.reader.head()
                    #expect(now == head)
                    let guarded = process.logGuard
                    #expect(throws: AppendError(.logContradicted)) { _ = try guarded.requireProven() }
                }
            }
        }
    }

    @Test("After the adoption, running and new processes go on in the new epoch, and the file holds it")
    func adoption() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let back = try await log.signed(keys, witness)
                try await log.process(keys, witness) { process in
                    try await process.checkpointer.step()
                    let resets = Tally()
                    process.logGuard.onNewEpoch { resets.add() }
                    try await log.tamper(Change.restored.sql(back))
                    await #expect(throws: EvidenceFault.self) { try await process.checkpointer.step() }
                    let refused = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(refused == .failure(AppendError(.logContradicted)))

                    let begun = try await log.adopt(keys: keys, witness: witness)
                    #expect(begun.epoch == 1)
                    #expect(begun.adopted.size == 300)
                    #expect(begun.lost?.size == 350)
                    let event = try #require(try await log.events().last)
                    #expect(event.type == "LogEpochBegun" && event.position == 301)

                    let appended = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(appended == .success(.appended(AppendedRange(firstPosition: 302, count: 1))))
                    #expect(resets.count == 1)
                    #expect(process.logGuard.epoch?.number == 1)
                    #expect(process.logGuard.epoch?.beganAt != nil)
                    let signed = try #require(try await process.checkpointer.step())
                    #expect(signed.size == 302)
                    let last = try #require(try await witness.last())
                    #expect(last.text.contains("\nepoch 1\n"))
                }
                try await log.process(keys, witness) { process in
                    let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(result == .success(.appended(AppendedRange(firstPosition: 303, count: 1))))
                }
                // The old state is restored once more: its epoch is earlier than that of the file.
                try await log.tamper(Change.restored.sql(back) + "UPDATE ledger.head SET epoch = 0;")
                try await log.process(keys, witness) { process in
                    let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(result == .failure(AppendError(.logContradicted)))
                    let fault = EvidenceFault.earlierEpoch(head: 0, signed: 1, .file)
                    #expect(process.logGuard.status == .contradicted(fault))
                }
                #expect(try await log.adopt(keys: keys, witness: witness).epoch == 2)
            }
        }
    }

    @Test("A witness file that is gone proves nothing, and a log that is damaged is not adopted")
    func refusals() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                _ = try await log.signed(keys, WitnessFile(path: "\(directory)/witness"))
                let gone = WitnessFile(path: "\(directory)/gone")
                try await log.process(keys, gone) { process in
                    let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(result == .failure(AppendError(.logUnproven)))
                    try await log.adopt(keys: keys, witness: gone)
                    guard case .success(.appended) = await log.outcome(of: .sample("x"), by: process.sequencer) else {
                        Issue.record("The adopted log was not appended to.")
                        return
                    }
                }
                await #expect(throws: LogAdoption.Refusal.withoutKeys) { try await log.adopt() }
                try await log.tamper("UPDATE ledger.events SET leaf = sha256(leaf) WHERE position = 349;")
                await #expect(throws: LogAdoption.Refusal.self) { try await log.adopt(keys: keys, witness: gone) }
            }
        }
    }

    /// It has appended last before the backup, so that the restored log continues from what its writer knows. An idle
    /// one has appended nothing, so that its writer knows nothing and had no connection.
    @Test(
        "A process with a new connection compares the log with its witness before it appends",
        arguments: [false, true]
    )
    func reconnection(isIdle: Bool) async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let signer = log.checkpointer(keys, witness: witness)
                try await log.append(3)
                try await signer.step()
                try await log.process(keys, witness) { process in
                    if isIdle {
                        try await process.checkpointer.prove()
                        try await log.append(1)
                    } else {
                        _ = await log.outcome(of: .sample("x"), by: process.sequencer)
                    }
                    #expect(process.logGuard.isProven)
                    let back = try await log.wayBack()
                    try await log.append(5)
                    try await signer.step()
                    try await log.tamper(back + "DELETE FROM ledger.checkpoints WHERE size > 4;")
                    _ = try await log.superuser.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                        """
                    )
                    // The first batch was under way when the connection was lost.
                    guard case .failure = await log.outcome(of: .sample("x"), by: process.sequencer) else {
                        Issue.record("The restored log was appended to.")
                        return
                    }
                    let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(result == .failure(AppendError(.logContradicted)))
                    #expect(process.logGuard.status == .contradicted(.shorter(head: 4, signed: 9, .file)))
                    #expect(try await log.reader.head() == 4)
                }
            }
        }
    }

    @Test("A comparison proves nothing about a connection that changed while it ran", arguments: [true, false])
    func comparisonUnderWay(isFirst: Bool) async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(3)
            try await log.process(keys, nil) { process in
                if !isFirst {
                    try await process.checkpointer.step()
                    #expect(process.logGuard.isProven)
                    try await log.append(1)
                }
                let comparison = try await log.superuser.withTransaction { transaction in
                    try await transaction.script("LOCK TABLE ledger.checkpoints IN ACCESS EXCLUSIVE MODE")
                    let comparison = Task { try await process.checkpointer.prove() }
                    try await log.waitForBlockedAppend()
                    process.logGuard.connectionChanged()
                    return comparison
                }
                _ = try await comparison.value
                #expect(!process.logGuard.isProven)
                try await process.checkpointer.prove()
                #expect(process.logGuard.isProven)
            }
        }
    }

    @Test("A process without keys notices that an earlier epoch was restored")
    func earlierEpoch() async throws {
        try await TestLog.with { log in
            try await log.append(3)
            let back = try await log.wayBack()
            try await log.adopt()
            try await log.append(1)
            #expect(log.logGuard.epoch?.number == 1)
            try await log.tamper(back + "UPDATE ledger.head SET epoch = 0;")
            let result = await log.outcome(of: .sample("x"))
            #expect(result == .failure(AppendError(.logContradicted)))
            let fault = EvidenceFault.earlierEpoch(head: 0, signed: 1, .process)
            #expect(log.logGuard.status == .contradicted(fault))
        }
    }

    @Test(
        "A position names its epoch, except for epoch 0",
        arguments: [
            ("4711", EpochPosition(epoch: 0, position: 4711)), ("1-4711", EpochPosition(epoch: 1, position: 4711)),
            ("0", EpochPosition(epoch: 0, position: 0)), ("12-0", EpochPosition(epoch: 12, position: 0)),
            ("9223372036854775807", EpochPosition(epoch: 0, position: .max)), ("9223372036854775808", nil),
            ("0-4711", nil), ("-1", nil), ("1-", nil), ("-", nil), ("", nil), ("1-2-3", nil), ("+1", nil),
            ("1-+2", nil),
            ("x:y", nil), ("1 -2", nil), ("٣", nil),
        ] as [(String, EpochPosition?)]
    )
    func positions(_ text: String, _ position: EpochPosition?) {
        #expect(EpochPosition(text) == position)
        if let position { #expect(position.text == text) }
    }
}
