import Canonical
import DaybookTestKit
import Foundation
import Testing

/// Exports of a ledger's journal, checked by programs without the code of Daybook.
enum ExportChecks {
    private static let checker = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "ops/check-exports").path()

    /// Exports the journal in two files of each text format. They give the trial balance, a changed one is found, and
    /// the accounting programs accept them and report the same balances, to the cent.
    static func run(_ daybook: Daybook) async throws {
        let head = try #require(try await daybook.json("log")["position"]?.int64)
        let listed = try await daybook.run("list", "trial-balance", "by=account,part", "--json")
        let wrong = listed.standardOutput.replacing("\"value\":", with: "\"value\":1", maxReplacements: 1)
        try daybook.write(listed.standardOutput, to: "balances.json")
        try daybook.write(wrong, to: "wrong.json")
        for program in AccountingProgram.allCases {
            let format = program.rawValue
            let files = ["\(format).1", "\(format).2"].map { "\(daybook.directory)/\($0)" }
            for (file, through) in zip(files, [["--through", "\(head / 2)"], []]) {
                let written = try await daybook.run(
                    ["export", "journal", "--format", format, "-o", file, "--json"] + through
                )
                #expect(written.exitCode == 0, "\(written)")
                let id = try JSONValue(parsing: Array(written.standardOutput.utf8))["id"]?.string
                let again = try await daybook.run(["export", "journal", "--id", id ?? "", "-o", "\(file).again"])
                let isSame = try read(file) == read("\(file).again")
                #expect(again.exitCode == 0 && isSame, "\(again)")
            }
            for (balances, exitCode) in [("balances.json", Int32(0)), ("wrong.json", 1)] {
                try await check(files, ["--balances", "\(daybook.directory)/\(balances)"], exitCode)
            }
            let whole = "\(daybook.directory)/\(format).all"
            try (read(files[0]) + read(files[1])).write(to: URL(filePath: whole))
            if let checked = try await program.check(whole) {
                #expect(
                    checked.succeeded,
                    "\(checked.standardOutput.suffix(2000)) \(checked.standardError.suffix(2000))"
                )
            }
            if let reported = try await program.balances(whole) {
                #expect(reported.succeeded, "\(reported.standardError.suffix(2000))")
                let balances = ["--balances", "\(daybook.directory)/balances.json", "--report"]
                let wrong = reported.standardOutput + "Assets:Bank,USD,0.01\n"
                for (text, exitCode) in [(reported.standardOutput, Int32(0)), (wrong, 1)] {
                    let report = try daybook.write(text, to: "report.csv")
                    try await check(files, balances + [report], exitCode)
                }
            }
            let nothing = try await daybook.run("export", "journal", "--format", format, "-o", "none")
            #expect(nothing.exitCode == 1 && nothing.standardError.contains("nothing-to-export"), "\(nothing)")
        }
    }

    private static func check(_ files: [String], _ arguments: [String], _ exitCode: Int32) async throws {
        let checked = try await ChildProgram.run("/usr/bin/env", ["python3", checker] + files + arguments)
        #expect(checked.exitCode == exitCode, "\(checked.standardOutput.suffix(2000)) \(checked.standardError)")
    }

    private static func read(_ file: String) throws -> Data { try Data(contentsOf: URL(filePath: file)) }
}
