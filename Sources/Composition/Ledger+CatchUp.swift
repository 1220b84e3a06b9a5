import EventLog
import Projections
import Reconciliation

extension Ledger {
    /// The wait without progress, after which a process that applies the log counts as stuck.
    private static let stall: Duration = .seconds(60)
    /// The wait for a process that applies the log and has just started, or has lost its connection.
    private static let grace: Duration = .milliseconds(500)

    /// Waits until all read models contain every event that is in the log now.
    ///
    /// - Throws: `ReadModelsBehind` when one is halted, or none has applied an event for a minute.
    package func catchUp() async throws {
        try await wait(for: try await reader.head())
    }

    /// Waits until the read models contain every event that is in the log now, because another process applies it.
    ///
    /// - Parameter names: Those that the work needs. Any other one may be halted. Without names, nothing is awaited.
    /// - Throws: `ReadModelsBehind` when one lacks events and is halted, or nothing applies the log.
    func waitUntilReadable(_ names: [String]) async throws {
        let head = names.isEmpty ? 0 : try await reader.head()
        // Without an event there may be no tables yet, and no tenant that could be read.
        guard head > 0 else { return }
        try await wait(
            for: head,
            needed: names,
            while: { idle in
                guard idle > Self.grace else { return true }
                return idle < Self.stall ? try await log.isFollowed() : false
            }
        )
    }

    /// Waits until the log is applied up to a position: the read models contain it, payments are settled, and the read
    /// models contain what settlement appended. Needs a ledger that applies the log.
    ///
    /// - Parameter progress: Called with the position that every read model contains, and the wanted one.
    /// - Returns: The position up to which the log is applied.
    /// - Throws: `ReadModelsBehind`.
    package func waitUntilApplied(
        upTo position: Int64,
        progress: (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Int64 {
        var end = position
        try await wait(for: end, progress: { progress($0, end) })
        try await waitUntilSettled(end)
        if log.appended.position > end {
            end = log.appended.position
            try await wait(for: end, progress: { progress($0, end) })
            try await waitUntilSettled(end)
        }
        progress(end, end)
        return end
    }

    /// Waits until the read models contain a position.
    ///
    /// - Parameters:
    ///   - needed: Those that must contain it although they are halted; nil for all, which this process applies.
    ///   - mayMove: Whether to wait longer after this time without progress.
    /// - Throws: `ReadModelsBehind`.
    private func wait(
        for position: Int64,
        needed: [String]? = nil,
        progress: (Int64) -> Void = { _ in },
        while mayMove: (_ idle: Duration) async throws -> Bool = { $0 < stall }
    ) async throws {
        var steps: Int64 = -1
        var moved = ContinuousClock.now
        while let lag = try await readModels.lag(upTo: position, needed: needed) {
            progress(position - lag.missing)
            if lag.steps != steps { (steps, moved) = (lag.steps, .now) }
            let idle = moved.duration(to: .now)
            // A process that applies the log tries the event again when it starts, whatever an earlier one recorded.
            let isStuck = needed == nil ? readModels.isHaltedHere(lag.name) : lag.isHalted && idle > Self.grace
            guard !isStuck, try await mayMove(idle) else {
                throw ReadModelsBehind(name: lag.name, missing: lag.missing, isHalted: lag.isHalted)
            }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    private func waitUntilSettled(_ target: Int64) async throws {
        var settled: Int64 = -1
        var moved = ContinuousClock.now
        while true {
            let position = try await reconciliation.settledPosition()
            if position >= target { return }
            if position != settled { (settled, moved) = (position, .now) }
            guard moved.duration(to: .now) < Self.stall else {
                throw ReadModelsBehind(name: "settlement", missing: target - position, isHalted: false)
            }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// Waits until every read model contains the writes that this process acknowledged so far, `waitLimit` at most.
    ///
    /// - Returns: False when one of them does not.
    package func waitForOwnWrites() async throws -> Bool {
        let position = log.appended.position
        let deadline = ContinuousClock.now.advanced(by: waitLimit)
        for projection in readModels.projections {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await readModels.wait(for: projection.name, toReachKnown: position, timeout: rest) else {
                return false
            }
        }
        return true
    }
}

/// A read model lacks events, and nothing applies them.
package struct ReadModelsBehind: Error, Hashable {
    /// The read model that lacks the most, or `settlement`.
    package let name: String
    /// The number of events that it lacks.
    package let missing: Int64
    /// True when it cannot apply the next event.
    package let isHalted: Bool
}
