package import Postgres

extension PostgresPool.Options {
    /// The options of a pool in a test: a loaded machine may take minutes to give a connection, and no test depends on
    /// how long that is.
    package static var patient: Self { patient() }

    package static func patient(connections: Int = 8, waiting: Int = 1_024) -> Self {
        Self(maximumConnections: connections, maximumWaiting: waiting, acquireTimeout: .seconds(300))
    }
}
