import Canonical
package import Intake
package import Projections

/// Reconciles a tenant: matches the changes, resolves payments in doubt with the evidence of statements, records their
/// chargebacks, matches what was recorded, and puts payments in doubt again whose evidence was a withdrawn statement.
package struct ReconciliationRound: Sendable {
    /// The result of a reconciliation.
    package struct Outcome: Sendable, Hashable {
        /// One or two runs.
        package var runs: [Reconciler.Outcome]
        /// The number of payments in doubt that were resolved.
        package var resolved: Int
        /// The last recorded position.
        package var position: Int64

        /// The requested run.
        package var first: Reconciler.Outcome? { runs.first }
        /// The run with the final state.
        package var last: Reconciler.Outcome? { runs.last }
    }

    private let reconciler: Reconciler
    private let resolver: DoubtResolver
    private let disputes: DisputeRecorder
    private let withdrawn: WithdrawnEvidence
    private let readModels: ReadModels
    private let clock: any Clock<Duration>

    package init(
        reconciler: Reconciler,
        resolver: DoubtResolver,
        disputes: DisputeRecorder,
        withdrawn: WithdrawnEvidence,
        readModels: ReadModels,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.reconciler = reconciler
        self.resolver = resolver
        self.disputes = disputes
        self.withdrawn = withdrawn
        self.readModels = readModels
        self.clock = clock
    }

    /// Reconciles. If another process does so at the same time, waits for it.
    ///
    /// - Parameters:
    ///   - asked: The name of the request for the first run; nil for a run with a new id.
    ///   - isWhole: True to examine everything; false for the changes and the rows that they affect.
    ///   - waitLimit: The most time to wait for another process, and for read models that do not move.
    ///   - progress: Called with the numbers of recorded links and exceptions.
    /// - Throws: `Reconciler.Refusal`, `IntakeProblem` when the log rejects the events, `PostgresError`.
    package func run(
        asked: RunRequest? = nil,
        whole isWhole: Bool = false,
        sender: Sender,
        waitLimit: Duration = .seconds(60),
        progress: @escaping @Sendable (_ links: Int64, _ exceptions: Int64) -> Void = { _, _ in }
    ) async throws -> Outcome {
        var last = try await undisturbed(asked, isWhole, sender, waitLimit, progress)
        var runs = [last]
        try await wait(for: last, waitLimit)
        let resolved = try await resolver.resolve(sender: sender)
        let disputed = try await disputes.record(sender: sender)
        // Another process may have resolved them without having matched them yet.
        if resolved.count + resolved.before + disputed > 0 {
            last = try await undisturbed(nil, false, sender, waitLimit, progress)
            runs.append(last)
            try await wait(for: last, waitLimit)
        }
        // The review uses the known anomalies. If the read model is behind, the next run clears what this one could
        // have cleared.
        _ = try await readModels.wait(for: "anomalies", toReach: last.position, timeout: min(waitLimit, .seconds(5)))
        let reviewed = try await withdrawn.review(sender: sender)
        return Outcome(runs: runs, resolved: resolved.count, position: max(last.position, reviewed))
    }

    /// Waits until the read model contains the run.
    private func wait(for run: Reconciler.Outcome, _ waitLimit: Duration) async throws {
        guard
            try await readModels.wait(for: "reconciliation", toReach: run.position, idle: waitLimit)
        else { throw Reconciler.Refusal.behind }
    }

    private func undisturbed(
        _ asked: RunRequest?,
        _ isWhole: Bool,
        _ sender: Sender,
        _ waitLimit: Duration,
        _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> Reconciler.Outcome {
        let start = ContinuousClock.now
        while true {
            do {
                return try await reconciler.run(
                    asked: asked,
                    whole: isWhole,
                    sender: sender,
                    waitLimit: waitLimit,
                    progress: progress
                )
            } catch Reconciler.Refusal.disturbed where ContinuousClock.now - start < waitLimit {
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }
}
