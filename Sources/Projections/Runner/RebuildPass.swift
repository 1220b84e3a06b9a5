import EventLog

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
    ///   - rebuilds: Read models of one ledger, at least one.
    ///   - force: Swap even when the digests differ, because the live rows are known to be wrong.
    ///   - progress: Called with the number of applied events and the total.
    /// - Returns: The outcome of each, in their order: the report, or the error with which its live rows remain.
    /// - Throws: The errors of reading the log; then all live rows remain.
    package static func run(
        _ rebuilds: [ProjectionRebuild],
        force: Bool = false,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> [Result<Report, any Error>] {
        for rebuild in rebuilds { try await rebuild.store.install() }
        return try await rebuilds[0].alone { try await Self.rebuild(rebuilds, force: force, progress: progress) }
    }

    static func rebuild(
        _ rebuilds: [ProjectionRebuild],
        force: Bool,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void
    ) async throws -> [Result<Report, any Error>] {
        var indexes: [[String]] = []
        var failures: [Int: any Error] = [:]
        do {
            var target = Int64.max
            for rebuild in rebuilds {
                indexes.append(try await rebuild.begin())
                target = min(target, try await rebuild.target())
            }
            failures = try await catchUp(rebuilds, from: 0, to: target, progress: progress)
        } catch {
            for rebuild in rebuilds { await rebuild.abandon() }
            throw error
        }
        var outcomes: [Result<Report, any Error>] = []
        for (place, rebuild) in rebuilds.enumerated() {
            if let failure = failures[place] {
                await rebuild.abandon()
                outcomes.append(.failure(failure))
                continue
            }
            do {
                outcomes.append(.success(try await rebuild.finish(indexes[place], force: force)))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }

    /// Applies the events up to `target` to the rebuilt rows.
    ///
    /// - Throws: As `run`.
    func catchUp(to target: Int64, progress: @Sendable (Int64, Int64) -> Void = { _, _ in }) async throws {
        let position = try await store.position(isLive: false)
        guard position < target else { return }
        if let failure = try await Self.catchUp([self], from: position, to: target, progress: progress)[0] {
            throw failure
        }
    }

    /// Works on three runs at once: one is written while the next is folded and the one after that is read.
    ///
    /// - Returns: The error of each read model that could not be written, by its place.
    private static func catchUp(
        _ rebuilds: [ProjectionRebuild],
        from position: Int64,
        to target: Int64,
        progress: @Sendable (Int64, Int64) -> Void
    ) async throws -> [Int: any Error] {
        guard let first = rebuilds.first, position < target else { return [:] }
        let runs = first.runs
        var failures: [Int: any Error] = [:]
        var page = try await runs.page(after: position, upTo: target)
        var folded: LogRun?
        var pace = RebuildPace(reader: first.reader, clock: first.clock)
        while !page.isEmpty || folded != nil {
            let (current, run) = (page, folded)
            let end = current.last?.position ?? target
            async let nextPage = runs.page(after: end, upTo: target, following: current)
            async let nextRun = current.isEmpty ? nil : runs.run(of: current)
            if let run {
                let open = rebuilds.indices.filter { failures[$0] == nil }
                failures.merge(await write(run, of: runs, to: open.map { ($0, rebuilds[$0]) })) { first, _ in first }
                try Task.checkCancellation()
                if failures.count == rebuilds.count { return failures }
                progress(run.end, target)
            }
            (page, folded) = (try await nextPage, try await nextRun)
            try await pace.giveWay()
        }
        for (place, rebuild) in rebuilds.enumerated() where failures[place] == nil {
            if try await rebuild.store.position(isLive: false) != target { failures[place] = RebuildInterrupted() }
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
