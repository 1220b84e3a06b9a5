package import Logging

/// The private PostgreSQL server of one data directory.
///
/// Any number of processes may use it at once. Each takes a lease; the first one starts the server and the last one
/// stops it. A process that dies without releasing its lease blocks no other: its locks end with it, and the next
/// process adopts a server it left running.
///
/// Two lock files implement this. `start.lock` in the data directory is held exclusively while the server is made,
/// started or stopped. The users' lock beside the cluster's home is held shared for as long as a lease lasts.
package struct PrivateCluster: Sendable {
    /// The role that owns everything in the cluster; a user who can open the socket needs no password.
    package static let superuserName = "daybook"

    package let dataDirectory: String
    package let options: PostgresClusterOptions
    let logger: Logger

    /// Describes the server; reads and creates nothing yet.
    ///
    /// - Parameter dataDirectory: created if missing. A relative path is taken from the working directory.
    package init(
        dataDirectory: String = ".daybook",
        options: PostgresClusterOptions = PostgresClusterOptions(),
        logger: Logger = Logger(label: "daybook.cluster", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.dataDirectory = dataDirectory
        self.options = options
        self.logger = logger
    }

    /// Makes the cluster and starts the server if necessary, and keeps it running until the lease is released.
    ///
    /// - Throws: `PostgresClusterError`; `CancellationError`, and then a server that was started is stopped again.
    package func start() async throws -> PostgresClusterLease {
        try options.validate()
        let directory = try makeDataDirectory()
        let starting = try await FileLock.acquire(
            ClusterLocation.startLock(in: directory),
            .exclusive,
            timeout: options.lockTimeout
        )
        let location: ClusterLocation
        if let existing = try ClusterLocation.existing(in: directory, options: options) {
            location = existing
        } else {
            location = try await ClusterLocation.choose(in: directory, options: options)
        }
        if location.isRelocated {
            logger.notice(
                "The PostgreSQL cluster lives outside the data directory, which its account cannot enter",
                metadata: ["home": "\(location.home)", "user": "\(location.account.name)"]
            )
        }
        let installation = try await PostgresInstallation.find(
            binaryDirectory: options.binaryDirectory,
            majorVersion: location.majorVersion
        )
        let server = ClusterServer(
            location: location,
            installation: installation,
            options: options,
            logger: logger
        )
        try await server.initialise()

        let wasRunning = Postmaster.running(on: location.data) != nil
        let socketDirectory: String
        let users: FileLock
        do {
            socketDirectory = try await server.ensureRunning()
            try await server.createDatabase(socketDirectory)
            users = try await FileLock.acquire(location.usersLock, .shared, timeout: options.lockTimeout)
        } catch {
            if !wasRunning { await server.stopUnlessUsed() }
            throw error
        }
        _ = consume starting
        return PostgresClusterLease(server: server, socketDirectory: socketDirectory, users: users)
    }

    /// Stops the server, including one that `PostgresClusterLease.leaveRunning()` left running. Does nothing when it is
    /// not running.
    ///
    /// - Parameter evenIfInUse: stops it even when other processes hold leases; their connections break.
    /// - Throws: `PostgresClusterError`, with code `inUse` when others hold leases; `CancellationError`.
    package func stop(evenIfInUse: Bool = false) async throws {
        guard PrivateFiles.exists(dataDirectory) else { return }
        let directory = try PrivateFiles.resolved(dataDirectory)
        let starting = try await FileLock.acquire(
            ClusterLocation.startLock(in: directory),
            .exclusive,
            timeout: options.lockTimeout
        )
        guard let location = try ClusterLocation.existing(in: directory, options: options),
            Postmaster.running(on: location.data) != nil
        else { return }
        let users = try FileLock.tryAcquire(location.usersLock, .exclusive)
        if users == nil, !evenIfInUse {
            let holders = FileLock.describe(FileLock.holders(of: location.usersLock))
            throw PostgresClusterError(
                .inUse,
                "The server is in use by other processes\(holders)",
                hint: "End them first; the last one to leave stops the server."
            )
        }
        let installation = try await PostgresInstallation.find(
            binaryDirectory: options.binaryDirectory,
            majorVersion: location.majorVersion
        )
        try await ClusterServer(location: location, installation: installation, options: options, logger: logger)
            .stop()
        _ = consume users
        _ = consume starting
    }

    /// Reads the server's status without changing anything. Never fails: problems are part of the answer.
    package func status() async -> PostgresClusterStatus {
        var problem: PostgresClusterError?
        var location: ClusterLocation?
        do throws(PostgresClusterError) {
            if PrivateFiles.exists(dataDirectory) {
                location = try ClusterLocation.existing(
                    in: PrivateFiles.resolved(dataDirectory),
                    options: options
                )
            }
        } catch {
            problem = error
        }
        var installation: PostgresInstallation?
        do {
            installation = try await PostgresInstallation.find(
                binaryDirectory: options.binaryDirectory,
                majorVersion: location?.majorVersion
            )
        } catch let error as PostgresClusterError {
            problem = problem ?? error
        } catch {
            // Only a cancelled task gets here, and its caller no longer needs the answer.
        }
        let postmaster = location.flatMap { Postmaster.running(on: $0.data) }
        let state: PostgresClusterStatus.State
        if let postmaster {
            state = .running(processID: Int(postmaster.processID))
        } else {
            state = location?.identity.isInitialised == true ? .stopped : .notInitialised
        }
        if let location, location.identity.isInitialised, !location.hasData, problem == nil {
            problem = ClusterServer.dataMissing(location)
        }
        return PostgresClusterStatus(
            state: state,
            home: location?.home,
            isRelocated: location?.isRelocated ?? false,
            socketPath: postmaster?.socketDirectory.map(SocketDirectory.socketName(in:)),
            logPath: location?.log,
            userName: location?.account.name,
            dataMajorVersion: location?.majorVersion,
            installation: installation,
            users: location.map { FileLock.holders(of: $0.usersLock) } ?? [],
            problem: problem
        )
    }

    /// Created by root, the directory can be traversed though not listed, so that the server's account can reach its
    /// cluster inside it.
    private func makeDataDirectory() throws(PostgresClusterError) -> String {
        if !PrivateFiles.exists(dataDirectory) {
            try PrivateFiles.makeDirectories(dataDirectory, mode: ServerAccount.isRoot ? 0o711 : 0o700)
        }
        return try PrivateFiles.resolved(dataDirectory)
    }
}
