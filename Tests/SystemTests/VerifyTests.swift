import Canonical
import DaybookTestKit
import Foundation
import Testing

/// `verify`, `export` and `import`, as users run them.
struct VerifyTests {
    private static func record(_ number: Int) -> String {
        """
        {"kind":"Spin_Response","body":{"Spin_Response":{"AuthCode":"AC\(number)","ResultCode":"0","Message":"APPROVED",\
        "HostResponseCode":"00","ExtData":{"BaseAmount":"7.50","TotalAmt":"7.50","RespCode":"00","RRN":"r\(number)",\
        "txnId":"\(number)","txnLabel":"Sale","BatchNum":"121","DateTime":"20240222173537"}}}}

        """
    }

    @Test func aLogIsExportedVerifiedImportedAndVerifiedAgain() async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            try daybook.write((1...8).map(Self.record).joined(), to: "day.ndjson")
            _ = try await daybook.json("intake", "day.ndjson", "--vendor", "dejavoo")

            let sound = try await daybook.json("verify")
            #expect(sound["sound"]?.bool == true && sound["faultCount"]?.number?.int64 == 0)
            let events = try #require(sound["events"]?.number?.int64)
            let exported = try await daybook.json("export", "-o", "log.ndjson")
            #expect(exported["count"]?.number?.int64 == events && exported["root"] == sound["root"])
            #expect(!FileManager.default.fileExists(atPath: "\(daybook.directory)/log.ndjson.partial"))
            let printed = try await daybook.run("export", "--from", "2", "--to", "3")
            let text = try String(contentsOfFile: "\(daybook.directory)/log.ndjson", encoding: .utf8)
            #expect(printed.standardOutput == text.split(separator: "\n")[1...2].map { "\($0)\n" }.joined())
            let offline = try await daybook.json("verify", "--export", "log.ndjson")
            #expect(offline["sound"]?.bool == true && offline["root"] == sound["root"])

            try daybook.write(text.replacing("APPROVED", with: "DECLINED", maxReplacements: 1), to: "forged.ndjson")
            try daybook.write(
                "log.test\n\(events)\n\(sound["root"]?.string ?? "")\n\n— log.test AAAAAAA=\n",
                to: "note"
            )
            let forged = try await daybook.run("verify", "--export", "forged.ndjson", "--checkpoint", "note")
            #expect(forged.exitCode == 2 && forged.standardOutput.contains("position \(events): root: "))
            #expect(try await daybook.run("verify", "--export", "none.ndjson").exitCode == 1)
            #expect(try await daybook.run("verify", "--from", "2").exitCode == 64)

            try await Daybook.withDatabase { other, copy in
                let path = "\(daybook.directory)/log.ndjson"
                let bad = "\(daybook.directory)/forged.ndjson"
                let refused = try await other.run("import", bad, "--checkpoint", "\(daybook.directory)/note")
                #expect(refused.exitCode == 2)
                let imported = try await other.json("import", path, "--checkpoint", "\(daybook.directory)/note")
                #expect(imported["root"] == sound["root"])
                #expect(try await other.json("verify")["root"] == sound["root"])
                #expect(try await other.run("import", path).exitCode == 1)
                #expect(try await other.run("import", path, "--continue").exitCode == 0)
            }

            try await TestDatabase.psql(
                "SET session_replication_role = replica; UPDATE ledger.events SET actor = 'x' WHERE position = 3",
                at: url
            )
            let found = try await daybook.run("verify", "--json")
            #expect(found.exitCode == 2)
            let fault = try JSONValue(parsing: found.standardOutput)["faults"]?[0]
            #expect(fault?["kind"]?.string == "record" && fault?["position"]?.number?.int64 == 3)
            #expect(try await daybook.run("verify", "--log-only").standardOutput.contains("position 3: record: "))
            #expect(try await daybook.run("export", "-o", "again.ndjson").exitCode == 2)
        }
    }

    /// With the reader role, which can change nothing; a login that is not a member of it reads as itself.
    @Test func readingCommandsUseTheReaderRole() async throws {
        try await withTestDatabase(template: .ledger) { url in
            try await Daybook.with(environment: ["DATABASE_URL": url]) { daybook in
                #expect(try await daybook.run("export").succeeded)
                #expect(try await daybook.run("verify", "--log-only").succeeded)
                try await TestDatabase.psql("REVOKE SELECT ON ledger.head FROM daybook_reader", at: url)
                for command in [["export"], ["verify", "--log-only"]] {
                    let refused = try await daybook.run(command)
                    #expect(refused.exitCode == 1 && refused.standardError.contains("42501"), "\(refused)")
                }
                let name = "plain_" + (try await TestDatabase.psql("SELECT current_database()", at: url))
                try await TestDatabase.psql("CREATE ROLE \(name) LOGIN; GRANT pg_read_all_data TO \(name)", at: url)
                var plain = daybook
                plain.environment["DATABASE_URL"] = url.replacing("user=daybook", with: "user=\(name)")
                #expect(try await plain.run("export").succeeded)
                #expect(try await plain.run("verify", "--log-only").succeeded)
                try await TestDatabase.psql("DROP OWNED BY \(name); DROP ROLE \(name)", at: url)
            }
        }
    }
}
