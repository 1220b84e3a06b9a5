import Canonical
import DaybookTestKit

/// The commands of the built program, each by the words that select it.
enum CommandTree {
    static func commands(of daybook: Daybook) async throws -> [[String]] {
        let help = try await daybook.run("--experimental-dump-help")
        let json = try JSONValue(parsing: Array(help.standardOutput.utf8))
        guard let root = json["command"] else { throw TestKitError("\(help)") }
        return leaves(of: root, [])
    }

    private static func leaves(of command: JSONValue, _ path: [String]) -> [[String]] {
        let parts = (command["subcommands"]?.array ?? []).filter { $0["commandName"] != "help" }
        if parts.isEmpty { return [path] }
        return parts.flatMap { leaves(of: $0, path + [$0["commandName"]?.string ?? ""]) }
    }
}
