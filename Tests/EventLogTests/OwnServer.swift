import DaybookTestKit
import EventLog
import Postgres
import PostgresCluster

/// A private server for a test that breaks, stops or fills it.
struct OwnServer: Sendable {
    let cluster: PrivateCluster
    let lease: PostgresClusterLease

    static func with(
        _ body: @escaping @Sendable (TestLog, OwnServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory(prefix: "dbk-log") { directory in
            let options = PostgresClusterOptions(sharedBuffersMebibytes: 16, maximumConnections: 40)
            let cluster = PrivateCluster(dataDirectory: "\(directory)/daybook", options: options)
            let lease = try await cluster.start()
            do {
                let url = lease.connectionString()
                try await TestDatabase.Template.ledger.prepare(url)
                try await TestLog.with(url: url) { try await body($0, OwnServer(cluster: cluster, lease: lease)) }
                try await cluster.stop(evenIfInUse: true)
            } catch {
                try? await cluster.stop(evenIfInUse: true)
                throw error
            }
            await lease.release()
        }
    }

    /// Stops the server while it is in use, and starts it again.
    ///
    /// - Parameter change: Applied while it is stopped.
    func restart(_ change: () throws -> Void = {}) async throws {
        try await cluster.stop(evenIfInUse: true)
        try change()
        let again = try await cluster.start()
        guard again.connectionString() == lease.connectionString() else { throw TestKitError("the server has moved") }
        again.leaveRunning()
    }
}

/// Repeats a read while the server is unreachable.
func patiently<Result>(_ read: () async throws -> Result) async throws -> Result {
    while true {
        do {
            return try await read()
        } catch let error as PostgresError where error.isWorthRetrying {
            await Task.yield()
        }
    }
}
