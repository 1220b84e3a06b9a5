import DaybookTestKit
import Logging
import Postgres
import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A private PostgreSQL server in a temporary directory.
struct BenchServer: Sendable {
    let lease: PostgresClusterLease
    let directory: String

    /// The settings of the ledger's private server, and the shared buffers of the ceilings.
    static let sharedBuffersMebibytes = 512

    /// - Parameter directory: A directory that is kept; nil for a temporary one.
    static func with<Result>(
        directory: String?,
        _ body: (BenchServer) async throws -> Result
    ) async throws -> Result {
        if let directory { return try await with(in: directory, body) }
        return try await withTemporaryDirectory(prefix: "bench") { try await with(in: $0, body) }
    }

    private static func with<Result>(
        in directory: String,
        _ body: (BenchServer) async throws -> Result
    ) async throws -> Result {
        let cluster = PrivateCluster(
            dataDirectory: directory + "/data",
            options: PostgresClusterOptions(
                sharedBuffersMebibytes: sharedBuffersMebibytes,
                settings: [
                    "max_wal_size": "8GB", "checkpoint_timeout": "15min", "default_toast_compression": "lz4",
                    "bgwriter_delay": "10ms", "bgwriter_lru_maxpages": "1000", "bgwriter_lru_multiplier": "4",
                ]
            )
        )
        let lease = try await cluster.start()
        do {
            let result = try await body(BenchServer(lease: lease, directory: directory))
            await lease.release()
            return result
        } catch {
            await lease.release()
            throw error
        }
    }

    /// Creates an empty database, runs the body with its URL, and drops the database.
    func withDatabase<Result>(_ name: String, _ body: (String) async throws -> Result) async throws -> Result {
        try await create(name)
        do {
            let result = try await body(lease.connectionString(database: name))
            try await drop(name)
            return result
        } catch {
            try? await drop(name)
            throw error
        }
    }

    func create(_ name: String) async throws { try await statement("CREATE DATABASE \(name)") }

    func drop(_ name: String) async throws { try await statement("DROP DATABASE \(name) WITH (FORCE)") }

    func databaseExists(_ name: String) async throws -> Bool {
        let found = try await TestPsql(self).run(
            "SELECT count(*) FROM pg_database WHERE datname = '\(name)'",
            at: lease.connectionString(database: "postgres")
        )
        return found.contains("1")
    }

    private func statement(_ sql: String) async throws {
        let url = lease.connectionString(database: "postgres")
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        do {
            try await connection.execute(sql)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    /// The path of a PostgreSQL program.
    func program(_ name: String) -> String { "\(lease.installation.binaryDirectory)/\(name)" }
}

/// The service under test, in its own process.
struct BenchService: Sendable {
    let port: Int
    let key: String
    private let process: ServerProcess

    /// Serves a database while the body runs.
    ///
    /// - Returns: The result of the body, and the peak memory of the service in MiB.
    static func with<Result>(
        program: String,
        at url: String,
        arguments: [String] = [],
        _ body: (BenchService) async throws -> Result
    ) async throws -> (Result, peakMebibytes: Int) {
        let key = try await key(program, scopes: "documents,events,evidence,read", holder: "bench", at: url)
        let process = try await ServerProcess.start(
            program,
            ["serve", "--listen", "127.0.0.1:0", "--log-level", "warning", "--database-url", url] + arguments
        )
        let line = try await process.line(startingWith: "listening on ")
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else { throw LoadFailure(line) }
        let result = try await body(BenchService(port: port, key: key, process: process))
        let peak = PeakMemory.mebibytes(of: process.processID)
        process.send(SIGTERM)
        try await process.waitForExit()
        return (result, peak)
    }

    static func key(_ program: String, scopes: String, holder: String, at url: String) async throws -> String {
        let made = try await ChildProgram.run(
            program,
            [
                "keys", "create", "--tenant", "bench", "--scopes", scopes, "--holder", holder, "--database-url", url,
            ]
        )
        guard made.succeeded else { throw LoadFailure(made.standardError) }
        let key = made.standardOutput.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("dbk_") }
        guard let key else { throw LoadFailure("no key was made") }
        return String(key)
    }

    /// The body of an answer to JSON.
    ///
    /// - Throws: `LoadFailure` with the body if the request failed.
    func send(_ method: String, _ path: String, _ body: String, key: String) async throws -> String {
        let answer = try await ChildProgram.run(
            "/usr/bin/curl",
            [
                "-s", "--fail-with-body", "-X", method, "http://127.0.0.1:\(port)\(path)", "-H",
                "Authorization: Bearer \(key)", "-H", "Content-Type: application/json", "-d", body,
            ]
        )
        guard answer.succeeded else { throw LoadFailure(answer.standardOutput + answer.standardError) }
        return answer.standardOutput
    }

    /// The peak memory of the service since `restartPeak`, or since its start, in MiB.
    var peakMebibytes: Int { PeakMemory.mebibytes(of: process.processID) }

    func restartPeak() { PeakMemory.restart(process.processID) }

    /// The processor time of the service so far, in microseconds; 0 if the system does not report it.
    var processorMicroseconds: Double {
        guard let file = fopen("/proc/\(process.processID)/stat", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1024)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The fields after the name, which ends with the last parenthesis: state is field 3, utime 14.
        guard let end = line.lastIndex(of: ")") else { return 0 }
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) * 1e6 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
