import DaybookTestKit
import Postgres
import PostgresCluster

/// One connection to a fresh database.
func withConnection<R>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
    try await withTestDatabase { url in
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        return try await body(connection)
    }
}

/// A fresh database with two connections: one under test, one that observes and interferes.
func withObservedConnection<R>(
    _ configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (_ connection: PostgresConnection, _ observer: PostgresConnection) async throws -> R
) async throws -> R {
    try await withTestDatabase { url in
        var configuration = PostgresConfiguration(connectionString: url)
        configure(&configuration)
        let connection = try await PostgresConnection.connect(configuration)
        let observer = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        return try await body(connection, observer)
    }
}

extension PostgresConnection {
    /// Repeats the query until the server answers true. Each round is a round trip, so this is not a busy loop.
    func waitUntil(_ condition: String, _ parameters: [PostgresValue] = []) async throws {
        while true {
            try Task.checkCancellation()
            if try await query("SELECT \(condition)", parameters).single().boolOrNull(0) == true { return }
        }
    }

    /// Waits until the session of `process` waits for an event that matches `event`.
    func waitUntil(process: Int32, waitsFor event: String) async throws {
        try await waitUntil(
            "(SELECT wait_event LIKE $2 OR wait_event_type LIKE $2 FROM pg_stat_activity WHERE pid = $1)",
            [.int32(process), .text(event)]
        )
    }

    func terminate(_ process: Int32) async throws {
        let isDone = try await query("SELECT pg_terminate_backend($1)", [.int32(process)]).single().bool(0)
        if !isDone { throw TestKitError("no session \(process) to terminate") }
    }
}

/// The error that `body` throws; nil when it succeeds.
func failure<R>(_ body: () async throws -> R) async -> PostgresError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// A private server, to be stopped, started and reconfigured.
struct OwnServer {
    let cluster: PrivateCluster
    private(set) var lease: PostgresClusterLease

    static func with<R>(_ body: (inout OwnServer) async throws -> R) async throws -> R {
        try await withTemporaryDirectory { directory in
            let cluster = PrivateCluster(
                dataDirectory: directory,
                options: PostgresClusterOptions(sharedBuffersMebibytes: 16, maximumConnections: 40)
            )
            var server = OwnServer(cluster: cluster, lease: try await cluster.start())
            do {
                let result = try await body(&server)
                await server.lease.release()
                return result
            } catch {
                await server.lease.release()
                throw error
            }
        }
    }

    var configuration: PostgresConfiguration {
        PostgresConfiguration(connectionString: lease.connectionString())
    }

    func stop() async { await lease.release() }

    mutating func start() async throws { lease = try await cluster.start() }
}
