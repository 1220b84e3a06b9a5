import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes, starts and stops the server of one cluster. Callers hold the start lock.
struct ClusterServer: Sendable {
    let location: ClusterLocation
    let installation: PostgresInstallation
    let options: PostgresClusterOptions
    let logger: Logger

    var tool: ServerTool { ServerTool(account: location.account) }

    static func dataMissing(_ location: ClusterLocation) -> PostgresClusterError {
        PostgresClusterError(
            .dataMissing,
            "The cluster made earlier in \(location.data) is gone or incomplete",
            hint: "Restore it from a backup. To begin with an empty one, move \(ClusterIdentity.fileName) and the "
                + "cluster's directory away."
        )
    }

    // MARK: Making

    /// Makes the cluster unless it exists.
    ///
    /// It is made beside its final place and moved there once it is complete and on disk (`initdb` syncs what it
    /// writes), so that an incomplete cluster is never taken for a complete one.
    func initialise() async throws {
        guard !location.identity.isInitialised else {
            guard location.hasData else { throw Self.dataMissing(location) }
            try await checkAccess()
            return
        }
        try PrivateFiles.makePrivateDirectory(location.home, for: location.account)
        try await checkAccess()
        if !location.hasData {
            try await removeLeftovers()
            guard !PrivateFiles.exists(location.data) else {
                throw PostgresClusterError(
                    .foreignDirectory,
                    "\(location.data) is in the way and is not a cluster",
                    hint: "Move it away and start again."
                )
            }
            try await initdb()
        }
        var identity = location.identity
        identity.isInitialised = true
        try identity.write(to: location.dataDirectory)
    }

    private func initdb() async throws {
        logger.info("Making the PostgreSQL cluster", metadata: ["home": "\(location.home)"])
        let temporary = "\(location.home)/\(Self.temporaryPrefix)\(ClusterIdentity.randomID())"
        let result = try await tool.run(
            installation.initdb,
            [
                "--pgdata=\(temporary)", "--username=\(PrivateCluster.superuserName)", "--encoding=UTF8",
                "--locale=C", "--data-checksums", "--auth-local=trust", "--auth-host=reject", "--no-instructions",
            ],
            timeout: .seconds(180)
        )
        guard result.succeeded else {
            throw PostgresClusterError(
                .initialisationFailed,
                "PostgreSQL could not make a cluster in \(location.home)",
                hint: "Check free space and permissions there, then start again; nothing has to be cleaned up.",
                output: result.output
            )
        }
        try PrivateFiles.move(temporary, to: location.data, in: location.home)
    }

    private static let temporaryPrefix = "data.incomplete-"

    /// Removes what a killed initialisation left behind. Its directory name is never used again, so no harm is done if
    /// that initialisation is in fact still running or the removal fails.
    private func removeLeftovers() async throws {
        let leftovers = PrivateFiles.names(in: location.home).filter { $0.hasPrefix(Self.temporaryPrefix) }
        guard !leftovers.isEmpty else { return }
        logger.notice("Removing an incomplete PostgreSQL cluster", metadata: ["home": "\(location.home)"])
        let result = try await tool.run(
            "/bin/rm",
            ["-rf", "--"] + leftovers.map { "\(location.home)/\($0)" },
            timeout: .seconds(60)
        )
        if !result.succeeded { logger.warning("An incomplete PostgreSQL cluster could not be removed") }
    }

    private func checkAccess() async throws {
        guard try await ClusterLocation.canEnter(location.home, location.account) else {
            throw PostgresClusterError(
                .locationNotAccessible,
                "The user \(location.account.name) cannot enter \(location.home)",
                hint: "Let that user pass through the directories above it (chmod o+x)."
            )
        }
    }

    // MARK: Starting

    /// Starts the server, or adopts a running one with the right settings, and waits until it answers.
    ///
    /// - Returns: the directory of its socket.
    func ensureRunning() async throws -> String {
        var backOff = BackOff(limit: options.startTimeout)
        var lastOutput: String?
        repeat {
            if let postmaster = Postmaster.running(on: location.data) {
                if postmaster.state == .stopping {
                    try await stop()
                } else if postmaster.state == .ready, let socketDirectory = postmaster.socketDirectory {
                    // It may be recovering from the crash of a session, and answer in a moment.
                    lastOutput = try await checkSettings(socketDirectory)
                    if lastOutput == nil { return socketDirectory }
                }
            } else {
                let socketDirectory = try SocketDirectory.make(for: location)
                guard !SocketDirectory.isAnswered(socketDirectory) else {
                    throw PostgresClusterError(
                        .runningElsewhere,
                        "A server that cannot be seen from here answers in \(socketDirectory)",
                        hint: "If another container shares this data directory, stop the server there."
                    )
                }
                try await clearRemains(socketDirectory)
                lastOutput = try await launch(socketDirectory, timeout: backOff.remaining)
            }
        } while try await backOff.wait()
        throw PostgresClusterError(
            .startTimedOut,
            "The PostgreSQL server was not ready within \(options.startTimeout)",
            hint: "It may still be recovering after a crash: check \(location.log), and try again.",
            output: lastOutput
        )
    }

