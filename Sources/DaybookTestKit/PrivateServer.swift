package import PostgresCluster

/// A private PostgreSQL for one test, so that it can be killed.
package enum PrivateServer {
    package static func with<Result>(
        sharedBuffersMebibytes: Int = 64,
        _ body: (PrivateCluster, _ url: String) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory(prefix: "dbk-crash") { directory in
            let cluster = PrivateCluster(
                dataDirectory: directory,
                options: PostgresClusterOptions(sharedBuffersMebibytes: sharedBuffersMebibytes, maximumConnections: 100)
            )
            let lease = try await cluster.start()
            do {
                let result = try await body(cluster, lease.connectionString())
                await lease.release()
                return result
            } catch {
                await lease.release()
                throw error
            }
        }
    }
}
