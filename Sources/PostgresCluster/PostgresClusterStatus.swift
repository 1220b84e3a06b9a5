/// The status of the private server, read without changing it.
package struct PostgresClusterStatus: Sendable {
    package enum State: Sendable, Hashable {
        case notInitialised
        case stopped
        case running(processID: Int)
    }

    package let state: State
    /// The directory with the cluster's files; nil before there is one.
    package let home: String?
    /// Whether the cluster is outside the data directory, because the server's account cannot enter that.
    package let isRelocated: Bool
    /// The socket clients connect to, while the server runs.
    package let socketPath: String?
    package let logPath: String?
    /// The account the server runs as.
    package let userName: String?
    /// The major release that made the cluster.
    package let dataMajorVersion: Int?
    /// The programs that would be used.
    package let installation: PostgresInstallation?
    /// The processes that use the server now, as far as they are visible.
    package let users: [Int]
    /// The problem that prevents a start, if it is already known.
    package let problem: PostgresClusterError?
}