    /// Removes files of a killed server that would mislead PostgreSQL.
    private func clearRemains(_ socketDirectory: String) async throws {
        // Under the start lock and with no server alive, socket files here can only be remains. PostgreSQL would refuse
        // to start if the process id they name now belongs to another process of the same account.
        let socket = SocketDirectory.socketName(in: socketDirectory)
        let remains = [socket, "\(socket).lock"].filter(PrivateFiles.exists)
        if !remains.isEmpty { _ = try await tool.run("/bin/rm", ["-f", "--"] + remains) }

        // The same applies to its main lock file. That file is not removed: its shared memory key lets PostgreSQL
        // detect sessions that have outlived their server. A process id that cannot exist replaces the old one.
        let file = "\(location.data)/\(Postmaster.fileName)"
        guard PrivateFiles.exists(file) else { return }
        logger.notice("Recovering from a PostgreSQL server that did not stop in order")
        _ = try await tool.run("/bin/sed", ["-i", "1s/.*/\(Int32.max)/", file])
    }

    /// Makes one attempt to start.
    ///
    /// - Returns: nil on success, else the printed output, if another attempt is worthwhile.
    private func launch(_ socketDirectory: String, timeout: Duration) async throws -> String? {
        try await keepLogBounded()
        let logSizeBefore = PrivateFiles.size(of: location.log)
        // pg_ctl passes -D and -l to a shell in double quotes, which a `$` in the path would break; the environment and
        // a path relative to the working directory are safe. It starts the server in a separate session.
        let result = try await tool.run(
            installation.pgctl,
            [
                "start", "--wait", "--silent", "--timeout=\(max(1, timeout.components.seconds))", "--log=server.log",
                "--options=\(ServerSettings(options: options, socketDirectory: socketDirectory).commandLine)",
            ],
            environment: ["PGDATA": location.data],
            workingDirectory: location.home,
            timeout: timeout + .seconds(5)
        )
        if result.succeeded {
            logger.info("Started the PostgreSQL server", metadata: ["home": "\(location.home)"])
            return nil
        }
        let written = PrivateFiles.text(of: location.log, from: logSizeBefore) ?? ""
        let output = "\(result.output)\n\(written)"
        // Sessions of a killed server end within moments. The lock file exists when another process was faster.
        let isTransient =
            Postmaster.running(on: location.data) != nil || written.contains("is still in use")
            || written.contains("lock file \"\(Postmaster.fileName)\" already exists")
        guard isTransient else {
            throw PostgresClusterError(
                .startFailed,
                "The PostgreSQL server did not start",
                hint: "The reason is in \(location.log).",
                output: output
            )
        }
        return output
    }

    private static let largestLogBytes: Int64 = 8 << 20

    /// Keeps the log bounded. It holds start, stop, checkpoint and crash lines only; one older file is kept.
    private func keepLogBounded() async throws {
        guard PrivateFiles.size(of: location.log) > Self.largestLogBytes else { return }
        _ = try await tool.run("/bin/mv", ["-f", "--", location.log, "\(location.log).1"])
    }

    // MARK: Stopping

    /// Stops the server in order, rolling open transactions back and writing everything out; if that fails, at once.
    ///
    /// Stopping at once is needed, for example, when the stop comes just while the server restarts its processes after
    /// a session has crashed: PostgreSQL 15 then waits for its checkpointer forever. Nothing that was committed is
    /// lost.
    func stop() async throws {
        guard let postmaster = Postmaster.running(on: location.data) else { return }
        var result = try await pgctlStop(mode: "fast", timeout: options.stopTimeout)
        if Postmaster.running(on: location.data) != nil {
            logger.warning("The PostgreSQL server does not stop in order, so it is made to stop at once")
            result = try await pgctlStop(mode: "immediate", timeout: .seconds(20))
        }
        guard Postmaster.running(on: location.data) == nil else {
            throw PostgresClusterError(
                .stopFailed,
                "The PostgreSQL server (process \(postmaster.processID)) did not stop",
                hint: "Check \(location.log), and whether its processes are stuck or suspended.",
                output: result.output
            )
        }
        // The short directory was made for the socket only and is empty now.
        let shortName = SocketDirectory.shortName(for: location)
        if let directory = postmaster.socketDirectory, directory.hasSuffix("/\(shortName)") { rmdir(directory) }
        logger.info("Stopped the PostgreSQL server", metadata: ["home": "\(location.home)"])
    }

    private func pgctlStop(mode: String, timeout: Duration) async throws -> ServerTool.Result {
        try await tool.run(
            installation.pgctl,
            ["stop", "--mode=\(mode)", "--wait", "--silent", "--timeout=\(max(1, timeout.components.seconds))"],
            environment: ["PGDATA": location.data],
            timeout: timeout + .seconds(5)
        )
    }

    /// Stops the server when no lease is left, even when the calling task has been cancelled.
    func stopUnlessUsed() async {
        await Task {
            do {
                guard let users = try FileLock.tryAcquire(location.usersLock, .exclusive), !isKeptRunning else {
                    return
                }
                try await stop()
                _ = consume users
            } catch {
                logger.warning("The PostgreSQL server was left running", metadata: ["error": "\(error)"])
            }
        }.value
    }

    // MARK: Staying

    private var keepFile: String { "\(location.home).keep-running" }

    /// Whether the current run of the server is marked to stay when the last lease ends.
    private var isKeptRunning: Bool {
        guard let postmaster = Postmaster.running(on: location.data) else { return false }
        return PrivateFiles.text(of: keepFile) == postmaster.mark
    }

    func keepRunning() throws(PostgresClusterError) {
        guard let postmaster = Postmaster.running(on: location.data), let slash = keepFile.lastIndex(of: "/") else {
            return
        }
        try PrivateFiles.replace(keepFile, with: postmaster.mark, in: String(keepFile[..<slash]))
    }
}
