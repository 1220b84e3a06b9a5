import DaybookTestKit
import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

let isRoot = geteuid() == 0

/// A small cluster in a private directory of the test.
struct ClusterFixture: Sendable {
    /// Removed after the test; other accounts may traverse it.
    let root: String
    var dataDirectory: String { "\(root)/daybook" }
    var home: String { "\(dataDirectory)/postgres" }

    /// Runs a test with a fixture, and stops any server it left running.
    static func with(mode: mode_t = 0o711, _ body: (ClusterFixture) async throws -> Void) async throws {
        try await withTemporaryDirectory(prefix: "dbk-pg", mode: mode) { path in
            let fixture = ClusterFixture(root: path)
            do {
                try await body(fixture)
                try await fixture.cluster().stop(evenIfInUse: true)
            } catch {
                try? await fixture.cluster().stop(evenIfInUse: true)
                throw error
            }
        }
    }

    func options(_ change: (inout PostgresClusterOptions) -> Void = { _ in }) -> PostgresClusterOptions {
        var options = PostgresClusterOptions(sharedBuffersMebibytes: 16, maximumConnections: 20)
        options.sharedStateDirectory = "\(root)/shared"
        options.stopTimeout = .seconds(5)
        change(&options)
        return options
    }

    func cluster(
        in directory: String? = nil,
        _ change: (inout PostgresClusterOptions) -> Void = { _ in }
    ) -> PrivateCluster {
        PrivateCluster(dataDirectory: directory ?? dataDirectory, options: options(change))
    }

    /// The process id of the running server, nil when there is none.
    func serverProcessID() async -> Int? {
        guard case .running(let processID) = await cluster().status().state else { return nil }
        return processID
    }

    /// Kills the server with SIGKILL.
    func killServer() async throws {
        guard let processID = await serverProcessID() else { throw TestKitError("No server is running") }
        guard kill(pid_t(processID), SIGKILL) == 0 else { throw TestKitError("The server could not be killed") }
    }

    /// Starts a process that uses the cluster; it is ready when this returns.
    func startProbe(
        in directory: String? = nil,
        environment: [String: String?] = [:],
        through launcher: [String] = []
    ) async throws -> ServerProcess {
        let command = try launcher + [ServerProcess.builtProduct("cluster-probe"), directory ?? dataDirectory]
        let probe = try await ServerProcess.start(
            command[0],
            Array(command.dropFirst()),
            environment: environment,
            workingDirectory: "/"
        )
        return probe
    }

    /// Runs a long-lived process under the server's account, so that it could be mistaken for a server.
    func startBystander() async throws -> ServerProcess {
        let sleep = ["/bin/sh", "-c", "echo here; exec sleep 1000"]
        let name = await cluster().status().userName ?? "nobody"
        let command = isRoot ? ["/usr/bin/setpriv", "--reuid=\(name)", "--regid=0", "--clear-groups"] + sleep : sleep
        let bystander = try await ServerProcess.start(command[0], Array(command.dropFirst()))
        try await bystander.line(startingWith: "here")
        return bystander
    }
}

/// Writes a shell script.
func writeScript(_ path: String, _ lines: String) async throws {
    try await shell("printf '%s\\n' '#!/bin/sh' \"$2\" > \"$1\" && chmod 755 \"$1\"", path, lines)
}

@discardableResult
func shell(_ script: String, _ arguments: String...) async throws -> String {
    let result = try await ChildProgram.run("/bin/sh", ["-ec", script, "sh"] + arguments)
    guard result.succeeded else { throw TestKitError("\(script): \(result.standardError)") }
    return String(result.standardOutput.reversed().drop { $0.isNewline }.reversed())
}

extension PostgresClusterLease {
    /// The output of `psql` for a statement.
    @discardableResult
    func sql(_ statement: String, database: String? = nil) async throws -> String {
        let result = try await ChildProgram.run(
            psqlPath,
            ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--no-password", "--command=\(statement)"]
                + psqlArguments(database: database)
        )
        guard result.succeeded else { throw TestKitError(result.standardError) }
        return String(result.standardOutput.reversed().drop { $0.isNewline }.reversed())
    }
}
