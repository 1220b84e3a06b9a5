import Subprocess
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs the server's programs, and the few others needed, as the account that owns the cluster.
struct ServerTool: Sendable {
    struct Result: Sendable {
        let status: TerminationStatus
        let standardOutput: String
        let standardError: String

        var succeeded: Bool { status.isSuccess }
        /// Both outputs, for an error message.
        var output: String { standardOutput + standardError }
    }

    /// Far above the output of any of these programs; a program that prints more is broken and is ended.
    private static let outputLimitBytes = 256 * 1024
    private static let setpriv = "/usr/bin/setpriv"

    /// nil for this process's own account.
    let account: ServerAccount?

    /// Runs a program until it ends, in a clean environment.
    ///
    /// The child gets a separate session, so that Ctrl-C in the terminal reaches this process only. When the task is
    /// cancelled or the time is up, the child is asked to end and then killed.
    ///
    /// - Parameter workingDirectory: by default the root directory, because the account may not be able to enter ours.
    /// - Throws: `PostgresClusterError` with code `toolFailed` when it cannot be run or is too slow;
    ///   `CancellationError`.
    func run(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        workingDirectory: String = "/",
        timeout: Duration = .seconds(120)
    ) async throws -> Result {
        try Task.checkCancellation()
        let configuration = configuration(executable, arguments, environment, workingDirectory)
        let result = try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                let outcome = try await Subprocess.run(
                    configuration,
                    output: .string(limit: Self.outputLimitBytes),
                    error: .string(limit: Self.outputLimitBytes)
                )
                return Result(
                    status: outcome.terminationStatus,
                    standardOutput: outcome.standardOutput,
                    standardError: outcome.standardError
                )
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            do {
                return try await group.next() ?? nil
            } catch let error as SubprocessError {
                throw PostgresClusterError(
                    .toolFailed,
                    "Could not run \(executable)",
                    hint: "Check that the program exists and that \(account?.name ?? "this user") may run it.",
                    output: error.description
                )
            }
        }
        try Task.checkCancellation()
        guard let result else {
            throw PostgresClusterError(
                .toolFailed,
                "\(executable) did not end within \(timeout)",
                hint: "Check the machine's load and disk, then try again."
            )
        }
        return result
    }

    private func configuration(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ workingDirectory: String
    ) -> Configuration {
        var platform = PlatformOptions()
        platform.createSession = true
        platform.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))]
        // swift-subprocess could switch the account itself, but version 1.0.2 then forks with a raw system call and
        // uses glibc's setgroups and setuid in the child, which wait for threads that do not exist there: occasionally
        // the child hangs forever, and with it every later spawn. `setpriv` (Debian: util-linux, always installed)
        // switches in a separate process.
        var command = [executable] + arguments
        if let account, account.isDropped {
            command =
                [
                    Self.setpriv, "--reuid=\(account.userID)", "--regid=\(account.groupID)", "--clear-groups",
                    "--inh-caps=-all", "--",
                ] + command
        }
        // Not inherited: variables such as PGOPTIONS or LC_MESSAGES would change what the programs do and print.
        var variables: [Environment.Key: String] = ["LC_ALL": "C", "TZ": "UTC"]
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let value = getenv(name), let key = Environment.Key(rawValue: name) {
                variables[key] = String(cString: value)
            }
        }
        for (name, value) in environment {
            if let key = Environment.Key(rawValue: name) { variables[key] = value }
        }
        return Configuration(
            executable: .path(FilePath(command[0])),
            arguments: Arguments(Array(command.dropFirst())),
            environment: .custom(variables),
            workingDirectory: FilePath(workingDirectory),
            platformOptions: platform
        )
    }
}
