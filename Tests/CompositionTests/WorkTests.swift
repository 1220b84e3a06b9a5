import Composition
import DaybookTestKit
import EventLog
import Postgres
import Testing

/// What runs while a ledger is open.
struct WorkTests {
    private static func ledger(_ url: String) -> Ledger {
        Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 2,
            acquireTimeout: .seconds(60),
            logger: TestLog.logger
        )
    }

    @Test func workThatReadsCanAppendNothing() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let ledger = Self.ledger(url)
            let error = await #expect(throws: AppendError.self) {
                try await ledger.run(for: .reading([])) { try await ledger.sequencer.append(.sample("a")) }
            }
            #expect(error?.code == .shuttingDown)
        }
    }

    @Test func workThatReadsNeedsReadModelsThatContainTheLog() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let ledger = Self.ledger(url)
            // An empty log is contained in every read model.
            try await ledger.run(for: .reading(["transactions"])) {}
            let appending = Self.ledger(url)
            try await appending.run(for: .appending) { _ = try await appending.sequencer.append(.sample("a")) }
            try await Self.ledger(url).run(for: .reading([])) {}
            let error = await #expect(throws: ReadModelsBehind.self) {
                try await Self.ledger(url).run(for: .reading(["transactions"])) {}
            }
            #expect(error?.missing == 1 && error?.reason == .notApplied)
        }
    }

    @Test func theDatabaseIsReadAgainBeforeACallIsSent() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            // Its clock stands still in the past.
            let watching = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 2,
                acquireTimeout: .seconds(60),
                standbys: .any,
                clock: ManualClock(),
                logger: TestLog.logger
            )
            try await watching.run(for: .appending) {
                #expect(watching.log.logGuard.hold == .unchecked)
                #expect(await watching.log.logGuard.holdBeforeSending()?.code == "clock-differs")
                #expect(watching.log.logGuard.hold?.code == "clock-differs")
            }
            // The database does not answer.
            #expect(await watching.log.logGuard.holdBeforeSending() == .unanswered)
        }
    }

    @Test func aLongWaitForReadModelsIsReported() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let appending = Self.ledger(url)
            try await appending.run(for: .appending) { _ = try await appending.sequencer.append(.sample("a")) }
            let (following, reading) = (Self.ledger(url), Self.ledger(url))
            let (reports, report) = AsyncStream.makeStream(of: [Int64].self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Holds the lock of a process that applies the log, and applies nothing.
                group.addTask { await following.log.run(asFollower: true) }
                while try await !following.log.isFollowed() { try Task.checkCancellation() }
                group.addTask {
                    defer { report.finish() }
                    try await reading.run(for: .reading(["transactions"]), waiting: { report.yield([$0, $1]) }) {}
                }
                #expect(await reports.first { _ in true } == [0, 1])
                group.cancelAll()
            }
        }
    }

    @Test func appliedWorkIsReadable() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let applying = Self.ledger(url)
            let applied = try await applying.run(for: .applying) {
                _ = try await applying.sequencer.append(.sample("a"))
                while try await !applying.log.isFollowed() { try Task.checkCancellation() }
                return try await applying.waitUntilApplied(upTo: 1)
            }
            #expect(applied == 1)
            let reading = Self.ledger(url)
            try await reading.run(for: .reading(["transactions"])) {
                // The server notices after a while that the connection is closed.
                while try await reading.log.isFollowed() { try Task.checkCancellation() }
            }
        }
    }
}
