import Canonical
package import Intake
package import Projections

/// Reconciles a tenant: matches what has changed, ends the doubts that statements end, and matches what came of that.
package struct Reconciliation: Sendable {
    /// What was done.
    package struct Outcome: Sendable, Hashable {
        /// One or two runs.
        package var runs: [Reconciler.Outcome]
        /// How many payments in doubt were resolved.
        package var resolved: Int

        /// The run that was asked for.
        package var first: Reconciler.Outcome? { runs.first }
        /// The run that says how things stand.
        package var last: Reconciler.Outcome? { runs.last }
    }

    private let reconciler: Reconciler
    private let resolver: DoubtResolver
    private let readModels: ReadModels
    private let clock: any Clock<Duration>

    package init(
        reconciler: Reconciler,
        resolver: DoubtResolver,
        readModels: ReadModels,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.reconciler = reconciler
        self.resolver = resolver
        self.readModels = readModels
        self.clock = clock
    }

    /// Reconciles. Where somebody else does so at the same time, waits for them.
    ///
    /// - Parameters:
    ///   - asked: Under which name the first run was asked for; nil for an id of its own.
    ///   - isWhole: True to look at everything again; else at what has changed, and what that concerns.
    ///   - patience: How long to wait for the read models, and for somebody else.
    ///   - progress: Is told how much is recorded.
    /// - Throws: `Reconciler.Refusal`, `IntakeProblem` where the log does not take it, `PostgresError`.
    package func run(
        asked: RunRequest? = nil,
        whole isWhole: Bool = false,
        sender: Sender,
        patience: Duration = .seconds(60),
        progress: @escaping @Sendable (_ links: Int64, _ exceptions: Int64) -> Void = { _, _ in }
    ) async throws -> Outcome {
        let first = try await undisturbed(asked, isWhole, sender, patience, progress)
        guard
            try await readModels.wait(for: "reconciliation", toReach: first.position, timeout: patience)
        else { throw Reconciler.Refusal.behind }
        let resolved = try await resolver.resolve(sender: sender)
        // Somebody else may have resolved them, and not have come to match them yet.
        guard resolved.count + resolved.before > 0 else { return Outcome(runs: [first], resolved: 0) }
        let second = try await undisturbed(nil, false, sender, patience, progress)
        return Outcome(runs: [first, second], resolved: resolved.count)
    }

    private func undisturbed(
        _ asked: RunRequest?,
        _ isWhole: Bool,
        _ sender: Sender,
        _ patience: Duration,
        _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> Reconciler.Outcome {
        let start = ContinuousClock.now
        while true {
            do {
                return try await reconciler.run(
                    asked: asked,
                    whole: isWhole,
                    sender: sender,
                    patience: patience,
                    progress: progress
                )
            } catch Reconciler.Refusal.disturbed where ContinuousClock.now - start < patience {
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }
}
