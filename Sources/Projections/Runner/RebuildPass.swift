import EventLog
import Postgres

/// Rebuilds of several read models in one pass over the log, which reads and folds each event once for all of them.
extension ProjectionRebuild {
    /// The read models that are written at the same time. Each takes a connection.
    private static let concurrentModels = 3

    /// Rebuilds read models as `run(force:progress:)` does each of them. Until they are swapped in, all of them take
    /// their space a second time.
    ///
    /// A read model that cannot be rebuilt does not stop the others.
    ///
    /// - Parameters:
    ///   - rebuilds: Different read models of one ledger, at least one.
    ///   - force: Swap even when the digests differ, because the live rows are known to be wrong.
    ///   - progress: Called with the number of applied events and the total.
    /// - Returns: The outcome of each, in their order: the report, or the error with which its live rows remain.
    /// - Throws: The errors of reading the log, and of creating the tables; `PostgresError` when the server lacks
    ///   resources while the log is applied. Then all live rows remain.
    package static func run(
        _ rebuilds: [ProjectionRebuild],
        force: Bool = false,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> [Result<Report, any Error>] {
        precondition(Set(rebuilds.map(\.projection.name)).count == rebuilds.count, "a read model is named twice")
        for rebuild in rebuilds { try await rebuild.store.install() }
        return try await rebuilds[0].alone { try await Self.rebuild(rebuilds, force: force, progress: progress) }
    }

    static func rebuild(
        _ rebuilds: [ProjectionRebuild],
        force: Bool,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void
    ) async throws -> [Result<Report, any Error>] {
        var outcomes: [Int: Result<Report, any Error>] = [:]
        do {
            var indexes: [Int: [String]] = [:]
            var targets: [Int: Int64] = [:]
            for (place, rebuild) in rebuilds.enumerated() {
                indexes[place] = try await rebuild.begin()
                targets[place] = try await rebuild.target()
            }
            let failures = try await catchUp(rebuilds, from: 0, to: targets, progress: progress)
            for (place, failure) in failures { outcomes[place] = .failure(failure) }
            for (place, rebuild) in rebuilds.enumerated() where outcomes[place] == nil {
                do {
                    outcomes[place] = .success(try await rebuild.finish(indexes[place] ?? [], force: force))
                } catch {
                    try Task.checkCancellation()
                    outcomes[place] = .failure(error)
                }
            }
        } catch {
            for (place, rebuild) in rebuilds.enumerated() where outcomes[place] == nil { await rebuild.abandon() }
            throw error
        }
        return rebuilds.indices.compactMap { outcomes[$0] }
    }

    /// Applies the events up to `target` to the rebuilt rows.
    ///
    /// - Throws: As `run`.
    func catchUp(to target: Int64, progress: @Sendable (Int64, Int64) -> Void = { _, _ in }) async throws {
        let position = try await store.position(isLive: false)
        guard position < target else { return }
        if let failure = try await Self.catchUp([self], from: position, to: [0: target], progress: progress)[0] {
            throw failure
        }
    }

    /// Works on three runs at once: one is written while the next is folded and the one after that is read. A read
    /// model that fails is abandoned at once.
    ///
    /// - Parameter targets: The position at which each read model ends, by its place.
    /// - Returns: The error of each read model that could not be written, by its place.
    /// - Throws: The errors of reading the log; `PostgresError` when the server lacks resources, such as space.
    private static func catchUp(
        _ rebuilds: [ProjectionRebuild],
        from position: Int64,
        to targets: [Int: Int64],
        progress: @Sendable (Int64, Int64) -> Void
    ) async throws -> [Int: any Error] {
        let last = targets.values.max() ?? 0
        guard let first = rebuilds.first, position < last else { return [:] }
        let runs = first.runs
        /// A page ends where a read model ends.
        func end(after position: Int64) -> Int64 { targets.values.filter { $0 > position }.min() ?? position }
        var failures: [Int: any Error] = [:]
        var page = try await runs.page(after: position, upTo: end(after: position))
        var folded: LogRun?
        var pace = RebuildPace(reader: first.reader, clock: first.clock)
        while !page.isEmpty || folded != nil {
            let (current, run) = (page, folded)
            let position = current.last?.position ?? last
            let goal = end(after: position)
            async let nextPage = runs.page(after: position, upTo: goal, following: current)
            async let nextRun = current.isEmpty ? nil : runs.run(of: current)
            if let run {
                let open = rebuilds.indices.filter { failures[$0] == nil && (targets[$0] ?? 0) >= run.end }
                for (place, failure) in await write(run, of: runs, to: open.map { ($0, rebuilds[$0]) }) {
                    try Task.checkCancellation()
                    if let failure = failure as? PostgresError, failure.isLackOfResources { throw failure }
                    failures[place] = failure
                    await rebuilds[place].abandon()
                }
                if failures.count == rebuilds.count { return failures }
                progress(run.end, last)
            }
            (page, folded) = (try await nextPage, try await nextRun)
            try await pace.giveWay()
        }
        for (place, rebuild) in rebuilds.enumerated() where failures[place] == nil {
            if try await rebuild.store.position(isLive: false) != targets[place] {
                failures[place] = RebuildInterrupted()
                await rebuild.abandon()
            }
        }
        return failures
    }

    /// Applies a run to read models, a few at a time.
    ///
    /// - Returns: The error of each that failed, by its place.
    private static func write(
        _ run: LogRun,
        of runs: LogRuns,
        to rebuilds: [(place: Int, rebuild: ProjectionRebuild)]
    ) async -> [Int: any Error] {
        await withTaskGroup(of: (Int, (any Error)?).self) { group in
            var failures: [Int: any Error] = [:]
            for (number, (place, rebuild)) in rebuilds.enumerated() {
                if number >= concurrentModels, let (place, failure) = await group.next() { failures[place] = failure }
                group.addTask {
                    do {
                        let isOurs = try await rebuild.store.advance(run, of: runs, isLive: false)
                        return (place, isOurs ? nil : RebuildInterrupted())
                    } catch {
                        return (place, error)
                    }
                }
            }
            for await (place, failure) in group { failures[place] = failure }
            return failures
        }
    }
}

extension PostgresError {
    /// True when the server has too little space, memory or other resources (SQLSTATE class 53).
    fileprivate var isLackOfResources: Bool { sqlState?.hasPrefix("53") == true }
}
