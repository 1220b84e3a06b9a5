import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Merkle
import Synchronization
import Testing

/// `/readyz` and `/v1/log` say why the log is not proven, and what an operator does next.
@Suite struct LogProofTests {
    /// A remote witness that cosigns whatever it is sent, or gives another answer.
    private final class ScriptedWitness: RemoteWitness {
        let address = "https://witness.test"
        private let key: CosigningKey
        private let other: Mutex<WitnessAnswer?>

        init(answering answer: WitnessAnswer?) throws {
            key = CosigningKey(NoteSigningKey(name: try #require(NoteKeyName("witness.test/w1"))))
            other = Mutex(answer)
        }

        var options: WitnessOptions { WitnessOptions(self, keys: [key.cosignerKey]) }

        func answer(_ answer: WitnessAnswer?) { other.withLock { $0 = answer } }

        func add(_ submission: CheckpointSubmission) async -> WitnessAnswer {
            if let answer = other.withLock(\.self) { return answer }
            return (try? key.signature(for: submission.note.text, at: 1)).map { .cosigned([$0]) } ?? .untrusted
        }
    }

    private let keys: LogKeys

    init() throws { keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test")))) }

    private func state(of proof: JSONValue?) -> String? { proof?["state"]?.string }

    @Test(
        "The answer of the witness decides",
        arguments: [
            (.unreachable("it is silent"), .witnessUnreachable), (.unknownOrigin, .witnessLacksKey),
            (.untrusted, .witnessLacksKey), (.cosigned([]), .witnessKeyDiffers),
            (.unusable("it answers 400"), .witnessUnusable), (.conflict(size: 900), .logShorter),
        ] as [(WitnessAnswer, ProofObstacle.Code)]
    )
    func witness(_ answer: WitnessAnswer, _ code: ProofObstacle.Code) async throws {
        let witness = try ScriptedWitness(answering: answer)
        let signing = EvidenceOptions(keys: keys, remote: witness.options, interval: .milliseconds(10))
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller([.documents, .read, .audit])
            let log = try await eventually {
                try await caller.get("/v1/log").json["proof"]
            } is: {
                $0?["code"]?.string == code.rawValue
            }
            let isContradicted = code == .logShorter
            #expect(state(of: log) == (isContradicted ? "contradicted" : "unproven"))
            #expect(log?["remedy"]?.string == code.remedy)
            #expect(log?["reason"]?.string?.contains(isContradicted ? "remote witness" : witness.address) == true)
            let reading = try await api.caller([.read]).get("/v1/log").json["proof"]
            #expect(reading?["code"] == log?["code"] && reading?["reason"] == nil)
            let ready = try await api.stranger.get("/readyz")
            #expect(ready.status == 200)
            // Anyone may ask it, so it names no address.
            let shown: JSONValue = [
                "state": log?["state"] ?? .null, "code": .string(code.rawValue), "remedy": .string(code.remedy),
            ]
            #expect(try ready.json["proof"] == shown)
            guard !isContradicted else { return }
            let refused = try await caller.post("bridgepay", Sample.named("MSR sale").record)
            #expect(refused.status == 503 && refused.code == "log-unproven")

            witness.answer(nil)
            let proven = try await eventually {
                try await caller.get("/v1/log").json["proof"]
            } is: {
                state(of: $0) == "proven"
            }
            #expect(proven == ["state": "proven"])
            #expect(try await api.stranger.get("/readyz").json["proof"] == proven)
        }
    }

    @Test("A witness file that is gone, or cannot be read", arguments: ["gone", "."])
    func witnessFile(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = WitnessFile(path: "\(directory)/\(name)")
            let code = name == "." ? ProofObstacle.Code.witnessFileUnusable : .witnessFileMissing
            try await TestAPI.serve { api in
                let caller = try await api.caller([.documents, .read, .audit])
                _ = try await api.ledger.sequencer.append(.sample("s"))
                // Another server has signed the log, with the file.
                let signer = Checkpointer(
                    pool: api.ledger.pool,
                    keys: keys,
                    witness: nil,
                    clock: SystemClock(),
                    logger: api.log.logger
                )
                _ = try await signer.step()
                let logGuard = api.ledger.log.logGuard
                let checkpointer = Checkpointer(
                    pool: api.ledger.pool,
                    keys: keys,
                    witness: file,
                    logGuard: logGuard,
                    clock: SystemClock(),
                    logger: api.log.logger
                )
                logGuard.setProof { try await checkpointer.prove() }
                logGuard.leaveUnproven(ProofObstacle(.notCompared, "it starts"))
                await #expect(throws: WitnessFile.Failure.self) { try await checkpointer.step() }
                let log = try await caller.get("/v1/log").json["proof"]
                #expect(state(of: log) == "unproven" && log?["code"]?.string == code.rawValue)
                #expect(log?["reason"]?.string?.contains(directory) == true)
                #expect(try await !api.stranger.get("/readyz").body.contains(directory))
            }
        }
    }

    @Test("Every code is described for operators")
    func described() throws {
        let page = try RepositoryFile.text("docs/operations.md")
        for code in ProofObstacle.Code.allCases {
            #expect(page.contains("| `\(code.rawValue)` | \(code.remedy) |"), "\(code.rawValue)")
        }
    }
}
