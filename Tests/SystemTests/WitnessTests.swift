import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Merkle
import Testing

/// `serve` and `witness`, as two processes.
struct WitnessTests {
    @Test func aLogThatIsSetBackIsNotAppendedToUntilItIsAdopted() async throws {
        try await Daybook.withDatabase { daybook, url in
            var daybook = daybook
            let logKey = try await daybook.run("keys", "log").standardOutput.filter { !$0.isNewline }
            let key = try await daybook.key(scopes: "documents,events,evidence,read,audit")
            var samples = SampleRecords(series: 1, random: SeededGenerator(seed: 1))
            let first = try await witness(daybook, logKey)
            daybook.environment["DAYBOOK_WITNESS_URL"] = "http://127.0.0.1:\(first.port)"
            daybook.environment["DAYBOOK_WITNESS_KEY"] = first.key
            daybook.environment["DAYBOOK_WITNESS_FILE"] = "witness.notes"

            let server = try await daybook.serve()
            for record in samples.make(5) { #expect(try await server.client(key).post(record).status == 201) }
            let old = try await TestDatabase.psql("SELECT position, encode(frontier, 'hex') FROM ledger.head", at: url)
            for record in samples.make(5) { #expect(try await server.client(key).post(record).status == 201) }
            let size = try await cosigned(server, key, daybook)
            // The cosignatures are in the witness file, too. It is lost with the machine.
            while try await daybook.json("verify", "--log-only")["cosigned"]?["newest"]?.int64 != size {}
            daybook.environment["DAYBOOK_WITNESS_FILE"] = nil
            #expect(try await server.stop() == 0)

            // Without the witness, a server that starts appends nothing.
            #expect(try await first.stop() == 0)
            let alone = try await daybook.serve(logLevel: "critical", errorFile: "/dev/null")
            let refused = try await alone.client(key).post(samples.make(1)[0])
            #expect(refused.status == 503 && refused.text.contains("log-unproven"))
            // The server and `doctor` use the same words.
            let proof = try await alone.client(key).get("/v1/log")["proof"]
            #expect(proof?["state"] == "unproven" && proof?["code"] == "witness-unreachable")
            let words = ["code", "reason", "remedy"].map { proof?[$0]?.string ?? "" }
            #expect(try await finding(daybook) == "\(words[0]): \(words[1]). \(words[2])")
            let command = try await daybook.run("merchants", "1", "--zone", "Europe/Berlin", "--reason", "a test")
            #expect(
                !command.succeeded && command.standardError.contains("witness-unreachable: the witness"),
                "\(command)"
            )
            let second = try await witness(daybook, logKey, port: first.port)
            #expect(second.key == first.key)
            while try await alone.client(key).post(samples.make(1)[0]).status != 201 {}
            #expect(try await cosigned(alone, key, daybook) > size)
            #expect(try await alone.stop() == 0)

            // The same older state is restored twice; it knows no epoch.
            let head = old.split(separator: "|")
            func restore() async throws {
                try await TestDatabase.psql(
                    """
                    SET session_replication_role = replica;
                    DELETE FROM ledger.events WHERE position > \(head[0]);
                    DELETE FROM ledger.streams s
                    WHERE NOT EXISTS (SELECT FROM ledger.events e WHERE e.stream = s.stream);
                    UPDATE ledger.streams s
                    SET version = (SELECT max(version) FROM ledger.events e WHERE e.stream = s.stream);
                    DELETE FROM ledger.checkpoints WHERE size > \(head[0]);
                    UPDATE ledger.head SET position = \(head[0]), frontier = '\\x\(head[1])', epoch = 0,
                        epoch_began_at = NULL;
                    """,
                    at: url
                )
            }
            for epoch in 1...2 as ClosedRange<Int64> {
                try await restore()
                let late = try await daybook.serve(logLevel: "critical", errorFile: "/dev/null")
                let contradicted = try await late.client(key).post(samples.make(1)[0])
                #expect(contradicted.status == 503 && contradicted.text.contains("log-contradicted"))
                #expect(try await late.stop() == 0)
                #expect(try await finding(daybook)?.contains("the remote witness has cosigned") == true)

                let adopted = try await daybook.json("log", "adopt", "--reason", "a test")
                #expect(adopted["epoch"]?.int64 == epoch)
                #expect((adopted["lost"]?["size"]?.int64 ?? 0) > (Int64(head[0]) ?? 0))
                #expect(try kept(daybook)?.epoch == epoch)
                let again = try await daybook.serve()
                #expect(try await again.client(key).post(samples.make(1)[0]).status == 201)
                let last = try await cosigned(again, key, daybook)
                #expect(try await finding(daybook)?.hasSuffix("has cosigned \(last) events") == true)
                #expect(try await again.stop() == 0)
            }
            #expect(try await second.stop() == 0)
        }
    }

    /// A program that was written from the specification alone plays a log.
    @Test func aWitnessDoesWhatTheSpecificationDemands() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let program = ["python3", root.appending(path: "ops/check-witness").path()]
        let log = ["--log-key", String(repeating: "07", count: 32), "--origin", "log.test/checked"]
        let logKey = try await ChildProgram.run("/usr/bin/env", program + ["--print-key"] + log)
        try await Daybook.with { daybook in
            let witness = try await witness(daybook, logKey.standardOutput.filter { !$0.isNewline })
            let checks = try await ChildProgram.run(
                "/usr/bin/env",
                program + ["http://127.0.0.1:\(witness.port)", "--witness-key", witness.key, "--epochs"] + log
            )
            let failed = checks.standardOutput.split(separator: "\n").filter { !$0.hasPrefix("ok") }
            #expect(checks.exitCode == 0, "\(failed.joined(separator: "\n")) \(checks.standardError)")
            #expect(try await witness.stop() == 0)
        }
    }

