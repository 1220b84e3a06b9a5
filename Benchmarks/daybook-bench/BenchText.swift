import DaybookTestKit
import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `psql` on the benchmark's server.
struct TestPsql {
    let server: BenchServer

    init(_ server: BenchServer) { self.server = server }

    /// - Parameter file: Receives the rows, which are not returned then.
    @discardableResult
    func run(_ sql: String, at url: String, to file: String? = nil) async throws -> String {
        let result = try await ChildProgram.run(
            server.program("psql"),
            ["--no-psqlrc", "-qtAX", "--set=ON_ERROR_STOP=1", "--command=\(sql)", "--dbname=\(url)"]
                + (file.map { ["--output=\($0)"] } ?? [])
        )
        guard result.succeeded else { throw LoadFailure(result.standardError) }
        return result.standardOutput
    }
}

func writeText(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw LoadFailure("\(path) cannot be written") }
    defer { fclose(file) }
    fputs(text, file)
}

/// The number and model of the processors, and the version of PostgreSQL.
func machine(_ server: BenchServer) async throws -> String {
    var cores = 0
    var model = ""
    if let file = fopen("/proc/cpuinfo", "r") {
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if line.hasPrefix("processor") { cores += 1 }
            if line.hasPrefix("model name") { model = String(line.drop { $0 != ":" }.dropFirst(2).dropLast()) }
        }
    }
    let version = try await TestPsql(server).run(
        "SHOW server_version",
        at: server.lease.connectionString(database: "postgres")
    )
    return "\(cores) cores \(model), PostgreSQL \(version.prefix { !$0.isWhitespace })"
}
