package import Canonical
package import EventLog
package import Intake
import Payments
package import Projections
package import Redaction
package import ReplayRules

/// The commands with which operators approve, run, pause and stop plans.
package struct ReplayCommands: Sendable {
    /// The result of a command.
    package struct Outcome: Sendable, Hashable {
        package var position: Int64
        /// True when the same command was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why nothing was recorded.
    package enum Refusal: Error, Sendable, Hashable {
        case noSuchPlan
        /// The read model has not caught up with the newest approval.
        case behind
        case refused(ReplayRefusal)
    }

    private static let page = 1_000

    private let recorder: CommandRecorder
    private let reader: EventReader
    private let planCache: PlanCache
    private let policy: ReplayPolicy
    private let query: ReplayQuery
    private let readModels: ReadModels
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        planCache: PlanCache,
        policy: ReplayPolicy,
        query: ReplayQuery,
        readModels: ReadModels,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        recorder = CommandRecorder("replay", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.reader = reader
        self.planCache = planCache
        self.policy = policy
        self.query = query
        self.readModels = readModels
        self.clock = clock
    }

    /// Records an action on a plan.
    ///
    /// A user who may not approve a plan, for example their own, still approves it if the policy allows plans of its
    /// size.
    ///
    /// - Parameters:
    ///   - authority: The user and their rights.
    ///   - version: The expected version of the plan's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event, the version differs, or the key was used
    ///   for another request.
    package func act(
        _ action: ReplayAction,
        on id: UUID128,
        authority: ReplayAuthority,
        reason: Reason,
        version: Int64? = nil,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> Outcome {
        let entry = try await recorder.recordClaiming(
            on: StreamName.replay(id),
            request: [id.text, sender.actor, "\(action)", reason.text],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            guard newest != nil, let plan = try await planCache.plan(id, of: sender.tenant) else {
                throw Refusal.noSuchPlan
            }
            if let version, version != plan.version { throw IntakeProblem.versionConflict(actual: plan.version) }
            return try await decide(action, plan, authority, reason, sender.tenant)
        }
        return Outcome(position: entry.position, isDuplicate: entry.isDuplicate)
    }

    private func decide(
        _ action: ReplayAction,
        _ plan: ReplayPlan,
        _ authority: ReplayAuthority,
        _ reason: Reason,
        _ tenant: String
    ) async throws -> (events: [ReplayEvent], claims: [String]) {
        let now = clock.now()
        var versions: [UUID128: Int64] = [:]
        if action == .approve {
            let wanted = plan.actionableItems.map(\.planned.transaction)
            for start in stride(from: 0, to: wanted.count, by: Self.page) {
                let page = Array(wanted[start..<min(start + Self.page, wanted.count)])
                versions.merge(try await reader.versions(ofTransactions: page, tenant: tenant)) { $1 }
            }
        }
        do throws(ReplayRefusal) {
            let event = try plan.decide(
                action,
                by: authority,
                reason: reason,
                at: now,
                versions: versions,
                policy: policy
            )
            return ([event], [])
        } catch {
            guard action == .approve, [.ownPlan, .noRight, .unknownHolder].contains(error), policy.items > 0 else {
                throw Refusal.refused(error)
            }
        }
        // A plan that is too large on its own is refused before the daily sum is read.
        func decide(after earlier: [ReplayTotal]) throws -> ReplayEvent {
            do throws(ReplayRefusal) {
                return try plan.decide(
                    .approveByPolicy,
                    by: authority,
                    reason: reason,
                    at: now,
                    versions: versions,
                    policy: policy,
                    earlier: earlier
                )
            } catch {
                throw Refusal.refused(error)
            }
        }
        _ = try decide(after: [])
        // Of two concurrent approvals, one is decided again with the other in its sum.
        let claims = try await NumberedClaims(reader: reader).free(["replay-policy"], tenant: tenant)
        let head = try await reader.head()
        guard try await readModels.wait(for: "replays", toReach: head, timeout: .seconds(10)) else {
            throw Refusal.behind
        }
        let since = now.adding(microseconds: -ReplayPolicy.dailySeconds * 1_000_000)
        return ([try decide(after: try await query.approvedByPolicy(of: tenant, since: since))], claims)
    }
}
