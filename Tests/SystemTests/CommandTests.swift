import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Testing

/// The commands on a database given by URL.
struct CommandTests {
    private static func samples() throws -> [(vendor: String, record: JSONValue)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "Tests/Samples/documents.json"))
        return (try JSONValue(parsing: [UInt8](data)).array ?? []).compactMap { sample in
            guard let vendor = sample["vendor"]?.string, let record = sample["record"] else { return nil }
            return (vendor, record)
        }
    }

    private static func lines(of vendor: String) throws -> String {
        try samples().filter { $0.vendor == vendor }.map { $0.record.text + "\n" }.joined()
    }

    /// The usual first errors on a new machine are named, with a remedy.
    @Test func errorsNameAUsedPortAndAnUnwritableFile() async throws {
        try await Daybook.withDatabase { daybook, _ in
            let serving = try await daybook.serve()
            let second = try await daybook.run("serve", "--listen", "127.0.0.1:\(serving.port)")
            #expect(!second.succeeded)
            let refusal = "Cannot listen at 127.0.0.1:\(serving.port): another program uses this address."
            #expect(second.standardError.contains(refusal), "\(second)")
            #expect(second.standardError.contains("--listen"))
            _ = try await serving.stop()
            let export = try await daybook.run("export", "-o", "/nonexistent/log.ndjson")
            #expect(!export.succeeded)
            #expect(export.standardError.contains("/nonexistent/log.ndjson cannot be written"))
        }
    }

    @Test func keysAreMadeListedAndRevoked() async throws {
        try await Daybook.withDatabase { daybook, _ in
            let made = try await daybook.json(
                "keys",
                "create",
                "--tenant",
                "acme",
                "--scopes",
                "read",
                "--name",
                "till",
                "--expires",
                "2099-01-01T00:00:00Z"
            )
            let id = try #require(made["id"]?.string)
            let key = try #require(made["key"]?.string)
            #expect(key.hasPrefix("dbk_live_"))
            let test = try await daybook.run(
                "keys",
                "create",
                "--tenant",
                "other",
                "--scopes",
                "documents, read",
                "--test"
            )
            #expect(test.standardOutput.hasPrefix("dbk_test_"))
            #expect(test.standardOutput.split(separator: "\n").count == 1)

            let listed = try await daybook.json("keys", "list", "--tenant", "acme")
            #expect(listed.array?.compactMap { $0["id"]?.string } == [id])
            #expect(listed[0]?["name"]?.string == "till")
            #expect(listed[0]?["expiresAt"]?.string == "2099-01-01T00:00:00.000000Z")
            #expect(try await daybook.json("keys", "list").array?.count == 2)
            let bound = try await daybook.run(
                "keys",
                "create",
                "--tenant",
                "acme",
                "--scopes",
                "events",
                "--vendor",
                "dejavoo",
                "--merchant",
                "8846",
                "--terminal",
                "4400",
                "--terminal",
                "4401"
            )
            #expect(bound.exitCode == 0, "\(bound.standardError)")
            let table = try await daybook.run("keys", "list").standardOutput
            #expect(table.contains("merchant=8846,terminal=4400,terminal=4401,vendor=dejavoo"))
            let names = try await daybook.json("keys", "list").array?.compactMap { $0["bound"]?.array?.count }
            #expect(names?.sorted() == [0, 0, 4])
            let unknown = ["keys", "create", "--tenant", "acme", "--scopes", "events", "--vendor", "nobody"]
            #expect(try await daybook.run(unknown).exitCode == 1)
            #expect(table.contains("acme") && table.contains("other") && !table.contains(key))

            let server = try await daybook.serve()
            #expect(try await server.client(key).send(HTTPRequest(target: "/v1/transactions")).status == 200)
            #expect(try await daybook.json("keys", "revoke", id)["revoked"]?.bool == true)
            var answer = try await server.client(key).send(HTTPRequest(target: "/v1/transactions"))
            while answer.status == 200 {
                try Task.checkCancellation()
                answer = try await server.client(key).send(HTTPRequest(target: "/v1/transactions"))
            }
            #expect(answer.status == 401)
            #expect(try await server.stop() == 0)

            #expect(try await daybook.run("keys", "revoke", id).exitCode == 1)
            #expect(try await daybook.run("keys", "create", "--tenant", "acme", "--scopes", "fly").exitCode == 1)
            #expect(try await daybook.run("keys", "create", "--tenant", "No Tenant", "--scopes", "read").exitCode == 1)
            let card = try await daybook.run("keys", "create", "--tenant", "4111111111111111", "--scopes", "read")
            #expect(card.exitCode == 1 && !card.standardError.contains("4111111111111111"))
            #expect(try await daybook.run("keys", "create").exitCode == 64)
        }
    }

    @Test func documentsAreImportedFromFilesAndStandardInputAndListed() async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            let file = try daybook.write(try Self.lines(of: "bridgepay"), to: "day.ndjson")
            let first = try await daybook.run("intake", file, "--vendor", "bridgepay")
            #expect(first.exitCode == 0, "\(first)")
            #expect(first.standardOutput.split(separator: "\n").count == 9)
            let again = try await daybook.json("intake", file, "--vendor", "bridgepay", "--tenant", "acme")
            #expect(again.array?.count == 9)
            let repeated = try await daybook.run("intake", file, "--vendor", "bridgepay")
            #expect(repeated.standardOutput.split(separator: "\n").allSatisfy { $0.contains("(already recorded)") })

            let piped = try await pipe(try Self.lines(of: "dejavoo"), into: daybook, "intake - --vendor dejavoo")
            #expect(piped.exitCode == 0, "\(piped)")
            #expect(piped.standardOutput.split(separator: "\n").count == 3)

            try await expectRefusals(daybook)
            try await expectViews(daybook)
        }
    }

    private func expectRefusals(_ daybook: Daybook) async throws {
        let bad = """
            {"kind":"Spin_Response","body":{}}
            not json
            {"kind":"Spin_Response","body":{"ResultCode":"0","HostResponseCode":"00","ExtData":{"txnLabel":"Sale"}}}

            """
        let refused = try await pipe(bad, into: daybook, "intake - --vendor dejavoo --json")
        #expect(refused.exitCode == 2)
        let codes = try JSONValue(parsing: Array(refused.standardOutput.utf8)).array?.compactMap { $0["code"]?.string }
        #expect(codes == ["missing-field", "malformed-json", "missing-money"])
        let unknown = try await pipe("{\"kind\":\"x\",\"body\":{}}", into: daybook, "intake - --vendor stripe")
        #expect(unknown.exitCode == 2 && unknown.standardOutput.contains("unknown-vendor"))
        #expect(try await daybook.run("intake", "missing.json", "--vendor", "dejavoo").exitCode == 1)
        #expect(try await pipe("", into: daybook, "intake - --vendor dejavoo").exitCode == 1)
        let typo = try await daybook.run("intake", "day.ndjson", "--vendor", "bridgepay", "--tenant", "amce")
        #expect(typo.exitCode == 1 && typo.standardError.contains("no such tenant"))
        let traces = try await daybook.json("tail", "--type", "IntakeRefused")
        #expect(traces.array?.count == 4)
    }

    private func expectViews(_ daybook: Daybook) async throws {
        let shown = try await daybook.json("show", "214972201")
        #expect(shown["status"]?.string == "captured")
        #expect(shown["amounts"]?["captured"] == ["value": 950, "currency": "USD"])
        let id = try #require(shown["id"]?.string)
        #expect(try await daybook.json("show", id) == shown)
        let text = try await daybook.run("show", id).standardOutput
        #expect(text.contains("captured") && text.contains("9.50 USD") && text.contains("AuthorizationApproved"))
        #expect(try await daybook.run("show", "nothing").exitCode == 1)

        let receipt = try await daybook.run("receipt", "214972201", "--copy", "merchant", "--width", "32")
            .standardOutput
        #expect(receipt.contains("MERCHANT COPY") && receipt.contains("9.50 USD"))
        #expect(receipt.split(separator: "\n").allSatisfy { $0.count <= 32 })
        #expect(try await daybook.run("receipt", "214972201").standardOutput.contains("CUSTOMER COPY"))
        #expect(try await daybook.json("receipt", "214972201").object != nil)
        #expect(try await daybook.run("receipt", "214972201", "--width", "7").exitCode == 64)
        #expect(try await daybook.run("receipt", "214972201", "--copy", "nobody").exitCode == 64)

        let batches = try await daybook.json("batch")
        #expect((batches.array?.count ?? 0) >= 4)
        #expect(try await daybook.json("batch", "121")[0]?["net"] == [["value": 1340, "currency": "USD"]])
        #expect(try await daybook.run("batch", "121").standardOutput.contains("13.40 USD"))
        #expect(try await daybook.run("batch", "--limit", "0").exitCode == 64)

        let totals = try await daybook.json("totals", "--by", "vendor,day", "--zone", "+01:00")
        #expect(totals["zone"] == "+01:00" && (totals["items"]?.array?.count ?? 0) >= 2)
        #expect(try await daybook.run("totals").standardOutput.contains("USD"))
        #expect(try await daybook.run("totals", "--by", "color").exitCode == 64)
        let past = try await daybook.json("totals", "--as-of", "2020-01-01T00:00:00Z")
        #expect(past["asOfPosition"] == 0 && past["items"] == [])
        for bad in [
            ["totals", "--from", "today"], ["totals", "--as-of", "then"], ["totals", "--vendor", "stripe"],
            ["batch", "--as-of", "then"], ["anomalies", "--kind", "odd"], ["anomalies", "--from", "today"],
        ] {
            #expect(try await daybook.run(bad).exitCode == 64, "\(bad)")
        }
        let unnamed = try await daybook.run("list", "timeline", "transaction=nobody")
        #expect(unnamed.exitCode == 64 && unnamed.standardError.contains("`transaction` is the id of a transaction"))
        let listed = try await daybook.json("list", "exceptions", "as_of_position=1")
        #expect(listed["asOfPosition"] == 1 && listed["items"] == [])

        let changes = try await daybook.json("changes", "--batch", "121", "--from-position", "0")
        #expect(changes["items"]?.array?.count == 1 && changes["items"]?[0]?["change"] == "added")
        let changed = try await daybook.run("changes", "--batch", "121", "--from-position", "0").standardOutput
        #expect(changed.contains("13.40 USD"))
        #expect(try await daybook.run("changes", "--batch", "121").exitCode == 0)
        #expect(try await daybook.run("changes", "--batch", "nothing").exitCode == 1)
        #expect(try await daybook.run("changes", "--day", "2026-02-30").exitCode == 64)
        #expect(try await daybook.run("changes", "--batch", "121", "--merchant", "8846").exitCode == 64)
        let described = [
            "merchants", "8846", "--zone", "America/New_York", "--cutoff", "04:00", "--reason", "as agreed",
        ]
        #expect(try await daybook.run(described).exitCode == 0)
        let own = try await daybook.json("changes", "--merchant", "8846", "--day", "2026-03-01")
        #expect(own["items"] == [] && own["zone"] == "America/New_York" && own["cutoff"] == "04:00")
        #expect(try await daybook.json("list", "doubts")["items"]?.array != nil)
        #expect(try await daybook.run("resolve", "list").exitCode == 0)
        #expect(try await daybook.json("duplicates", "--window", "604800")["items"]?.array != nil)
        #expect(try await daybook.run("duplicates", "--window", "0").exitCode == 64)
        #expect(try await daybook.run("duplicates", "--vendor", "stripe").exitCode == 64)

        let tail = try await daybook.json("tail", "-n", "3")
        #expect(tail.array?.count == 3)
        let stream = try #require(tail[2]?["stream"]?.string)
        #expect(try await daybook.json("tail", "--stream", stream).array?.last == tail[2])
        #expect(try await daybook.run("tail", "-n", "2").standardOutput.split(separator: "\n").count == 2)
        #expect(try await daybook.json("tail", "-n", "0") == [])
        #expect(try await daybook.json("migrate")["pending"] == [])
        #expect(try await daybook.json("doctor")["healthy"]?.bool == true)
        #expect(try await daybook.json("rebuild").array?.allSatisfy { $0["equal"]?.bool == true } == true)
    }

    @Test func aFollowingTailWakesWhenAnotherProcessAppends() async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            let file = try daybook.write(try Self.lines(of: "dejavoo"), to: "day.ndjson")
            #expect(try await daybook.run("intake", file, "--vendor", "dejavoo").exitCode == 0)
            let tail = try await daybook.start(["tail", "--follow", "-n", "1", "--json"])
            // Its first line shows its position; nothing after that can be missed.
            let first = try JSONValue(parsing: Array(try await tail.line { _ in true }.utf8))
            var samples = SampleRecords(series: 9, random: SeededGenerator(seed: 9))
            let record = samples.dejavooSale()
            let more = try daybook.write(record.json, to: "more.json")
            #expect(try await daybook.run("intake", more, "--vendor", "dejavoo").exitCode == 0)
            let line = try await tail.line { $0.contains(record.marker) }
            let next = try JSONValue(parsing: Array(line.utf8))
            #expect(next["position"]?.int64 == (first["position"]?.int64 ?? 0) + 1)
            tail.send(SIGINT)
            try await tail.waitForExit()

            // In another epoch the same positions may be those of other events.
            let last = try await daybook.start(["tail", "--follow", "-n", "1", "--json"], errorFile: "tail.errors")
            _ = try await last.line { _ in true }
            let unnamed = try await daybook.run("log", "adopt", "--reason", "a test")
            #expect(!unnamed.succeeded && unnamed.standardError.contains("--without-witness"))
            _ = try await daybook.json("log", "adopt", "--reason", "a test", "--without-witness")
            #expect(try await last.waitForExit() == 1)
        }
    }

    @Test func migrationsAreReportedAndANewerSchemaIsRefused() async throws {
        try await Daybook.withDatabase { daybook, url in
            let before = try await daybook.json("migrate", "--status")
            #expect(before["applied"] == [] && (before["pending"]?.array?.count ?? 0) >= 3)
            #expect(try await daybook.run("serve", "--skip-migrations", "--listen", "127.0.0.1:0").exitCode == 1)
            let doctor = try await daybook.run("doctor", "--json")
            #expect(doctor.exitCode == 2)
            #expect(try JSONValue(parsing: Array(doctor.standardOutput.utf8))["healthy"]?.bool == false)

            #expect(try await daybook.run("migrate").standardOutput.contains("applied 1 event_log"))
            #expect(try await daybook.run("migrate").standardOutput.contains("up to date"))
            #expect(try await daybook.json("migrate", "--status")["pending"] == [])
            #expect(try await daybook.run("doctor").exitCode == 0)

            try await TestDatabase.psql(
                "INSERT INTO schema_migrations (number, name, checksum) VALUES (999, 'later', decode(repeat('00', 32), 'hex'))",
                at: url
            )
            for command in [
                ["serve", "--listen", "127.0.0.1:0"], ["serve", "--skip-migrations"], ["migrate"], ["tail"],
            ] {
                let result = try await daybook.run(command)
                #expect(result.exitCode == 1, "\(command): \(result)")
                #expect(result.standardError.contains("newer") || result.standardError.contains("999"))
            }
            #expect(try await daybook.run("doctor").exitCode == 2)
            #expect(try await daybook.json("migrate", "--status")["problem"]?.string != nil)
        }
    }

    @Test func flagsComeBeforeTheEnvironmentAndThatBeforeTheFile() async throws {
        try await withTestDatabase { right in
            let wrong = "postgresql:///absent?host=/nowhere"
            try await Daybook.with(environment: ["DATABASE_URL": wrong]) { daybook in
                #expect(try await daybook.run("doctor").exitCode == 2)
                #expect(try await daybook.run("migrate", "--database-url", right).exitCode == 0)
                #expect(try await daybook.run("doctor", "--database-url", "not a url at all").exitCode == 2)

                var named = daybook
                named.environment["DAYBOOK_DATABASE_URL"] = right
                #expect(try await named.run("doctor").exitCode == 0)
                named.environment["DAYBOOK_LISTEN"] = "nonsense"
                #expect(try await named.run("serve").exitCode == 1)
                named.environment["DAYBOOK_LISTEN"] = nil
                named.environment["DAYBOOK_UPLOADS"] = "65"
                let many = try await named.run("serve", "--listen", "127.0.0.1:0")
                #expect(many.exitCode == 1 && many.standardError.contains("--uploads is a whole number, 0 to 64"))
                named.environment["DAYBOOK_UPLOADS"] = "0"
                let port = try await named.serve().stop()
                #expect(port == 0)

                let config = #"{"daybook":{"database":{"url":"\#(right)"},"listen":"127.0.0.1:0"}}"#
                let file = try daybook.write(config, to: "settings.json")
                #expect(try await daybook.run("doctor", "--config", file).exitCode == 0)
                var configured = daybook
                configured.environment["DAYBOOK_CONFIG"] = file
                #expect(try await configured.run("doctor").exitCode == 0)
                let process = try await configured.start(["serve"])
                let line = try await process.line(startingWith: "listening on ")
                #expect(!line.hasSuffix(":8080"))
                process.send(SIGTERM)
                #expect(try await process.waitForExit() == 0)

                #expect(try await daybook.run("doctor", "--config", "absent.json").exitCode == 1)
                let broken = try daybook.write("{", to: "broken.json")
                #expect(try await daybook.run("doctor", "--config", broken).exitCode == 1)
                #expect(try await daybook.run("fly").exitCode == 64)
                #expect(try await daybook.run("--help").exitCode == 0)
                let version = try await daybook.run("--version").standardOutput
                #expect(version.hasPrefix("0.1.0 (commit "), "\(version)")
            }
        }
    }

    /// Runs a shell command with standard input.
    private func pipe(_ input: String, into daybook: Daybook, _ command: String) async throws -> ChildProgram {
        let file = try daybook.write(input, to: "input-\(UUID().uuidString)")
        let process = try await daybook.start(command.split(separator: " ").map(String.init), inputFile: file)
        let code = try await process.waitForExit()
        return ChildProgram(
            exitCode: Int32(code),
            standardOutput: await process.standardOutput,
            standardError: await process.standardError
        )
    }
}
