import Canonical
import DaybookTestKit
import Testing

/// The help of every command, which the argument parser wraps.
struct HelpTests {
    @Test func paragraphsHaveNoHardLineEnds() async throws {
        let help = try await Daybook.with { try await $0.run("--experimental-dump-help") }
        let root = try #require(try JSONValue(parsing: Array(help.standardOutput.utf8))["command"])
        try expect(root)
    }

    private func expect(_ command: JSONValue) throws {
        let lines = (command["discussion"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        for (line, next) in zip(lines, lines.dropFirst()) where Self.isProse(line) && Self.isProse(next) {
            let name = command["commandName"]?.string ?? ""
            Issue.record("\(name): end this line of the discussion with a backslash: \(line)")
        }
        for part in command["subcommands"]?.array ?? [] { try expect(part) }
    }

    /// Lines of examples are indented, and their heading is in capitals.
    private static func isProse(_ line: Substring) -> Bool {
        !line.isEmpty && !line.hasPrefix(" ") && line != line.uppercased()
    }

    @Test func helpFitsIntoEightyColumns() async throws {
        try await Daybook.with { daybook in
            var daybook = daybook
            daybook.environment["COLUMNS"] = "80"
            for command in [[], ["reconcile", "run"], ["proposals", "approve"], ["log", "adopt"], ["witness"]] {
                let help = try await daybook.run(["help"] + command)
                #expect(help.exitCode == 0 && help.standardOutput.contains("USAGE: daybook"), "\(help)")
                for line in help.standardOutput.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            }
        }
    }

    @Test func commandsWithoutADatabaseOfferNone() async throws {
        try await Daybook.with { daybook in
            for command in [["witness"], ["keys", "log"], ["db", "status"]] {
                let help = try await daybook.run(command + ["--help"])
                #expect(help.exitCode == 0 && !help.standardOutput.contains("database-url"), "\(help)")
            }
        }
    }
}