    @Test func settingsOfAWitnessAreChecked() async throws {
        try await Daybook.withDatabase { daybook, _ in
            let logKey = try await daybook.run("keys", "log").standardOutput.filter { !$0.isNewline }
            let shown = try await daybook.run("witness", "--show-key")
            #expect(shown.succeeded && (try? CosignerKey(shown.standardOutput.filter { !$0.isNewline })) != nil)
            let key = shown.standardOutput.filter { !$0.isNewline }
            for (arguments, message) in [
                (["serve", "--witness-url", "https://witness.test"], "an address and no key"),
                (["serve", "--witness-key", key], "a key and no address"),
                (["serve", "--witness-url", "http://witness.test", "--witness-key", key], "daybook.witness.url"),
                (["serve", "--witness-url", "https://witness.test", "--witness-key", logKey], "daybook.witness.key"),
                (["serve", "--witness-url", "https://witness.test", "--witness-key", "gone"], "cannot be read"),
                (["verify", "--witness-key", key], "--witness-key needs --witness-file"),
                (["verify", "--witness-file", "x", "--witness-key", logKey], "daybook.witness.key"),
                (["witness"], "serves no log"), (["witness", "--log", key], "cannot be read"),
                (["witness", "--log", logKey, "--signing-key", "gone"], "cannot be read"),
                (["witness", "--log", logKey, "--state-dir", "gone/gone"], "could not create"),
            ] {
                let refused = try await daybook.run(arguments)
                #expect(refused.exitCode == 1 && refused.standardError.contains(message), "\(arguments) \(refused)")
            }
        }
    }

    private struct RunningWitness {
        let process: ServerProcess
        let port: Int
        let key: String

        func stop() async throws -> Int {
            process.send(15)
            return try await process.waitForExit()
        }
    }

    private func witness(_ daybook: Daybook, _ logKey: String, port: Int = 0) async throws -> RunningWitness {
        let process = try await daybook.start([
            "witness", "--listen", "127.0.0.1:\(port)", "--log", logKey, "--log-level", "error",
        ])
        let line = try await process.line(startingWith: "listening on http://127.0.0.1:")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        let key = try await process.line(startingWith: "key ").dropFirst("key ".count)
        return RunningWitness(process: process, port: port, key: String(key))
    }

    /// Waits until the witness has cosigned everything in the log.
    ///
    /// - Returns: The number of events.
    private func cosigned(_ server: RunningServer, _ key: String, _ daybook: Daybook) async throws -> Int64 {
        while true {
            let log = try await server.client(key).get("/v1/log")
            if let size = log["position"]?.int64, try kept(daybook)?.size == size { return size }
        }
    }

    /// The newest checkpoint in the state directory of the witness.
    private func kept(_ daybook: Daybook) throws -> Checkpoint? {
        let directory = "\(daybook.directory)/.daybook/witness"
        let file = try FileManager.default.contentsOfDirectory(atPath: directory).first {
            $0.hasSuffix(".note") && !$0.contains(".epoch-")
        }
        return try file.map { file in
            let note = try SignedNote(Data(contentsOf: URL(filePath: "\(directory)/\(file)")))
            return try Checkpoint(text: note.text)
        }
    }

    /// What `doctor` finds about the remote witness.
    private func finding(_ daybook: Daybook) async throws -> String? {
        let printed = try await daybook.run("doctor", "--json").standardOutput
        let checks = try JSONValue(parsing: Array(printed.utf8))["checks"]?.array ?? []
        return checks.last { $0["check"]?.string == "remote witness" }?["found"]?.string
    }
}
