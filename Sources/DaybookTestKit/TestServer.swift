import Postgres
import PostgresCluster
import Subprocess
import SystemPackage

/// The one server of this test process.
actor TestServer {
    static let shared = TestServer()

    private var starting: Task<PostgresClusterLease, any Error>?
    private var templates: [String: Task<String, any Error>] = [:]
    private var databaseCount = 0
    /// For making and dropping databases: a `psql` for each would take longer than the databases.
    private var pool: PostgresPool?

    func server() async throws -> PostgresClusterLease {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    func makeDatabase(template: TestDatabase.Template?) async throws -> TestDatabase.Lease {
        let server = try await server()
        let source = if let template { try await prepared(template, on: server) } else { "template0" }
        let name = nextName("test")
        let statements = ["CREATE DATABASE \(name) TEMPLATE \(source)", template?.onCopy?(name)]
        try await execute(statements.compactMap(\.self), on: server)
        return TestDatabase.Lease(name: name, url: server.connectionString(database: name))
    }

    func dropDatabase(_ name: String) async throws {
        try await execute(["DROP DATABASE \(name) WITH (FORCE)"], on: try await server())
    }

    private func prepared(_ template: TestDatabase.Template, on server: PostgresClusterLease) async throws -> String {
        if let preparing = templates[template.name] { return try await preparing.value }
        let name = nextName("template")
        let task = Task {
            try await execute(["CREATE DATABASE \(name) TEMPLATE template0"], on: server)
            try await template.prepare(server.connectionString(database: name))
            return name
        }
        templates[template.name] = task
        return try await task.value
    }

    private func nextName(_ kind: String) -> String {
        databaseCount += 1
        return "\(kind)_\(databaseCount)"
    }

    /// Runs the statements one after the other, each in its own transaction.
    private func execute(_ statements: [String], on server: PostgresClusterLease) async throws {
        let pool = pool(of: server)
        for statement in statements {
            do {
                _ = try await pool.execute(statement)
            } catch {
                throw TestKitError("\(statement): \(error)")
            }
        }
    }

    private func pool(of server: PostgresClusterLease) -> PostgresPool {
        if let pool { return pool }
        var configuration = PostgresConfiguration(connectionString: server.connectionString(database: "postgres"))
        configuration.statementTimeout = .zero
        let options = PostgresPool.Options(maximumConnections: 4, acquireTimeout: .seconds(300))
        let made = PostgresPool(configuration, options: options)
        pool = made
        // It ends with the process.
        Task.detached { await made.run() }
        return made
    }

    private static func start() async throws -> PostgresClusterLease {
        // Most of the time of a small test is spent on the files of its database.
        let directory = try TemporaryDirectory(prefix: "dbk-test", in: TemporaryDirectory.inMemory)
        let cluster = PrivateCluster(
            dataDirectory: directory.path,
            options: PostgresClusterOptions(
                sharedBuffersMebibytes: 32,
                maximumConnections: 400,
                settings: ["min_wal_size": "32MB", "max_wal_size": "256MB", "autovacuum_naptime": "60"]
            )
        )
        let lease = try await cluster.start()
        try await watch(directory.path)
        return lease
    }

    /// Leaves a watcher running that waits for this process to end, in whatever way, and then removes the server. The
    /// kernel signals the end: the lease's lock is free once no process holds it.
    private static func watch(_ directory: String) async throws {
        let script = """
            data="$1/postgres/data"
            pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
                while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
            fi
            rm -rf -- "$1"
            """
        var platform = PlatformOptions()
        platform.createSession = true
        let configuration = Configuration(
            executable: .name("flock"),
            arguments: ["\(directory)/postgres.users.lock", "/bin/sh", "-c", script, "sh", directory],
            workingDirectory: "/",
            platformOptions: platform
        )
        // Never awaited: it outlives this process.
        Task.detached {
            do {
                _ = try await Subprocess.run(configuration, output: .discarded, error: .discarded)
            } catch {
                print("The test server in \(directory) will be left behind: \(error)")
            }
        }
    }
}
