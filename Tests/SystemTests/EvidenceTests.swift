import Canonical
import DaybookTestKit
import EventLog
import Foundation
import HTTPRequests
import Merkle
import Testing

/// The log's key and its checkpoints, through the commands.
struct EvidenceTests {
    private func keys(_ lines: String) throws -> [NoteVerifierKey] {
        try lines.split(separator: "\n").map { try NoteVerifierKey(String($0)) }
    }

    private func witnessed(_ path: String, _ keys: [NoteVerifierKey]) throws -> [Checkpoint] {
        var checkpoints: [Checkpoint] = []
        try WitnessFile.read(path) { checkpoints.append(try Checkpoint($0.get(), signedBy: keys)) }
        return checkpoints
    }

    @Test func theKeyIsMadeOnceAndChangedOnRequest() async throws {
        try await Daybook.with { daybook in
            let path = "\(daybook.directory)/keys/log.key"
            let made = try await daybook.run("keys", "log", "--log-key", path, "--origin", "ledger.example.com/log")
            #expect(made.succeeded, "\(made)")
            let key = try #require(try keys(made.standardOutput).first)
            #expect(key.name.description == "ledger.example.com/log")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let contents = try String(contentsOfFile: path, encoding: .utf8)
            let again = try await daybook.run("keys", "log", "--log-key", path)
            #expect(again.exitCode == 1 && again.standardError.contains("There is a key already"))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
            let rotated = try await daybook.json("keys", "log", "--log-key", path, "--rotate")
            let listed = rotated["keys"]?.array?.compactMap(\.string) ?? []
            #expect(listed.count == 2 && listed.last == key.text)
            let shown = try await daybook.run("keys", "log", "--log-key", path, "--show")
            #expect(shown.standardOutput == listed.map { $0 + "\n" }.joined())
            #expect(!shown.standardOutput.contains("PRIVATE"))
            for arguments in [["--origin", "a b"], ["--show", "--rotate"], ["--rotate"], ["--show"]] {
                let refused = try await daybook.run(["keys", "log", "--log-key", "\(path).other"] + arguments)
                #expect(refused.exitCode == 1, "\(arguments)")
            }
        }
    }

