import Access
import Canonical
import Composition
import EventLog
import Foundation
import Gateways
import HTTPEdge
import Logging
import Postgres
import PostgresCluster
import Redaction
import Replay

/// The database of one command: a named one, or the private one. The private one is started on demand, shared with
/// other commands, and stopped by the last command that uses it.
struct Session: Sendable {
    let settings: Settings
    let configuration: PostgresConfiguration
    let logger: Logger

    /// - Parameter migrates: Migrates the schema first.
    static func open<Result: Sendable>(
        _ options: CommonOptions,
        logLevel: Logger.Level = .warning,
        migrates: Bool = true,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let settings = try await Settings(options)
        let logger = Self.logger(logLevel)
        if let url = settings.databaseURL {
            let session = Session(
                settings: settings,
                configuration: PostgresConfiguration(connectionString: url),
                logger: logger
            )
            if migrates { _ = try await LedgerSchema.migrate(session.configuration) }
            return try await body(session)
        }
        let cluster = settings.privateCluster(logger: logger)
        let lease = try await cluster.start()
        do {
            let session = Session(
                settings: settings,
                configuration: PostgresConfiguration(connectionString: lease.connectionString()),
                logger: logger
            )
            if migrates { _ = try await LedgerSchema.migrate(session.configuration) }
            let result = try await body(session)
            await lease.release()
            return result
        } catch {
            await lease.release()
            throw error
        }
    }

    /// Runs a ledger on the session's database. A long wait for read models is reported on a terminal.
    ///
    /// - Parameter work: What the command does. Work that applies ends when the log is applied up to what the command
    ///   appended.
    ///   - signing: The evidence that the log is compared with before anything is appended; nil for the one that the
    ///     settings name.
    ///   - standbys: If given, the clock and the settings of the database are checked before gateways are called.
    /// - Throws: `ReadModelsBehind` when a command reads, its read models lack events, and nothing applies the log.
    func withLedger<Result: Sendable>(
        for work: Ledger.Work,
        connections: Int? = nil,
        signing: EvidenceOptions? = nil,
        standbys: DurabilitySettings.Standbys? = nil,
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        reconcilingEvery interval: Duration? = nil,
        _ body: @Sendable (Ledger) async throws -> Result
    ) async throws -> Result {
        var evidence = signing ?? EvidenceOptions()
        if signing == nil, !work.isReading {
            evidence = try await self.evidence(remote: try settings.remoteWitness(), isServer: false)
        }
        var configuration = configuration
        configuration.isReadOnly = work.isReading
        let ledger = Ledger(
            configuration: configuration,
            // Each of the read models may be rebuilt at the same time.
            connections: connections ?? (work == .applying ? 20 : 4),
            archiveDirectory: settings.archiveDirectory,
            standbys: standbys,
            signing: evidence,
            gateways: gateways,
            replaying: replaying,
            logger: logger
        )
        return try await ledger.run(
            for: work,
            reconcilingEvery: interval,
            waiting: { Terminal.wait("waiting for the read models to reach position \($1) (now \($0))") }
        ) {
            guard work == .applying else { return try await perform(body, on: ledger) }
            do {
                let result = try await perform(body, on: ledger)
                await applied(to: ledger)
                return result
            } catch {
                // A command that fails may have appended before.
                if !Task.isCancelled { await applied(to: ledger) }
                throw error
            }
        }
    }

    /// Runs `body`. If nothing may be appended to the log, the error says why.
    private func perform<Result: Sendable>(
        _ body: @Sendable (Ledger) async throws -> Result,
        on ledger: Ledger
    ) async throws -> Result {
        do {
            return try await body(ledger)
        } catch {
            var failure = Failure(describing: error)
            guard ["log-unproven", "log-contradicted"].contains(failure.code),
                let obstacle = ledger.log.logGuard.status.obstacle
            else { throw error }
            failure.hint = "\(obstacle.code.rawValue): \(obstacle)"
            throw failure
        }
    }

    /// Returns when the log is applied up to what a command appended, or cannot be.
    private func applied(to ledger: Ledger) async {
        let position = ledger.appended.position
        guard position > 0 else { return }
        do {
            _ = try await ledger.waitUntilApplied(upTo: position) {
                if position > 20_000 { Terminal.progress("read models", $0, of: $1) }
            }
        } catch is CancellationError {
        } catch let behind as ReadModelsBehind {
            // What the command appended is in the log all the same.
            logger.warning(
                "read models are behind",
                metadata: [
                    "part": "\(behind.name ?? "settlement")", "missing": "\(behind.missing)",
                    "reason": "\(behind.reason)",
                ]
            )
        } catch {
            logger.warning("read models are behind", metadata: ["error": "\(String(reflecting: type(of: error)))"])
        }
    }

    /// The configuration for a command that only reads the log: the reader role if the login may use it, else the
    /// login.
    ///
    /// - Throws: `PostgresError` when the database cannot be reached.
    func readingConfiguration() async throws -> PostgresConfiguration {
        let reading = configuration.acting(as: .reader)
        do {
            await (try await PostgresConnection.connect(reading)).close()
            return reading
        } catch let error as PostgresError where error.role != nil {
            return configuration
        }
    }

    static func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "daybook") { label in
            ScrubbingLogHandler(
                label: label,
                format: .json,
                scrubber: FunctionScrubber { TextScrubber().scrub($0).text }
            )
        }
        logger.logLevel = level
        return logger
    }
}

extension Settings {
    /// The private PostgreSQL under the data directory.
    func privateCluster(logger: Logger) -> PrivateCluster {
        let options = PostgresClusterOptions(settings: Self.privateSettings)
        return PrivateCluster(dataDirectory: dataDirectory, options: options, logger: logger)
    }

    /// Settings for a log: many writes, few reads of old data.
    private static let privateSettings = [
        // Frequent checkpoints would write every page of the idempotency index into the WAL repeatedly.
        "max_wal_size": "4GB", "checkpoint_timeout": "15min",
        // The background writer frees pages in advance, so that appends do not have to.
        "bgwriter_delay": "10ms", "bgwriter_lru_maxpages": "1000", "bgwriter_lru_multiplier": "4",
        // Documents of two kilobytes are compressed; the default compression costs ten times as much.
        "default_toast_compression": "lz4",
    ]
}

extension Ledger {
    /// The tenant of a command: the one named, or the only one.
    func tenant(_ named: String?) async throws -> String {
        let known = try await keys.tenants()
        if let named {
            try InvalidTenant.check(named)
            guard known.contains(named) else {
                throw Failure("There is no such tenant.", hint: "Tenants: \(known.joined(separator: ", ")).")
            }
            return named
        }
        guard known.count < 2 else {
            throw Failure(
                "There are several tenants.",
                hint: "Name one with --tenant: \(known.joined(separator: ", "))."
            )
        }
        guard let only = known.first else {
            throw Failure(
                "There is no tenant yet.",
                hint: "`daybook keys create --tenant NAME --scopes documents,read`"
            )
        }
        return only
    }
}
