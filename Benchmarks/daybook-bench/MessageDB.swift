import BenchReport
import DaybookTestKit
import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// message-db, a message store of SQL functions, called over libpq. Its SQL is not part of this repository.
struct MessageDB: Sendable {
    /// The directory of its `install.sh`.
    let directory: String

    /// message-db serialises the writes of a category: the part of a stream's name before the hyphen.
    enum Categories: String, CaseIterable, Sendable {
        case one = "one category"
        case oneEach = "a category each"
    }

    static func missing(in peers: String) -> String {
        "\(peers)/message-db/database/install.sh does not exist: --peers names the directory with message-db 1.3"
    }

    /// - Returns: nil if it is not in this directory.
    static func find(in peers: String) -> MessageDB? {
        let directory = peers + "/message-db/database"
        return access(directory + "/install.sh", R_OK) == 0 ? MessageDB(directory: directory) : nil
    }

    /// Writes one event a transaction, each in a new stream.
    func write(
        clients: Int,
        categories: Categories,
        seconds: Double,
        on server: BenchServer
    ) async throws -> PgbenchReport {
        let category = categories == .one ? "'bench-'" : "'bench' || :client_id || '-'"
        let script = "\\set stream random(1, \(Int64.max))\n" + Self.call("\(category) || :stream", version: -1)
        return try await run(script, clients: clients, seconds: seconds, on: server)
    }

    /// Writes events in one transaction that is sent at once: five in a stream, like `BenchItems`.
    ///
    /// - Parameter count: A multiple of five.
    func writeTogether(_ count: Int, seconds: Double, on server: BenchServer) async throws -> PgbenchReport {
        let streams = 0..<count / 5
        let names = streams.map { "\\set stream\($0) random(1, \(Int64.max))\n" }
        let calls = streams.flatMap { stream in
            (-1...3).map { Self.call("'bench-' || :stream\(stream)", version: $0) }
        }
        let script = names.joined() + "\\startpipeline\nBEGIN;\n" + calls.joined() + "COMMIT;\n\\endpipeline\n"
        return try await run(script, clients: 1, seconds: seconds, on: server)
    }

    private static func call(_ stream: String, version: Int) -> String {
        "SELECT write_message(gen_random_uuid()::varchar, (\(stream))::varchar, 'Measured', :data, NULL, \(version));\n"
    }

    private func run(
        _ script: String,
        clients: Int,
        seconds: Double,
        on server: BenchServer
    ) async throws -> PgbenchReport {
        try await server.withDatabase("message_store") { url in
            let path = getenv("PATH").map { String(cString: $0) } ?? ""
            let installed = try await ChildProgram.run(
                "/bin/bash",
                [directory + "/install.sh"],
                environment: [
                    "PATH": "\(server.lease.installation.binaryDirectory):\(path)",
                    "PGHOST": server.lease.socketDirectory, "PGUSER": PrivateCluster.superuserName,
                    "DATABASE_NAME": "message_store", "CREATE_DATABASE": "off",
                ]
            )
            guard installed.succeeded else { throw LoadFailure(installed.standardError) }
            try await TestPsql(server).run(
                "ALTER DATABASE message_store SET search_path = message_store, public",
                at: url
            )
            let report = try await Pgbench(server: server).run(
                script,
                variables: ["data": BenchPayload.text(number: "0")],
                at: url,
                clients: clients,
                seconds: seconds
            )
            let written = try await TestPsql(server).run("SELECT count(*) FROM messages", at: url)
            guard Int(written.filter(\.isNumber)) ?? 0 > 0 else { throw LoadFailure("message-db has no messages") }
            return report
        }
    }
}