    @Test func serversSignOneHistoryAndNoticeAnOlderOne() async throws {
        try await Daybook.withDatabase { daybook, url in
            var daybook = daybook
            let witness = "\(daybook.directory)/witness"
            daybook.environment["DAYBOOK_WITNESS_FILE"] = witness
            let verifiers = try keys(await daybook.run("keys", "log").standardOutput)
            let key = try await daybook.key(scopes: "documents,events,evidence,read")
            var samples = SampleRecords(series: 1, random: SeededGenerator(seed: 1))

            // One server, then after a restart two of them with one file.
            let first = try await daybook.serve()
            for record in samples.make(5) { #expect(try await first.client(key).post(record).status == 201) }
            let early = try await signed(first, key)
            let old = try await TestDatabase.psql("SELECT position, encode(frontier, 'hex') FROM ledger.head", at: url)
            #expect(try await first.stop() == 0)
            let (left, right) = (try await daybook.serve(), try await daybook.serve())
            for (index, record) in samples.make(12).enumerated() {
                let server = index.isMultiple(of: 2) ? left : right
                #expect(try await server.client(key).post(record).status == 201)
                if index.isMultiple(of: 4) { _ = try await signed(server, key) }
            }
            let size = try await signed(left, key)
            #expect(size > early)
            let checkpoints = try witnessed(witness, verifiers)
            #expect(checkpoints.last?.size == size)
            for (earlier, later) in zip(checkpoints, checkpoints.dropFirst()) {
                let target = "/v1/log/consistency?from=\(earlier.size)&to=\(later.size)"
                let hashes = try await right.client(key).get(target)["hashes"]?.array ?? []
                let proof = ConsistencyProof(
                    first: earlier.size,
                    second: later.size,
                    hashes: hashes.compactMap { MerkleHash(base64: $0.string ?? "") }
                )
                #expect(proof.verifies(firstRoot: earlier.root, secondRoot: later.root))
            }
            #expect(try await left.stop() == 0)
            #expect(try await right.stop() == 0)
            #expect(try await finding("checkpoints", daybook)?.hasPrefix("the newest covers \(size) of") == true)

            // The state of an hour ago is restored.
            let head = old.split(separator: "|")
            try await TestDatabase.psql(
                """
                SET session_replication_role = replica;
                DELETE FROM ledger.events WHERE position > \(head[0]);
                DELETE FROM ledger.checkpoints WHERE size > \(head[0]);
                UPDATE ledger.head SET position = \(head[0]), frontier = '\\x\(head[1])';
                """,
                at: url
            )
            #expect(try await daybook.run("doctor").exitCode == 2)
            #expect(try await finding("checkpoints", daybook)?.contains("truncated") == true)
            let late = try await daybook.serve(logLevel: "critical", errorFile: "/dev/null")
            while try await late.client(key).get("/v1/log")["signing"]?["state"] != "halted" {
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
            #expect(try witnessed(witness, verifiers).last?.size == size)
            #expect(try await late.stop() == 0)
            let record = samples.dejavooSale()
            try daybook.write(record.json, to: "sale.json")
            #expect(try await refusal(daybook) == "log-contradicted")

            // A process that is not given the witness finds the log in order, but knows that it lacks the witness.
            daybook.environment["DAYBOOK_WITNESS_FILE"] = nil
            let alone = try await daybook.serve(logLevel: "critical", errorFile: "/dev/null")
            let unnamed = try await alone.client(key).post(record)
            #expect(unnamed.status == 503 && unnamed.text.contains("log-unproven"), "\(unnamed.text)")
            #expect(try await alone.client(key).get("/v1/log")["proof"]?["code"] == "witness-not-named")
            #expect(try await alone.stop() == 0)
            #expect(try await refusal(daybook) == "log-unproven")
            #expect(try await daybook.run("doctor").exitCode == 2)
            #expect(try await finding("witness", daybook)?.hasPrefix("witness-not-named: ") == true)
            let zone = try await daybook.run("merchants", "1", "--zone", "Europe/Berlin", "--reason", "a test")
            #expect(!zone.succeeded && zone.standardError.contains("witness-not-named"), "\(zone)")
            daybook.environment["DAYBOOK_WITNESS_FILE"] = witness

            // Without its key the log is neither signed nor compared.
            try FileManager.default.removeItem(atPath: "\(daybook.directory)/.daybook/log.key")
            #expect(try await finding("log key", daybook)?.hasPrefix("missing") == true)
            for file in [witness, nil] {
                daybook.environment["DAYBOOK_WITNESS_FILE"] = file
                let keyless = try await daybook.serve(logLevel: "critical", errorFile: "/dev/null")
                let log = try await keyless.client(key).get("/v1/log")
                #expect(log["signing"]?["state"] == "off")
                #expect(log["signing"]?["reason"]?.string?.contains("is missing") == true)
                let refused = try await keyless.client(key).post(record)
                #expect(refused.status == 503 && refused.text.contains("log-unproven"), "\(refused.text)")
                #expect(try await keyless.client(key).get("/v1/log")["proof"]?["code"] == "log-key-missing")
                #expect(try await keyless.stop() == 0)
                #expect(try await refusal(daybook) == "log-unproven")
            }
            // What appends nothing needs no key.
            _ = try await daybook.key(scopes: "read")
            #expect(try await TestDatabase.psql("SELECT position FROM ledger.head", at: url) == head[0])
        }
    }

    @Test func aWitnessFileNeedsTheKeyAlsoOfALogThatIsNotSigned() async throws {
        try await Daybook.withDatabase { daybook, _ in
            var daybook = daybook
            _ = try await daybook.key()
            var samples = SampleRecords(series: 2, random: SeededGenerator(seed: 2))
            try daybook.write(samples.dejavooSale().json, to: "sale.json")
            daybook.environment["DAYBOOK_WITNESS_FILE"] = "witness"
            #expect(try await refusal(daybook) == "log-unproven")
            #expect(try await daybook.run("list", "transactions").succeeded)
            daybook.environment["DAYBOOK_WITNESS_FILE"] = nil
            #expect(try await daybook.run("intake", "sale.json", "--vendor", "dejavoo").succeeded)
        }
    }

    /// The code with which `intake` refuses the record of `sale.json`.
    private func refusal(_ daybook: Daybook) async throws -> String? {
        let result = try await daybook.run("intake", "sale.json", "--vendor", "dejavoo", "--json")
        #expect(result.exitCode == 2, "\(result)")
        return try JSONValue(parsing: Array(result.standardOutput.utf8)).array?.first?["code"]?.string
    }

    /// Waits until everything in the log is signed.
    ///
    /// - Returns: The number of events.
    private func signed(_ server: RunningServer, _ key: String) async throws -> Int64 {
        while true {
            let log = try await server.client(key).get("/v1/log")
            if let size = log["checkpoint"]?["size"]?.int64, size == log["position"]?.int64 { return size }
            try await ContinuousClock().sleep(for: .milliseconds(50))
        }
    }

    /// The result of one of the checks of `doctor`.
    private func finding(_ check: String, _ daybook: Daybook) async throws -> String? {
        let printed = try await daybook.run("doctor", "--json").standardOutput
        let checks = try JSONValue(parsing: Array(printed.utf8))["checks"]?.array ?? []
        return checks.last { $0["check"]?.string == check }?["found"]?.string
    }
}
