import Foundation
import PackagePlugin

/// Gives a target the constant `builtCommit`. Runs `ops/commit` again when a commit is made or checked out, which Git
/// adds to the log of `HEAD`; without a repository the constant is `unknown`.
@main
struct StampCommitPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let script = root.appending(path: "ops/commit")
        let inputs = [".git/HEAD", ".git/logs/HEAD"].map { root.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
        let output = context.pluginWorkDirectoryURL.appending(path: "BuiltCommit.swift")
        return [
            .buildCommand(
                displayName: "Stamping \(target.name) with its commit",
                executable: script,
                arguments: ["--swift", output.path],
                inputFiles: [script] + inputs,
                outputFiles: [output]
            )
        ]
    }
}
