import Canonical
import Composition
import DaybookTestKit
import Foundation
import Intake
import Matching
import Postgres
import Reconciliation
import Simulator
import Testing

/// A simulated trading day through the public API of a real server, scored against the truth.
struct SimulationTests {
    /// Card numbers, tracks, security codes and passwords that careless apps send: see `CardSecrets`.
    private static let secrets = [
        "4111111111111111", "4217651111111119", "5499740000000057", "5149612222222229", "6011000991001201",
        "371449635392376", "29121010000000000", "CVV>7391", "57!sE@3Fm",
    ]

    private static let options = [
        "--seed", "11", "--merchants", "10", "--terminals", "20", "--transactions", "400", "--days", "2", "--faults",
        "all=0.02",
    ]

    @Test func aLedgerKnowsTheTruthOfASimulationWithEveryFault() async throws {
        try await Daybook.withDatabase { daybook, _ in
            var daybook = daybook
            daybook.environment["DAYBOOK_KEY"] = try await daybook.key()
            let server = try await daybook.serve()
            let url = ["--url", "http://127.0.0.1:\(server.port)", "--json"]
            let played = try await daybook.run(
                ["simulate"] + Self.options + ["--documents", "documents.ndjson"] + url
            )
            #expect(played.exitCode == 0, "\(played)")
            let report = try JSONValue(parsing: Array(played.standardOutput.utf8))
            #expect(report["payments"]?.int64 == 400)
            #expect(report["traffic"]?["refused"]?.object?.isEmpty == true)
            #expect(report["traffic"]?["serverErrors"]?.object?.isEmpty == true)
            #expect(report["traffic"]?["documents"] == report["deliveries"])

            let scored = try await daybook.run(["simulate", "--score", "truth.ndjson", "--balances"] + url)
            #expect(scored.exitCode == 0, "\(scored)")
            let score = try JSONValue(parsing: Array(scored.standardOutput.utf8))
            #expect(score["isClean"]?.bool == true, "\(score["mismatches"]?.text ?? "")")
            expectBalances(score)
            #expect(score["status"]?["precision"]?.string == "1.0000")
            #expect(score["inDoubt"]?["recall"]?.string == "1.0000")
            #expect((score["inDoubt"]?["actual"]?.int64 ?? 0) > 0, "nothing was in doubt")

            try await expectNoSecret(daybook, server)
            try await expectPlantedErrorsAreFound(daybook, url)
            #expect(try await server.stop() == 0)
        }
    }

    /// Days in seven time zones over a change of the clocks, with every fault and what the vendors' documents make
    /// possible beside them.
    private static let hardOptions = [
        "--seed", "11", "--zones", "--from", "2025-03-07", "--merchants", "35", "--transactions", "400", "--days", "3",
        "--faults", "all=0.02", "--troubles",
        "all=0.05,ids-by-role=0.6,account-settlement=0.5,merchant-absent=0.3",
    ]

    @Test func aLedgerKnowsTheTruthOfTheHarderWorld() async throws {
        try await Daybook.withDatabase { daybook, _ in
            var daybook = daybook
            // The merchants' zones are set by a reconciler.
            let scopes = "documents,read,reconcile"
            daybook.environment["DAYBOOK_KEY"] = try await daybook.key(scopes: scopes, holder: "ann")
            let server = try await daybook.serve()
            let url = ["--url", "http://127.0.0.1:\(server.port)", "--json"]
            let played = try await daybook.run(["simulate"] + Self.hardOptions + url)
            #expect(played.exitCode == 0, "\(played)")
            let report = try JSONValue(parsing: Array(played.standardOutput.utf8))
            #expect(report["payments"]?.int64 == 400 && report["traffic"]?["documents"] == report["deliveries"])
            #expect(report["traffic"]?["serverErrors"]?.object?.isEmpty == true)

            let scored = try await daybook.run(["simulate", "--score", "truth.ndjson"] + url)
            #expect(scored.exitCode == 0, "\(scored)")
            let score = try JSONValue(parsing: Array(scored.standardOutput.utf8))
            #expect(score["isClean"]?.bool == true, "\(score["mismatches"]?.text ?? "")")
            #expect(score["status"]?["precision"] == "1.0000" && score["amounts"]?["precision"] == "1.0000")
            #expect((score["days"]?.int64 ?? 0) > 35, "\(score["days"]?.text ?? "no days")")
            let troubles = (score["groups"]?.array ?? []).filter { $0["kind"] == "trouble" }
            #expect(troubles.count > 10, "\(score["groups"]?.text ?? "")")
            #expect(try await server.stop() == 0)
        }
    }

