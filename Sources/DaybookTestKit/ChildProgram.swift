import Subprocess
import SystemPackage

/// Runs a program until it ends and collects its output, up to 1 MiB of each stream.
package struct ChildProgram: Sendable {
    package let exitCode: Int32?
    package let standardOutput: String
    package let standardError: String

    package var succeeded: Bool { exitCode == 0 }

    package init(exitCode: Int32?, standardOutput: String, standardError: String) {
        self.exitCode = exitCode
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// - Parameter environment: added to the environment of this process.
    package static func run(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> ChildProgram {
        var added: [Environment.Key: String?] = [:]
        for (name, value) in environment {
            if let key = Environment.Key(rawValue: name) { added[key] = value }
        }
        let outcome = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(added),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20)
        )
        var exitCode: Int32?
        if case .exited(let code) = outcome.terminationStatus { exitCode = code }
        return ChildProgram(
            exitCode: exitCode,
            standardOutput: outcome.standardOutput,
            standardError: outcome.standardError
        )
    }
}
