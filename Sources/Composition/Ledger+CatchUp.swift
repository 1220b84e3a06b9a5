import EventLog
import Projections
import Reconciliation

extension Ledger {
    /// The wait without progress and without a step that is being applied, after which a process that applies the log
    /// counts as stuck.
    private static let stall: Duration = .seconds(60)
    /// The wait for a process that applies the log and has just started, or has lost its connection.
    private static let grace: Duration = .milliseconds(500)
    /// The wait after which a reader is informed that it waits.
    private static let silence: Duration = .seconds(1)

    /// Waits until all read models contain every event that is in the log now. Needs a ledger that applies the log.
    ///
    /// - Throws: `ReadModelsBehind` when one is halted, or has not moved for a minute in which no step ran.
    package func catchUp() async throws {
        let head = try await log.reader.head()
        try await applyAll(upTo: head) { _ in }
        try await checkHalts(upTo: head)
    }

    /// Waits until read models contain every event that is in the log now, because another process applies it.
    ///
    /// - Parameters:
    ///   - names: Those that the work needs. Any other one may be halted. Without names, nothing is awaited.
    ///   - waiting: Called once if the wait is long, with the position that the slowest read model contains, and the
    ///     wanted one.
    /// - Throws: `ReadModelsBehind` when one lacks events and is halted, or does not move.
    func waitUntilReadable(_ names: [String], waiting: (_ applied: Int64, _ of: Int64) -> Void) async throws {
        let head = names.isEmpty ? 0 : try await log.reader.head()
        // Without an event there may be no tables yet, and no tenant that could be read.
        guard head > 0 else { return }
        let began = ContinuousClock.now
        var isReported = false
        var progress = ReadModelProgress()
        var (isFollowed, isWithoutStep) = (PacedCheck(), PacedCheck())
        while true {
            let lags = try await readModels.lags(upTo: head).filter { !$0.isHalted || names.contains($0.name) }
            guard let (lag, idle) = progress.slowest(of: lags) else { return }
            if idle > Self.grace {
                if lag.isHalted { throw ReadModelsBehind(lag, .halted) }
                let applies = try await isFollowed.result { try await log.isFollowed() }
                if !applies { throw ReadModelsBehind(lag, .notApplied) }
                if try await isStalled(lag, for: idle, &isWithoutStep) { throw ReadModelsBehind(lag, .stalled) }
            }
            if !isReported, began.duration(to: .now) > Self.silence {
                isReported = true
                waiting(head - lag.missing, head)
            }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// Waits until the log is applied up to a position: the read models contain it, payments are settled, and the read
    /// models contain what settlement appended. Needs a ledger that applies the log.
    ///
    /// A read model that cannot apply an event does not keep the others from the end of the log.
    ///
    /// - Parameter progress: Called with the position that every read model contains, and the wanted one.
    /// - Returns: The position up to which the log is applied.
    /// - Throws: `ReadModelsBehind`; `AppendError` if settlement has to append, and an operator must act first.
    package func waitUntilApplied(
        upTo position: Int64,
        progress: (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Int64 {
        var end = position
        try await applyAll(upTo: end) { progress($0, end) }
        try await waitUntilSettled(end)
        if log.appended.position > end {
            end = log.appended.position
            try await applyAll(upTo: end) { progress($0, end) }
            try await waitUntilSettled(end)
        }
        try await checkHalts(upTo: end)
        progress(end, end)
        return end
    }

    /// Waits until the read models contain a position, except for those whose runner in this process is halted.
    private func applyAll(upTo position: Int64, _ report: (Int64) -> Void) async throws {
        var progress = ReadModelProgress()
        var isWithoutStep = PacedCheck()
        while true {
            // This process tries the next event again when it starts, whatever fault an earlier one has recorded.
            let lags = try await readModels.lags(upTo: position).filter { !readModels.isHaltedHere($0.name) }
            guard let (lag, idle) = progress.slowest(of: lags) else { return }
            report(position - lag.missing)
            if try await isStalled(lag, for: idle, &isWithoutStep) { throw ReadModelsBehind(lag, .stalled) }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    private func isStalled(
        _ lag: ReadModels.Lag,
        for idle: Duration,
        _ isWithoutStep: inout PacedCheck
    ) async throws -> Bool {
        guard idle > Self.stall, !lag.isRebuilding else { return false }
        return try await isWithoutStep.result {
            // A step may wait for a lock for a moment.
            for _ in 0..<5 {
                if try await readModels.isApplyingStep() { return false }
                try await ContinuousClock().sleep(for: .milliseconds(200))
            }
            return true
        }
    }

    private func checkHalts(upTo position: Int64) async throws {
        guard let lag = try await readModels.lags(upTo: position).first else { return }
        throw ReadModelsBehind(lag, .halted)
    }

    private func waitUntilSettled(_ target: Int64) async throws {
        var settled: Int64 = -1
        var moved = ContinuousClock.now
        while true {
            let position = try await reconciliation.settledPosition()
            if position >= target { return }
            if position != settled { (settled, moved) = (position, .now) }
            if log.logGuard.waitsForOperator, moved.duration(to: .now) > Self.silence {
                try log.logGuard.requireProven()
            }
            guard moved.duration(to: .now) < Self.stall else {
                throw ReadModelsBehind(name: nil, missing: target - position, reason: .stalled)
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

/// The last progress of each read model that lacks events.
private struct ReadModelProgress {
    private var last: [String: (steps: Int64, at: ContinuousClock.Instant)] = [:]

    /// The read model that has not moved for the longest time, and that time; nil when none lacks events.
    mutating func slowest(of lags: [ReadModels.Lag]) -> (ReadModels.Lag, idle: Duration)? {
        let now = ContinuousClock.now
        for lag in lags where last[lag.name]?.steps != lag.steps { last[lag.name] = (lag.steps, now) }
        return lags.map { ($0, idle: last[$0.name]?.at.duration(to: now) ?? .zero) }
            .max { ($0.idle, $0.0.missing) < ($1.idle, $1.0.missing) }
    }
}

/// A read model, or settlement, lacks events.
package struct ReadModelsBehind: Error, Hashable {
    package enum Reason: Sendable {
        /// It cannot apply the next event.
        case halted
        /// No process applies the log.
        case notApplied
        /// A process applies the log, but this part has not moved for a minute, and no step is being applied.
        case stalled
    }

    /// The read model; nil for settlement.
    package let name: String?
    /// The number of events that it lacks.
    package let missing: Int64
    package let reason: Reason

    init(name: String?, missing: Int64, reason: Reason) {
        self.name = name
        self.missing = missing
        self.reason = reason
    }

    fileprivate init(_ lag: ReadModels.Lag, _ reason: Reason) {
        self.init(name: lag.name, missing: lag.missing, reason: reason)
    }
}
