import Composition
import DaybookTestKit
import EventLog
import Postgres
import Testing

@testable import Projections

/// A log and the read models that follow it.
struct Following: Sendable {
    let log: TestLog
    let models: ReadModels
    let transactions: TransactionQuery
    let receipts: ReceiptQuery
    let batches: BatchQuery
    let readers: ReaderQuery

    /// - Parameter runs: False to leave the read models stopped until `running` is called.
    static func with(
        runs: Bool = true,
        _ body: @escaping @Sendable (Following) async throws -> Void
    ) async throws {
        try await TestLog.with(template: .readModels, connections: 12) { log in
            let following = Following(
                log: log,
                models: ReadModels(ReadModels.all, pool: log.pool, reader: EventReader(pool: log.pool, tail: log.tail)),
                transactions: TransactionQuery(pool: log.pool),
                receipts: ReceiptQuery(pool: log.pool),
                batches: BatchQuery(pool: log.pool),
                readers: ReaderQuery(pool: log.pool)
            )
            if runs {
                try await following.running { try await body(following) }
            } else {
                try await body(following)
            }
        }
    }

    /// Runs the read models while `body` runs.
    func running(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withFollowers([models.follower(appended: log.signal, logger: TestLog.logger)], body)
    }

    /// Returns when the read models contain every event recorded so far.
    func catchUp(_ names: [String] = ReadModels.all.map(\.name)) async throws {
        let head = try await log.reader.head()
        for name in names {
            let isThere = try await models.wait(for: name, toReach: head, timeout: .seconds(60))
            try #require(isThere, "\(name) did not get to \(head)")
        }
    }

    func rebuild(_ name: String, force: Bool = false) async throws -> ProjectionRebuild.Report {
        let projection = try #require(ReadModels.named(name))
        return try await ProjectionRebuild(projection: projection, pool: log.pool, reader: log.reader).run(force: force)
    }

    /// The progress of a read model.
    func progress(of name: String) async throws -> ReadModels.Progress {
        try #require(try await models.positions().first { $0.name == name })
    }

    /// Returns when a read model has halted.
    func waitForFault(of name: String) async throws -> ReadModels.Progress {
        while true {
            let progress = try await progress(of: name)
            if progress.fault != nil { return progress }
            await Task.yield()
        }
    }
}

func withFollowers(
    _ followers: [ReadModelFollower],
    _ body: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for follower in followers { group.addTask { await follower.run() } }
        defer { group.cancelAll() }
        try await body()
    }
}

/// A projection that counts events, and detects events that are applied twice or in the wrong order.
struct CountingProjection: Projection {
    let name = "counting"
    var version = 1
    /// The event type that it refuses.
    var refuses: String?

    struct Refusal: Error {}

    let definition = """
        CREATE TABLE seen (position bigint PRIMARY KEY, weight int NOT NULL);
        CREATE TABLE total (singleton boolean PRIMARY KEY, count bigint NOT NULL, weight bigint NOT NULL);
        INSERT INTO total VALUES (true, 0, 0);
        """
    let contents = [ProjectionTable("seen", key: ["position"]), ProjectionTable("total", key: ["singleton"])]

    func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        for event in run.events {
            if event.type == refuses { throw Refusal() }
            _ = try await transaction.execute(
                "INSERT INTO seen VALUES ($1, $2)",
                [.int64(event.position), .int32(Int32(version))]
            )
        }
        _ = try await transaction.execute(
            "UPDATE total SET count = count + $1, weight = weight + $1 * $2",
            [.int64(Int64(run.events.count)), .int64(Int64(version))]
        )
    }
}

extension ProjectionStore {
    /// Applies the events at these positions to the live rows, as one run.
    func advance(_ positions: ClosedRange<Int64>, of log: TestLog) async throws -> Bool {
        let runs = LogRuns(reader: log.reader)
        let run = try #require(try await runs.run(after: positions.lowerBound - 1, upTo: positions.upperBound))
        return try await advance(run, of: runs, isLive: true)
    }
}

extension TestDatabase.Template {
    /// An empty ledger with its read models: making their tables takes longer than most tests.
    static let readModels = ledger("read-models") { url in
        let ledger = Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 6,
            acquireTimeout: .seconds(60),
            logger: TestLog.logger
        )
        try await ledger.run(for: .appending) {}
    }
}