    /// Some of the documents contain data that must not be stored; no answer returns it, nor does the log.
    private func expectNoSecret(_ daybook: Daybook, _ server: RunningServer) async throws {
        let documents = try String(contentsOfFile: daybook.directory + "/documents.ndjson", encoding: .utf8)
        #expect(Self.secrets.prefix(6).contains(where: documents.contains), "no document has a secret")
        let client = server.client(daybook.environment["DAYBOOK_KEY"])
        for path in ["/v1/transactions?limit=1000", "/v1/batches?limit=1000"] {
            let answers = try await client.all(path).map(\.text).joined()
            for secret in Self.secrets { #expect(!answers.contains(secret), "\(path) answers \(secret)") }
        }
        let exported = try await daybook.run("export", "-o", "log.ndjson")
        #expect(exported.exitCode == 0, "\(exported)")
        let log = try String(contentsOfFile: daybook.directory + "/log.ndjson", encoding: .utf8)
        #expect(log.contains("DocumentReceived"))
        for secret in Self.secrets { #expect(!log.contains(secret), "the log has \(secret)") }
    }

    /// A falsified truth: the score reports it, and so does the exit code.
    private func expectPlantedErrorsAreFound(_ daybook: Daybook, _ url: [String]) async throws {
        let truth = try String(contentsOfFile: daybook.directory + "/truth.ndjson", encoding: .utf8)
        let wrong = truth.replacing("\"status\":\"declined\"", with: "\"status\":\"captured\"", maxReplacements: 1)
        #expect(wrong != truth)
        try daybook.write(wrong, to: "wrong.ndjson")
        let scored = try await daybook.run(["simulate", "--score", "wrong.ndjson"] + url)
        #expect(scored.exitCode == 2)
        #expect(try JSONValue(parsing: Array(scored.standardOutput.utf8))["mismatchCount"]?.int64 == 1)
        try await expectAWrongCentIsFound(daybook, url)
    }

    /// A truth with another balance of sales.
    private func expectAWrongCentIsFound(_ daybook: Daybook, _ url: [String]) async throws {
        let truth = try String(contentsOfFile: daybook.directory + "/truth.ndjson", encoding: .utf8)
        var lines = truth.split(separator: "\n").map(String.init)
        let index = try #require(
            lines.lastIndex { $0.contains(#""type":"balance""#) && $0.contains(#""name":"sales""#) }
        )
        var balance = try #require(try JSONValue(parsing: Array(lines[index].utf8)).object)
        balance["amount"] = .number(.init((balance["amount"]?.int64 ?? 0) - 1))
        lines[index] = JSONValue.object(balance).text
        try daybook.write(lines.joined(separator: "\n") + "\n", to: "wrong.ndjson")
        let scored = try await daybook.run(["simulate", "--score", "wrong.ndjson", "--balances"] + url)
        #expect(scored.exitCode == 2)
        let journal = try JSONValue(parsing: Array(scored.standardOutput.utf8))["journal"]
        #expect(journal?["differenceCount"]?.int64 == 1, "\(journal?.text ?? "")")
    }

    /// Every balance is that of the truth, and money of payments in doubt is apart.
    private func expectBalances(_ score: JSONValue) {
        let journal = score["journal"]
        #expect(journal?["isClean"]?.bool == true, "\(journal?["differences"]?.text ?? "")")
        #expect(journal?["balances"]?["precision"] == "1.0000" && journal?["balances"]?["recall"] == "1.0000")
        #expect((journal?["balances"]?["actual"]?.int64 ?? 0) > 20 && journal?["inDoubt"]?.array?.isEmpty == false)
    }

    @Test func theSameOptionsGiveTheSameFiles() async throws {
        try await Daybook.with { daybook in
            for name in ["a", "b"] {
                let result = try await daybook.run(
                    ["simulate"] + Self.options + ["--documents", "\(name).docs", "--truth", "\(name).truth"]
                )
                #expect(result.exitCode == 0, "\(result)")
            }
            for kind in ["docs", "truth"] {
                let files = try ["a", "b"].map {
                    try Data(contentsOf: URL(filePath: "\(daybook.directory)/\($0).\(kind)"))
                }
                #expect(files[0] == files[1])
                #expect(files[0].count > 100_000)
            }
        }
    }

    /// The files of processors and banks, whose lines the truth names.
    @Test func statementsAreWritten() async throws {
        try await Daybook.with { daybook in
            var files: [String: [String: Data]] = [:]
            for name in ["a", "b"] {
                let result = try await daybook.run(
                    ["simulate"] + Self.options + [
                        "--statements", name, "--discrepancies", "all=0.05", "--truth", "\(name).truth", "--json",
                    ]
                )
                #expect(result.exitCode == 0, "\(result)")
                let report = try JSONValue(parsing: Array(result.standardOutput.utf8))
                #expect((report["discrepancies"]?.int64 ?? 0) > 20)
                for statement in report["statements"]?.array ?? [] {
                    let file = try #require(statement["name"]?.string)
                    let url = URL(filePath: "\(daybook.directory)/\(name)/\(file)")
                    files[name, default: [:]][file] = try Data(contentsOf: url)
                }
            }
            #expect(files["a"] == files["b"])
            let written = try FileManager.default.contentsOfDirectory(atPath: daybook.directory + "/a")
            #expect(Set(written) == files["a"].map { Set($0.keys) })
            let truth = try String(contentsOfFile: daybook.directory + "/a.truth", encoding: .utf8)
            let named = try truth.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
                .filter { $0["type"]?.string == "discrepancy" }.compactMap { $0["file"]?.string }
            #expect(!named.isEmpty && Set(named).isSubset(of: Set(written)))
        }
    }

    /// A server, and keys of two operators.
    private static func served(_ daybook: Daybook) async throws -> (daybook: Daybook, server: RunningServer) {
        var daybook = daybook
        daybook.environment["DAYBOOK_KEY"] = try await daybook.key(
            scopes: "documents,events,evidence,read,reconcile",
            holder: "ann"
        )
        daybook.environment["DAYBOOK_APPROVER_KEY"] = try await daybook.key(scopes: "reconcile", holder: "bob")
        let server = try await daybook.serve()
        return (daybook: daybook, server: server)
    }

    /// The books of a month with every fault and discrepancy, in the programs of accountants.
    @Test func accountingProgramsReadTheBooksOfAMonth() async throws {
        try await Daybook.withDatabase { daybook, _ in
            let (daybook, server) = try await Self.served(daybook)
            let month = [
                "--seed", "8", "--merchants", "10", "--terminals", "20", "--transactions", "300", "--days", "30",
                "--faults", "all=0.05", "--statements", "month", "--discrepancies", "all=0.1",
            ]
            let played = try await daybook.run(
                ["simulate"] + month + ["--reconcile", "--agree", "--json", "--url", "http://127.0.0.1:\(server.port)"]
            )
            // Other tests compare with the truth.
            #expect(played.exitCode == 0 || played.exitCode == 2, "\(played.standardError.suffix(2000))")
            let report = try JSONValue(parsing: Array(played.standardOutput.utf8))
            let payments = report["payments"]?.int64 ?? 0
            #expect(payments > 250 && report["reconciliation"] != nil, "\(payments) payments")
            #expect(try await server.stop() == 0)
            let listed = try await daybook.run("list", "trial-balance", "by=day,account", "--json")
            let days = Set(listed.standardOutput.matches(of: /"day":"([0-9-]{10})"/).map { String($0.1) })
            #expect(days.count >= 30, "\(days.sorted())")
            try await ExportChecks.run(daybook)
        }
    }

    /// A simulated day with an error of every class is played, imported and reconciled over the API: every class and
    /// every match is reported, and nothing else.
    @Test func aReconciliationKnowsTheTruthOfASimulation() async throws {
        try await Daybook.withDatabase { daybook, url in
            let (daybook, server) = try await Self.served(daybook)
            let world = [
                "--seed", "6", "--merchants", "10", "--terminals", "20", "--transactions", "600", "--days", "2",
                "--faults",
                "all=0.03", "--statements", "month", "--discrepancies",
                "all=0.07,batch-out-of-balance=0.6,unmatched-deposit=0.3,payout-differs=0.3",
            ]
            let ledger = ["--url", "http://127.0.0.1:\(server.port)"]
            let played = try await daybook.run(["simulate"] + world + ["--reconcile", "--agree", "--json"] + ledger)
            #expect(played.exitCode == 0, "\(played)")
            #expect(played.standardError.contains("importing") && played.standardError.contains("reading matches"))
            let score = try #require(try JSONValue(parsing: Array(played.standardOutput.utf8))["reconciliation"])
            #expect(score["isClean"]?.bool == true, "\(score["mismatches"]?.text ?? "")")
            let classes = score["classes"]?.object?.members ?? [:]
            // Without a calendar, no statement is missing.
            let expected = Set(ExceptionClass.allCases).subtracting([.missingStatement]).map(\.rawValue)
            #expect(Set(classes.map(\.key)) == Set(expected), "\(score["classes"]?.text ?? "")")
            let measures = classes.map(\.value) + [score["matches"] ?? [:], score["deposits"] ?? [:]]
            for measure in measures {
                #expect(measure["precision"] == "1.0000" && measure["recall"] == "1.0000")
                #expect((measure["actual"]?.int64 ?? 0) > 0, "\(measure)")
            }
            try await expectReconciledBalances(daybook, ledger)
            try await expectWrongTruthIsFound(daybook, ledger)
            #expect(try await server.stop() == 0)
            try await expectTheSameBalances(daybook)
        }
    }

    /// After statements too, every account has the balance of the truth.
    private func expectReconciledBalances(_ daybook: Daybook, _ ledger: [String]) async throws {
        let scored = try await daybook.run(
            [
                "simulate", "--score", "truth.ndjson", "--statements", "month", "--reconcile", "--balances", "--json",
            ] + ledger
        )
        #expect(scored.exitCode == 0, "\(scored)")
        expectBalances(try JSONValue(parsing: Array(scored.standardOutput.utf8)))
    }

    /// The program in ops/ computes the journal's balances from the exported log, and finds a changed one.
    private func expectTheSameBalances(_ daybook: Daybook) async throws {
        let exported = try await daybook.run("export", "-o", "log.ndjson")
        #expect(exported.exitCode == 0, "\(exported)")
        let listed = try await daybook.run("list", "trial-balance", "by=account,part", "--json")
        #expect(listed.exitCode == 0, "\(listed)")
        let balances = listed.standardOutput
        #expect(
            balances.contains("tips-payable") && balances.contains("suspense") && balances.contains("cash-in-transit")
        )
        let daily = try await daybook.run("list", "trial-balance", "by=merchant,day,account", "--json")
        #expect(daily.exitCode == 0 && daily.standardOutput.contains("\"day\""), "\(daily.standardError)")
        let wrong = balances.replacing("\"value\":", with: "\"value\":1", maxReplacements: 1)
        for (text, exitCode) in [(balances, Int32(0)), (wrong, 1), (daily.standardOutput, 0)] {
            try daybook.write(text, to: "balances.json")
            let files = ["log.ndjson", "--balances", "balances.json"].map {
                $0.hasPrefix("--") ? $0 : "\(daybook.directory)/\($0)"
            }
            let checked = try await ChildProgram.run("/usr/bin/env", ["python3", Self.checker] + files)
            #expect(checked.exitCode == exitCode, "\(checked.standardOutput.suffix(2000)) \(checked.standardError)")
        }
    }

    private static let checker = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "ops/check-journal").path()

    /// A truth with one match less and one exception more: the score reports it, and so does the exit code.
    private func expectWrongTruthIsFound(_ daybook: Daybook, _ ledger: [String]) async throws {
        let truth = try String(contentsOfFile: daybook.directory + "/truth.ndjson", encoding: .utf8)
        var lines = truth.split(separator: "\n").map(String.init)
        let match = try #require(lines.firstIndex { $0.contains(#""type":"match""#) && $0.contains(#""payment":"#) })
        lines.remove(at: match)
        lines.append(
            #"{"amount":1,"class":"late","currency":"USD","file":"adyen-none.csv","number":1,"planted":true,"type":"discrepancy"}"#
        )
        try daybook.write(lines.joined(separator: "\n") + "\n", to: "wrong.ndjson")
        let scored = try await daybook.run(
            ["simulate", "--score", "wrong.ndjson", "--statements", "month", "--reconcile"] + ledger
        )
        #expect(scored.exitCode == 2, "\(scored)")
        #expect(scored.standardOutput.contains("adyen-none.csv line 1: not raised"))
        #expect(scored.standardOutput.contains("matched wrongly") && scored.standardOutput.contains("2 mismatches"))
    }

    @Test(arguments: [
        (["--reconcile"], "--reconcile needs", 64), (["--statements", "s", "--reconcile"], "--reconcile needs", 64),
        (["--faults", "sometimes"], "--faults", 64), (["--discrepancies", "all=0.1"], "--statements", 64),
        (["--statements", "s", "--discrepancies", "of-nobody=1"], "--discrepancies", 64),
        (["--statements", "/proc/none"], "/proc/none", 1), (["--terminals", "1"], "cannot be simulated", 1),
        (["--vendors", "square"], "no vendor", 64), (["--from", "yesterday"], "--from", 64),
        (["--truth", "/nonexistent/t"], "/nonexistent", 1), (["--balances"], "--balances needs", 64),
    ])
    func impossibleSimulationsAreRefused(options: [String], says: String, exitCode: Int32) async throws {
        try await Daybook.with { daybook in
            let result = try await daybook.run(["simulate", "--documents", "day.ndjson"] + options)
            #expect(result.exitCode == exitCode)
            #expect(result.standardError.contains(says), "\(result)")
        }
    }

    @Test func anAbsentServerAndAMissingKeyAreNamed() async throws {
        try await Daybook.with { daybook in
            let keyless = try await daybook.run("simulate", "--url", "http://127.0.0.1:1")
            #expect(keyless.exitCode == 1 && keyless.standardError.contains("DAYBOOK_KEY"), "\(keyless)")
            let unreadable = try await daybook.run(
                "simulate",
                "--score",
                "none",
                "--url",
                "http://127.0.0.1:1",
                "--key",
                "k"
            )
            #expect(unreadable.exitCode == 1 && unreadable.standardError.contains("cannot be read"), "\(unreadable)")
        }
    }
}
