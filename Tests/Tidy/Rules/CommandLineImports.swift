import Testing

/// The command line imports the other edges only to serve them: what a command computes or prints is below HTTP.
enum CommandLineImports {
    private static let folder = "Sources/daybook/"
    private static let edges: Set = ["Console", "DaybookAPI"]
    /// The files that start the server.
    static let servers: Set = ["Sources/daybook/Commands/ServeCommand.swift"]

    static func findings(in repository: Repository) -> [Finding] {
        repository.files.filter { $0.path.hasPrefix(folder) && !servers.contains($0.path) }.flatMap { file in
            file.imports.filter { edges.contains($0.text) }.map { word in
                Finding(file.path, word.line, "a command imports \(word.text): only the server needs that edge")
            }
        }
    }
}

@Suite struct CommandLineImportsTests {
    @Test func noCommandImportsAnotherEdge() async throws {
        let repository = try await Repository.ours()
        expectNone(CommandLineImports.findings(in: repository))
        #expect(CommandLineImports.servers.isSubset(of: repository.paths))
    }

    @Test func findsACommandThatImportsTheAPI() {
        let breach = "import Canonical\nprivate import DaybookAPI\nimport Console\n"
        let repository = Repository([
            "Sources/daybook/Commands/ReconcileReportCommand.swift": breach,
            "Sources/daybook/Commands/ServeCommand.swift": breach,
            "Tests/SystemTests/ReportTests.swift": breach,
        ])
        let path = "Sources/daybook/Commands/ReconcileReportCommand.swift"
        let reason = "only the server needs that edge"
        #expect(
            CommandLineImports.findings(in: repository) == [
                Finding(path, 2, "a command imports DaybookAPI: \(reason)"),
                Finding(path, 3, "a command imports Console: \(reason)"),
            ]
        )
    }
}
