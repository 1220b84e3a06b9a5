package import Canonical
import Foundation

/// The built `daybook`, run as users run it: in a directory, with arguments, and with only those environment variables
/// that the test sets.
package struct Daybook: Sendable {
    package let directory: String
    package var environment: [String: String]
    /// The program; nil for the one built together with the tests.
    package var program: String?

    package init(directory: String, environment: [String: String] = [:], program: String? = nil) {
        self.directory = directory
        self.environment = environment
        self.program = program
    }

    private func binary() throws -> String { try program ?? ServerProcess.builtProduct("daybook") }

    private static let variables = [
        "DATABASE_URL", "DAYBOOK_DATABASE_URL", "DAYBOOK_DATA_DIR", "DAYBOOK_CONFIG", "DAYBOOK_LISTEN",
        "DAYBOOK_LOG_KEY", "DAYBOOK_WITNESS_FILE", "DAYBOOK_WITNESS_URL", "DAYBOOK_WITNESS_KEY",
    ]

    /// Runs a command to its end.
    package func run(_ arguments: String...) async throws -> ChildProgram { try await run(arguments) }

    package func run(_ arguments: [String]) async throws -> ChildProgram {
        let binary = try self.binary()
        let cleaning = Self.variables.flatMap { ["-u", $0] } + environment.map { "\($0.key)=\($0.value)" }
        return try await ChildProgram.run("/usr/bin/env", ["-C", directory] + cleaning + [binary] + arguments)
    }

    /// Runs a command with `--json` that has to succeed.
    ///
    /// - Throws: `TestKitError` with its output when it fails; `JSONParseError` when the output is not one document.
    package func json(_ arguments: String...) async throws -> JSONValue {
        let result = try await run(arguments + ["--json"])
        guard result.succeeded else { throw TestKitError("\(arguments): \(result)") }
        return try JSONValue(parsing: Array(result.standardOutput.utf8))
    }

    /// A new key for a tenant.
    package func key(
        tenant: String = "acme",
        scopes: String = "documents,events,evidence,read",
        holder: String? = nil
    ) async throws -> String {
        let person = holder.map { ["--holder", $0] } ?? []
        let result = try await run(["keys", "create", "--tenant", tenant, "--scopes", scopes] + person)
        guard result.succeeded else { throw TestKitError("keys create: \(result)") }
        return result.standardOutput.filter { !$0.isWhitespace }
    }

    /// Starts a command that runs until it is stopped.
    ///
    /// - Parameters:
    ///   - inputFile: Its standard input.
    ///   - errorFile: The file its standard error is appended to, if that is more than a test should hold in memory.
    package func start(
        _ arguments: [String],
        inputFile: String = "/dev/null",
        errorFile: String = "/dev/stderr"
    ) async throws -> ServerProcess {
        let binary = try self.binary()
        var changes: [String: String?] = [:]
        for name in Self.variables { changes.updateValue(nil, forKey: name) }
        for (name, value) in environment { changes.updateValue(value, forKey: name) }
        return try await ServerProcess.start(
            "/bin/sh",
            ["-c", "exec \"$@\" <\"$DBK_IN\" 2>>\"$DBK_ERR\"", "sh", binary] + arguments,
            environment: changes.merging(["DBK_IN": inputFile, "DBK_ERR": errorFile]) { $1 },
            workingDirectory: directory
        )
    }

    /// Starts `serve` and waits until it listens.
    ///
    /// - Parameter port: 0 lets the system choose.
    package func serve(port: Int = 0, logLevel: String = "error", errorFile: String = "/dev/stderr") async throws
        -> RunningServer
    {
        let process = try await start(
            ["serve", "--listen", "127.0.0.1:\(port)", "--log-level", logLevel],
            errorFile: errorFile
        )
        let line = try await process.line(startingWith: "listening on http://127.0.0.1:")
        guard let colon = line.lastIndex(of: ":"), let port = Int(line[line.index(after: colon)...]) else {
            throw TestKitError("no port in \(line)")
        }
        return RunningServer(process: process, port: port)
    }

    /// Writes a file into the directory.
    ///
    /// - Returns: Its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let path = "\(directory)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Runs a test on a fresh database of the test server.
    package static func withDatabase<Result>(_ body: (Daybook, _ url: String) async throws -> Result) async throws
        -> Result
    {
        try await withTestDatabase { url in
            try await with(environment: ["DATABASE_URL": url]) { try await body($0, url) }
        }
    }

    /// Runs a test in a new directory, and stops any private server it left.
    package static func with<Result>(
        environment: [String: String] = [:],
        _ body: (Daybook) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory(prefix: "dbk-sys") { path in
            let daybook = Daybook(directory: path, environment: environment)
            do {
                let result = try await body(daybook)
                try await daybook.stopDatabases()
                return result
            } catch {
                try? await daybook.stopDatabases()
                throw error
            }
        }
    }

    private func stopDatabases() async throws {
        guard environment["DATABASE_URL"] == nil else { return }
        for data in [".daybook", ".daybook/demo"] {
            _ = try await run("db", "stop", "--force", "--data-dir", data)
        }
    }
}

/// A `serve` that listens.
package struct RunningServer: Sendable {
    package let process: ServerProcess
    package let port: Int

    /// Sends SIGTERM and waits for the exit.
    ///
    /// - Returns: Its exit code.
    package func stop() async throws -> Int {
        process.send(15)
        return try await process.waitForExit()
    }

    package func client(_ key: String?) -> APIClient { APIClient(port: port, key: key) }
}
