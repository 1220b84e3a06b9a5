package import EventLog
package import Logging
package import Postgres

/// Keeps live read models up to date. Several processes may do so for the same ones: the checkpoints let exactly one
/// of them write each step.
///
/// The read models follow together: each run of the log is applied to all of them in one transaction. A read model that
/// is far behind, is rebuilt, or cannot apply an event follows alone (`ProjectionRunner`) until it has caught up.
package struct ReadModelFollower: Sendable {
    private let runners: [String: ProjectionRunner]
    private let gathered: GatheredStep
    private let pool: PostgresPool
    private let runs: LogRuns
    private let appended: PositionSignal
    private let follower: Follower
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let retryEvery: Duration
    private let gatherFor: Duration

    /// The number of looks at an idle log after which the positions are read again.
    private static let mostIdleLooks = 5

    /// What ends the wait for events.
    private enum Found {
        case run(LogRun)
        case arrival
        /// Nothing came for a while. The database may have lost the newest checkpoints, which are not flushed, or it
        /// was restored.
        case silence
    }

    /// What the follower knows of its read models.
    private struct Situation {
        var gathering = Gathering()
        /// The read models that follow alone.
        var alone: Set<String> = []
        /// The read models that do not follow any more: a newer build keeps them.
        var left: Set<String> = []
        /// The positions are those of the database.
        var isRead = false
    }

    /// - Parameters:
    ///   - projections: Their names differ, and no two of them have a table of the same name.
    ///   - progress: By name; signalled after each step, for readers that wait for a position.
    ///   - halts: Contains the read models that are halted in this process.
    ///   - retryEvery: The wait for an unavailable database, and between checks whether a fault was removed.
    ///   - gatherFor: The wait after a small step, so that under load each step applies many events. It is the most
    ///     delay of rows while events keep coming.
    ///   - pollEvery: The longest wait for the signal of an append.
    package init(
        _ projections: [any Projection],
        pool: PostgresPool,
        reader: EventReader,
        appended: PositionSignal,
        progress: [String: PositionSignal],
        halts: HaltedRunners = HaltedRunners(),
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        retryEvery: Duration = .seconds(1),
        gatherFor: Duration = .milliseconds(15),
        pollEvery: Duration = .seconds(2)
    ) {
        let runs = LogRuns(reader: reader)
        let follower = Follower(reader: reader, signal: appended, pollEvery: pollEvery, clock: clock)
        self.runs = runs
        self.follower = follower
        runners = Dictionary(
            projections.map { projection in
                let runner = ProjectionRunner(
                    projection: projection,
                    pool: pool,
                    reader: reader,
                    runs: runs,
                    follower: follower,
                    progress: progress[projection.name] ?? PositionSignal(),
                    halts: halts,
                    logger: logger,
                    clock: clock,
                    retryEvery: retryEvery,
                    gatherFor: gatherFor
                )
                return (projection.name, runner)
            }
        ) { first, _ in first }
        gathered = GatheredStep(projections, pool: pool)
        self.pool = pool
        self.appended = appended
        self.logger = logger
        self.clock = clock
        self.retryEvery = retryEvery
        self.gatherFor = gatherFor
    }

    /// Follows the log until cancelled, or until newer builds keep all of the read models.
    ///
    /// An event that cannot be applied halts its read model and no other. Its position and the reason are stored in the
    /// checkpoint until a rebuild or another process gets past the event; a restart retries at once. Rows made by older
    /// rules are rebuilt first, and rows made by newer rules than this build's remain unchanged.
    package func run() async {
        let arrivals = Arrivals()
        await withDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            var situation = Situation()
            while !Task.isCancelled {
                var names: Set<String>?
                do {
                    if !situation.isRead {
                        let others = try await read(&situation)
                        depart(others, &situation, to: arrivals, in: &group)
                    }
                    take(arrivals, &situation)
                    if situation.left.count == runners.count { return }
                    let step = situation.gathering.next
                    let found = try await next(step, arrivals)
                    guard case .run(let run) = found, let step else {
                        if case .silence = found { situation.isRead = false }
                        continue
                    }
                    names = step.names
                    let moved = try await gathered.advance(run, of: step.names)
                    for name in moved { reach(run.end, name, &situation) }
                    situation.isRead = moved == step.names
                    // Every step costs the database a transaction, however few events it has. A single event after a
                    // quiet period is still applied at once.
                    if run.events.count < ProjectionRunner.smallStep { try await clock.sleep(for: gatherFor) }
                } catch is CancellationError {
                    return
                } catch let error as PostgresError {
                    if error.code == .cancelled || error.code == .poolShutdown { return }
                    if let names, error.concernsOneReadModel {
                        // Alone, each is named, and the others go on.
                        depart(names, &situation, to: arrivals, in: &group)
                        continue
                    }
                    logger.warning(
                        "the read models wait for their database",
                        metadata: ["code": "\(error.code)", "sqlstate": "\(error.sqlState ?? "-")"]
                    )
                    situation.isRead = false
                    try? await clock.sleep(for: retryEvery)
                } catch {
                    // One of them cannot apply the run, or the log has a gap. Alone, each goes as far as it can.
                    let concerned = names ?? Set(situation.gathering.positions.keys)
                    depart(concerned, &situation, to: arrivals, in: &group)
                }
            }
        }
    }

    /// Waits for the next run of the log, or for a read model that comes back.
    private func next(_ step: Gathering.Step?, _ arrivals: Arrivals) async throws -> Found {
        var looks = 0
        return try await follower.next(after: step?.start ?? .max) { position, mayHaveMore in
            if !arrivals.isEmpty { return .arrival }
            guard let step, mayHaveMore else { return nil }
            if let run = try await runs.run(after: position, upTo: step.ceiling) { return .run(run) }
            looks += 1
            return looks < Self.mostIdleLooks ? nil : .silence
        }
    }

    /// Reads the positions of the read models that do not follow alone.
    ///
    /// - Returns: Those that cannot follow with the others now.
    private func read(_ situation: inout Situation) async throws -> Set<String> {
        let names = runners.keys.filter { !situation.alone.contains($0) && !situation.left.contains($0) }
        let found = try await ProjectionStore.checkpoints(of: Array(names), pool)
        let newest = found.values.map(\.position).max() ?? 0
        var others: Set<String> = []
        for name in names {
            guard let checkpoint = found[name], checkpoint.version == runners[name]?.projection.version,
                !checkpoint.isHalted, !checkpoint.isRebuilding,
                newest - checkpoint.position <= Int64(LogRuns.usualLimit)
            else {
                others.insert(name)
                continue
            }
            reach(checkpoint.position, name, &situation)
        }
        situation.isRead = true
        return others
    }

    private func reach(_ position: Int64, _ name: String, _ situation: inout Situation) {
        situation.gathering.put(name, at: position)
        runners[name]?.reach(position)
    }

    /// Lets read models follow alone until they have caught up.
    private func depart(
        _ names: Set<String>,
        _ situation: inout Situation,
        to arrivals: Arrivals,
        in group: inout DiscardingTaskGroup
    ) {
        for name in names {
            guard let runner = runners[name], situation.alone.insert(name).inserted else { continue }
            situation.gathering.remove(name)
            group.addTask { [appended] in
                arrivals.add(name, at: await runner.catchUp())
                appended.poke()
            }
        }
    }

    private func take(_ arrivals: Arrivals, _ situation: inout Situation) {
        for (name, position) in arrivals.take() {
            situation.alone.remove(name)
            if let position { reach(position, name, &situation) } else { situation.left.insert(name) }
        }
    }
}

extension PostgresError {
    /// True if the server refused a statement for a reason that may concern one read model only: a damaged index,
    /// a missing table or privilege, a statement that takes too long. The loss of a connection, a conflict or a lack of
    /// resources concerns all of them.
    fileprivate var concernsOneReadModel: Bool {
        if code == .timeout { return true }
        guard code == .server, let sqlState else { return false }
        return !["08", "40", "53", "57"].contains(String(sqlState.prefix(2)))
    }
}
