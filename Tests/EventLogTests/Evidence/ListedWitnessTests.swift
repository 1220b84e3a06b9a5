import DaybookTestKit
import EventLog
import Postgres
import Testing

/// A process that is not given the witness of the log does not know whether the log is whole.
@Suite struct ListedWitnessTests {
    @Test(
        "A remote witness stands for a file, and nothing stands for a remote witness",
        arguments: [
            ([], [], true), ([], [.file], true), ([], [.remote], true),
            ([.file], [], false), ([.file], [.file], true), ([.file], [.remote], true),
            ([.remote], [], false), ([.remote], [.file], false), ([.remote], [.file, .remote], true),
            ([.file, .remote], [.file], false), ([.file, .remote], [.remote], true), ([.file, .remote], [], false),
        ] as [([WitnessKind], [WitnessKind], Bool)]
    )
    func needs(_ listed: [WitnessKind], _ given: [WitnessKind], _ suffices: Bool) {
        #expect((WitnessNotNamed(listed: listed, given: given) == nil) == suffices)
    }

    @Test("Without the witness nothing is appended to a log that was set back, nor to one that is whole")
    func unnamed() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let back = try await log.signed(keys, witness)
                for sql in ["SELECT 1", back + "DELETE FROM ledger.checkpoints WHERE size > 300;"] {
                    try await log.tamper(sql)
                    let head = try await log.reader.head()
                    try await log.process(keys, nil) { process in
                        let result = await log.outcome(of: .sample("x"), by: process.sequencer)
                        #expect(result == .failure(AppendError(.logUnproven)))
                        #expect(process.logGuard.status.obstacle?.code == .witnessNotNamed)
                        #expect(process.logGuard.waitsForOperator)
                        let now = try await log.reader.head()
                        #expect(now == head)
                    }
                }
            }
        }
    }

    @Test("A process that runs without a witness stops when another one has used a witness")
    func running() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                try await log.process(keys, nil) { process in
                    let first = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(first == .success(.appended(AppendedRange(firstPosition: 1, count: 1))))
                    try await log.checkpointer(keys, witness: WitnessFile(path: "\(directory)/witness")).step()
                    await #expect(throws: WitnessNotNamed.self) { try await process.checkpointer.step() }
                    let second = await log.outcome(of: .sample("x"), by: process.sequencer)
                    #expect(second == .failure(AppendError(.logUnproven)))
                }
            }
        }
    }

    @Test("The adoption lists the witnesses that it is given, and no others")
    func adoption() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let remote = try MemoryWitness(keys)
                _ = try await log.signed(keys, witness, remote.options)
                #expect(try await kinds(log) == ["file", "remote"])
                try await log.adopt(keys: keys, witness: witness)
                #expect(try await kinds(log) == ["file"])
                try await log.adopt(keys: keys)
                #expect(try await kinds(log) == [])
                try await log.process(keys, nil) { process in
                    guard case .success = await log.outcome(of: .sample("x"), by: process.sequencer) else {
                        Issue.record("The adopted log was not appended to.")
                        return
                    }
                }
            }
        }
    }

    @Test("A process without the key of the log notices that another one has signed it")
    func signedMeanwhile() async throws {
        let keys = try LogKeys.made()
        try await TestLog.with { log in
            try await log.append(3)
            #expect(log.logGuard.isProven)
            try await log.checkpointer(keys).step()
            // Its writer asks again with its next connection, and so does the next request.
            log.logGuard.leaveUnproven(ProofObstacle(.notCompared, "a test"))
            let result = await log.outcome(of: .sample("x"))
            #expect(result == .failure(AppendError(.logUnproven)))
            #expect(log.logGuard.status.obstacle?.code == .logKeyMissing)
            #expect(try await log.reader.head() == 3)
            let late = LogGuard()
            try await late.establish(from: log.pool)
            #expect(late.status.obstacle?.code == .logKeyMissing)
            #expect(try await late.epochOfRequests(from: log.pool) == 0)
            #expect(late.status.obstacle?.code == .logKeyMissing)
        }
    }

    @Test("A contradiction stays when the witness or the key is missing as well")
    func contradiction() async throws {
        try await TestLog.with { log in
            let guarded = LogGuard()
            guarded.contradict(.unreadable)
            guarded.leaveUnproven(ProofObstacle(.witnessNotNamed, "a test"))
            #expect(guarded.status == .contradicted(.unreadable))
            _ = try await log.pool.execute("INSERT INTO ledger.witnesses (kind) VALUES ('file')")
            _ = try await guarded.epochOfRequests(from: log.pool)
            #expect(guarded.status == .contradicted(.unreadable))
            guarded.leaveUnproven(ProofObstacle(.notCompared, "adopted"), inNewEpoch: true)
            #expect(guarded.status.obstacle?.code == .notCompared)
            // A list without a checkpoint needs the keys as well.
            _ = try await guarded.epochOfRequests(from: log.pool)
        }
        try await TestLog.with { log in
            _ = try await log.pool.execute("INSERT INTO ledger.witnesses (kind) VALUES ('file')")
            let guarded = LogGuard()
            try await guarded.establish(from: log.pool)
            #expect(guarded.status.obstacle?.code == .logKeyMissing)
        }
    }

    @Test("The other connections are given up before the new one of the writer counts")
    func renewal() {
        let renewals = Tally()
        let guarded = LogGuard()
        guarded.setProof {}
        guarded.proved(LogEpoch(number: 0))
        guarded.onNewConnection {
            renewals.add()
            #expect(guarded.isProven)
        }
        guarded.connectionChanged()
        #expect(renewals.count == 1 && !guarded.isProven)
    }

    @Test("A server that runs with a witness accepts what the adoption has listed, and a command lists nothing")
    func afterAdoption() async throws {
        let keys = try LogKeys.made()
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let witness = WitnessFile(path: "\(directory)/witness")
                let command = Checkpointer(
                    pool: log.pool,
                    keys: keys,
                    witness: witness,
                    listsWitnesses: false,
                    clock: log.clock,
                    logger: TestLog.logger
                )
                try await log.append(3)
                try await command.step()
                #expect(try await kinds(log) == [])
                try await log.process(keys, witness) { process in
                    try await process.checkpointer.step()
                    #expect(try await kinds(log) == ["file"])
                    try await log.adopt(keys: keys)
                    try await process.checkpointer.step()
                    #expect(process.logGuard.epoch?.number == 1)
                    #expect(try await kinds(log) == [])
                }
            }
        }
    }

    @Test("The service may list a witness, but not remove one")
    func rights() async throws {
        try await TestLog.with { log in
            _ = try await log.pool.execute("INSERT INTO ledger.witnesses (kind) VALUES ('file')")
            for sql in [
                "DELETE FROM ledger.witnesses", "UPDATE ledger.witnesses SET kind = 'remote'",
                "TRUNCATE ledger.witnesses",
            ] {
                let error = await #expect(throws: PostgresError.self) { _ = try await log.pool.execute(sql) }
                #expect(error?.sqlState == SQLState.insufficientPrivilege)
            }
        }
    }

    private func kinds(_ log: TestLog) async throws -> [String] {
        try await log.pool.query("SELECT kind FROM ledger.witnesses ORDER BY kind").map { try $0.text(0) }
    }
}
