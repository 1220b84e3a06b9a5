import Canonical
package import Intake
package import Projections

/// Reconciles a tenant: matches what has changed, ends the doubts that statements end, matches what came of that, and puts in
/// doubt again what rested on a statement that was withdrawn.
package struct Reconciliation: Sendable {
    /// What was done.
    package struct Outcome: Sendable, Hashable {
        /// One or two runs.
        package var runs: [Reconciler.Outcome]
        /// How many payments in doubt were resolved.
        package var resolved: Int
        /// The last position that was recorded.
        package var position: Int64

        /// The run that was asked for.
        package var first: Reconciler.Outcome? { runs.first }
        /// The run that says how things stand.
        package var last: Reconciler.Outcome? { runs.last }
    }

    private let reconciler: Reconciler
    private let resolver: DoubtResolver
    private let withdrawn: WithdrawnEvidence
    private let readModels: ReadModels
    private let clock: any Clock<Duration>

    package init(
        reconciler: Reconciler,
        resolver: DoubtResolver,
        withdrawn: WithdrawnEvidence,
        readModels: ReadModels,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.reconciler = reconciler
        self.resolver = resolver
        self.withdrawn = withdrawn
        self.readModels = readModels
        self.clock = clock
    }

    /// Reconciles. Where somebody else does so at the same time, waits for them.
    ///
    /// - Parameters:
    ///   - asked: Under which name the first run was asked for; nil for an id of its own.
    ///   - isWhole: True to look at everything again; else at what has changed, and what that concerns.
    ///   - waitLimit: How long to wait for the read models, and for somebody else.
    ///   - progress: Is told how much is recorded.
    /// - Throws: `Reconciler.Refusal`, `IntakeProblem` where the log does not take it, `PostgresError`.
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
        // Somebody else may have resolved them, and not have come to match them yet.
        if resolved.count + resolved.before > 0 {
            last = try await undisturbed(nil, false, sender, waitLimit, progress)
            runs.append(last)
            try await wait(for: last, waitLimit)
        }
        // Which payments are in doubt already. Where it is not known, the next run clears what this one could have.
        _ = try await readModels.wait(for: "anomalies", toReach: last.position, timeout: min(waitLimit, .seconds(5)))
        let reviewed = try await withdrawn.review(sender: sender)
        return Outcome(runs: runs, resolved: resolved.count, position: max(last.position, reviewed))
    }

    /// Until it can be read what a run has found.
    private func wait(for run: Reconciler.Outcome, _ waitLimit: Duration) async throws {
        guard
            try await readModels.wait(for: "reconciliation", toReach: run.position, timeout: waitLimit)
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
