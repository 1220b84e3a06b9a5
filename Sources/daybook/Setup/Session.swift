import Access
import Canonical
import EventLog
import Foundation
import Gateways
import HTTPEdge
import Ledger
import Logging
import Postgres
import PostgresCluster
import Replay
import Vendors

/// A database to work with, for the time of one command: the one named, or the private one, which is started, shared
/// with other commands, and stopped by the last that uses it.
struct Session: Sendable {
    let settings: Settings
    let configuration: PostgresConfiguration
    let logger: Logger

    /// - Parameter migrates: Whether to bring the schema up to date first. A private database always is.
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

    /// Runs a ledger on the session's database.
    func withLedger<Result: Sendable>(
        follows: Bool = false,
        connections: Int = 4,
        signing: EvidenceOptions = .init(),
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        callsGateways: Bool = true,
        reconcilingEvery interval: Duration? = nil,
        _ body: @Sendable (Ledger) async throws -> Result
    ) async throws -> Result {
        let ledger = Ledger(
            configuration: configuration,
            connections: connections,
            archiveDirectory: settings.archiveDirectory,
            signing: signing,
            gateways: gateways,
            replaying: replaying,
            logger: logger
        )
        return try await ledger.run(follows: follows, callsGateways: callsGateways, reconcilingEvery: interval) {
            try await body(ledger)
        }
    }

    /// How a command that only reads the log reaches it: as the reader, if this login may act as that; else as itself.
    ///
    /// - Throws: `PostgresError` when the database cannot be reached at all.
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
    func privateCluster(logger: Logger) -> PostgresCluster {
        let options = PostgresClusterOptions(settings: Self.privateSettings)
        return PostgresCluster(dataDirectory: dataDirectory, options: options, logger: logger)
    }

    /// What suits a log, which writes much and reads little of it again.
    private static let privateSettings = [
        // Checkpoints that come too often would write every page of the idempotency index into the WAL again and again.
        "max_wal_size": "4GB", "checkpoint_timeout": "15min",
        // Pages are written out ahead of need, and not by the append that needs their place.
        "bgwriter_delay": "10ms", "bgwriter_lru_maxpages": "1000", "bgwriter_lru_multiplier": "4",
        // A document of two kilobytes is compressed; the default compression costs ten times as much.
        "default_toast_compression": "lz4",
    ]
}

extension Ledger {
    /// The tenant a command is about: the one named, or the only one there is.
    func tenant(_ named: String?) async throws -> String {
        let known = try await keys.tenants()
        if let named {
            try InvalidTenant.check(named)
            guard known.contains(named) else {
                throw Failure("There is no such tenant.", hint: "There are: \(known.joined(separator: ", ")).")
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
            throw Failure("There is no tenant yet.", hint: "`daybook keys create --tenant NAME --scopes intake,read`")
        }
        return only
    }
}
