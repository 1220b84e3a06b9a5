package import Canonical
package import EventLog
package import Logging
package import Postgres

/// A log on a leased database, with one running sequencer. Everything acts as the service role, as in production.
package struct TestLog: Sendable {
    package let url: String
    package let configuration: PostgresConfiguration
    package let clock: ManualClock
    package let pool: PostgresPool
    /// Acts as a superuser, for tests that tamper with data or watch other sessions.
    package let superuser: PostgresPool
    package let reader: EventReader
    /// The events the sequencer has written lately; `reader` does not use it.
    package let tail: LogTail
    package let signal: PositionSignal
    package let logGuard: LogGuard
    package let sequencer: Sequencer

    /// A logger without output.
    package static var logger: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }

    /// Makes a database, runs `body` on its log, finishes what the sequencer has accepted, and drops the database.
    ///
    /// - Parameters:
    ///   - url: A database with the schema to use instead; it is not dropped afterwards.
    ///   - archiveDirectory: The archive directory of the reader.
    package static func with<Result: Sendable>(
        template: TestDatabase.Template = .ledger,
        limits: Sequencer.Limits = .init(),
        archiveDirectory: String? = nil,
        url: String? = nil,
        connections: Int = 6,
        _ body: @Sendable (TestLog) async throws -> Result
    ) async throws -> Result {
        guard let url else {
            return try await withTestDatabase(template: template) { url in
                try await with(
                    limits: limits,
                    archiveDirectory: archiveDirectory,
                    url: url,
                    connections: connections,
                    body
                )
            }
        }
        let login = PostgresConfiguration(connectionString: url)
        let options = PostgresPool.Options(
            maximumConnections: connections,
            // Other tests compete for the processors.
            acquireTimeout: .seconds(60),
            longestRetry: .milliseconds(100)
        )
        // Even if a test changes the database's limits, it can still watch.
        var watching = login
        watching.statementTimeout = .zero
        return try await PostgresPool.withPool(watching, options: options) { superuser in
            try await with(login.acting(as: .service), superuser, options, limits, archiveDirectory, url, body)
        }
    }

    private static func with<Result: Sendable>(
        _ configuration: PostgresConfiguration,
        _ superuser: PostgresPool,
        _ options: PostgresPool.Options,
        _ limits: Sequencer.Limits,
        _ archiveDirectory: String?,
        _ url: String,
        _ body: @Sendable (TestLog) async throws -> Result
    ) async throws -> Result {
        try await PostgresPool.withPool(configuration, options: options) { pool in
            let clock = ManualClock()
            let signal = PositionSignal()
            let tail = LogTail()
            let logGuard = LogGuard()
            let log = TestLog(
                url: url,
                configuration: configuration,
                clock: clock,
                pool: pool,
                superuser: superuser,
                reader: EventReader(pool: pool, archiveDirectory: archiveDirectory),
                tail: tail,
                signal: signal,
                logGuard: logGuard,
                sequencer: Sequencer(
                    configuration: configuration,
                    clock: clock,
                    signal: signal,
                    tail: tail,
                    limits: limits,
                    logGuard: logGuard,
                    logger: logger
                )
            )
            return try await running(log.sequencer) { try await body(log) }
        }
    }

    /// Runs a sequencer while `body` runs, and lets it finish what it has accepted.
    package static func running<Result: Sendable>(
        _ sequencer: Sequencer,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let appending = Task { await sequencer.run() }
        do {
            let result = try await body()
            await sequencer.close()
            await appending.value
            return result
        } catch {
            await sequencer.close()
            await appending.value
            throw error
        }
    }

    /// Every event of the log, in order.
    package func events() async throws -> [RecordedEvent] {
        try await reader.events(after: 0, limit: .max)
    }

    /// Returns when a backend of this database waits for a lock, as an append does while the head is locked.
    package func waitForBlockedAppend() async throws {
        let sql = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        while try await superuser.query(sql).single().int64(0) == 0 { await Task.yield() }
    }

    /// Asserts nothing: returns what violates the order of a log, in words, and nothing when it is sound.
    package static func faults(of events: [RecordedEvent]) -> [String] {
        var faults: [String] = []
        var versions: [String: Int64] = [:]
        var recordedAt = Timestamp.earliest
        for (index, event) in events.enumerated() {
            if event.position != Int64(index + 1) { faults.append("position \(event.position) at \(index + 1)") }
            let stream = "\(event.tenant) \(event.stream)"
            let version = versions[stream, default: 0] + 1
            if event.version != version { faults.append("\(stream) has \(event.version) for \(version)") }
            versions[stream] = event.version
            if event.recordedAt < recordedAt { faults.append("position \(event.position) goes back in time") }
            recordedAt = event.recordedAt
        }
        if Set(events.map(\.id)).count != events.count { faults.append("an event is there twice") }
        return faults
    }
}

extension ProposedEvent {
    /// An event without particular meaning.
    package static func sample(
        _ type: String = "Noted",
        data: String = "{}",
        occurredAt: Timestamp = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
    ) -> ProposedEvent {
        var random = SystemRandomNumberGenerator()
        return ProposedEvent(
            id: .v7(at: occurredAt, random: &random),
            type: type,
            schema: 1,
            occurredAt: occurredAt,
            actor: "test",
            correlation: "test",
            data: data
        )
    }
}

extension AppendItem {
    /// An item of the tenant `acme` with events without particular meaning.
    package static func sample(
        _ stream: String,
        tenant: String = "acme",
        expected: Expectation = .any,
        keys: [IdempotencyKey] = [],
        references: [String] = [],
        count: Int = 1
    ) -> AppendItem {
        AppendItem(
            tenant: tenant,
            stream: stream,
            expected: expected,
            idempotency: keys,
            references: references,
            events: (0..<count).map { _ in .sample() }
        )
    }
}

extension IdempotencyKey {
    /// A key made of readable text instead of digests.
    package static func sample(_ key: String, request: String? = nil) -> IdempotencyKey {
        IdempotencyKey(key: Array(key.utf8), request: Array((request ?? key).utf8))
    }
}
