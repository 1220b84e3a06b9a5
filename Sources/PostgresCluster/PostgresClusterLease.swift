import Logging
import Synchronization

/// Keeps the private server running for this process.
///
/// Release it before the process ends; otherwise the server keeps running until the next process adopts it.
package final class PostgresClusterLease: Sendable {
    private let server: ClusterServer
    private let users: Mutex<FileLock?>

    /// The directory of the server's socket.
    package let socketDirectory: String

    init(server: ClusterServer, socketDirectory: String, users: consuming sending FileLock) {
        self.server = server
        self.socketDirectory = socketDirectory
        self.users = Mutex(users)
    }

    /// A libpq URI for the server's owner role over the Unix socket. It contains no secret.
    ///
    /// - Parameter database: nil for the one from the options.
    package func connectionString(database: String? = nil) -> String {
        let host = Self.percentEncoded(socketDirectory)
        let name = Self.percentEncoded(database ?? server.options.database)
        return "postgresql:///\(name)?host=\(host)&port=\(ServerSettings.port)&user=\(PrivateCluster.superuserName)"
    }

    /// The full path of the `psql` that belongs to the server.
    package var psqlPath: String { server.installation.psql }

    /// The arguments with which `psql` opens a database.
    package func psqlArguments(database: String? = nil) -> [String] {
        ClusterServer.connectionArguments(socketDirectory) + ["--dbname=\(database ?? server.options.database)"]
    }

    package var installation: PostgresInstallation { server.installation }

    /// Releases the lease, and stops the server if it was the last one. Releasing it again does nothing.
    ///
    /// Completes even in a cancelled task. A failure is logged and leaves the server running, which loses nothing.
    package func release() async {
        guard users.withLock({ $0 != nil }) else { return }
        await Task {
            do {
                let stopping = try await FileLock.acquire(
                    server.location.startLock,
                    .exclusive,
                    timeout: server.options.lockTimeout
                )
                giveUp()
                await server.stopUnlessUsed()
                _ = consume stopping
            } catch {
                giveUp()
                server.logger.warning("The PostgreSQL server was left running", metadata: ["error": "\(error)"])
            }
        }.value
    }

    private func giveUp() {
        _ = users.withLock { $0.take() }
    }

    /// Releases the lease and leaves the server running until `PrivateCluster.stop()`, whatever leases follow.
    package func leaveRunning() {
        do {
            try server.keepRunning()
        } catch {
            server.logger.warning("The server will stop with its last user", metadata: ["error": "\(error)"])
        }
        giveUp()
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
