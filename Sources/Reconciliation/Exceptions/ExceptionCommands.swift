package import Canonical
package import EventLog
package import Intake
package import Matching
import Payments
package import Postgres
package import Projections
package import Redaction

/// The commands with which operators handle exceptions. Every step is an event with its actor and reason.
package struct ExceptionCommands: Sendable {
    /// The result of a step.
    package struct Outcome: Sendable, Hashable {
        package var exception: ExceptionView
        /// The position of the event.
        package var position: Int64
        /// True when the same step was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why nothing was recorded.
    package enum Refusal: Error, Hashable, Sendable {
        case noSuchException
        /// The read model has not caught up with the newest recorded step.
        case behind
        case refused(ExceptionRefusal)
    }

    /// The most lines and movements in one match by hand.
    package static let longestMatch = 500

    private let pool: PostgresPool
    private let recorder: CommandRecorder
    private let readModels: ReadModels
    private let reconciler: Reconciler
    private let exceptions: ExceptionQuery
    private let given: GivenAmounts
    private let ids: any UUIDGenerator

    package init(
        pool: PostgresPool,
        sequencer: Sequencer,
        reader: EventReader,
        readModels: ReadModels,
        reconciler: Reconciler,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.pool = pool
        recorder = CommandRecorder("exception", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.readModels = readModels
        self.reconciler = reconciler
        exceptions = ExceptionQuery(pool: pool)
        given = GivenAmounts(reader: reader, clock: clock)
        self.ids = ids
    }

    /// Records an action on an exception.
    ///
    /// - Parameters:
    ///   - version: The expected version of the exception's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    ///   - waitLimit: The most time to wait for the read model.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event, the version differs, or the key was used
    ///   for another request.
    package func act(
        _ action: ExceptionAction,
        on id: UUID128,
        reason: Reason,
        version: Int64? = nil,
        idempotencyKey: String? = nil,
        sender: Sender,
        waitLimit: Duration = .seconds(10)
    ) async throws -> Outcome {
        let action = action.scrubbed()
        let entry = try await recorder.recordClaiming(
            on: StreamName.exception(id),
            request: [id.text, sender.actor, "\(action)", reason.text, version.map { String($0) } ?? "any"],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            if let newest { try await wait(for: newest.position, waitLimit) }
            return try await decide(action, on: id, reason: reason, version: version, sender: sender)
        }
        try await wait(for: entry.position, waitLimit)
        guard let found = try await exceptions.exception(id, of: sender.tenant) else { throw Refusal.noSuchException }
        return Outcome(exception: found, position: entry.position, isDuplicate: entry.isDuplicate)
    }

    /// The event for an action on the exception in its current state, and the names to claim with it.
    private func decide(
        _ action: ExceptionAction,
        on id: UUID128,
        reason: Reason,
        version: Int64?,
        sender: Sender
    ) async throws -> (events: [ExceptionEvent], claims: [String]) {
        guard let found = try await exceptions.exception(id, of: sender.tenant) else { throw Refusal.noSuchException }
        if let version, version != found.version { throw IntakeProblem.versionConflict(actual: found.version) }
        let rules = try await reconciler.rules(of: sender.tenant)
        var state = found.state
        // The ledger's money in the other currency is not explained either, so no limit in one currency covers both.
        if found.exceptionClass == ExceptionClass.currencyDiffers.rawValue { state.amount = nil }
        if case .resolve(let resolution) = action, resolution.kind == .matched {
            guard found.isIn(resolution), let money = try await balance(resolution, of: sender.tenant) else {
                throw Refusal.refused(.unbalanced)
            }
            // The matched amount may be larger than the exception's amount: the limit applies to the larger one.
            if let amount = state.amount {
                let isSame = state.currency.map { $0 == money.currency } ?? false
                state.amount = isSame && amount != .min ? max(abs(amount), money.amount) : nil
            }
        }
        let actor = KeyHolder(actor: sender.actor, holder: sender.holder)
        let proposal = ids.next()
        func decide(after earlier: [Int64]) throws -> ExceptionEvent {
            do throws(ExceptionRefusal) {
                return try state.decide(
                    action,
                    by: actor,
                    proposal: proposal,
                    reason: reason,
                    rules: rules,
                    earlier: earlier
                )
            } catch {
                throw Refusal.refused(error)
            }
        }
        // What needs an approval on its own needs no sum.
        let event = try decide(after: [])
        guard case .resolved(let decision) = event, decision.given != nil, let person = actor.person else {
            return ([event], [])
        }
        let (earlier, claims) = try await given.earlier(of: person, in: state.currency, tenant: sender.tenant)
        let decided = try decide(after: earlier)
        if case .resolutionProposed = decided { return ([decided], []) }
        return ([decided], claims)
    }

    private func wait(for position: Int64, _ waitLimit: Duration) async throws {
        guard try await readModels.wait(for: "reconciliation", toReach: position, timeout: waitLimit) else {
            throw Refusal.behind
        }
    }

    /// The absolute amount of lines and movements that a user matches; nil when both sides differ.
    private func balance(
        _ resolution: ExceptionResolution,
        of tenant: String
    ) async throws -> (amount: Int64, currency: String)? {
        let lines = resolution.lines ?? []
        let movements = resolution.movements ?? []
        guard !lines.isEmpty, !movements.isEmpty, lines.count == 1 || movements.count == 1,
            lines.count + movements.count <= Self.longestMatch, Set(lines).count == lines.count,
            Set(movements).count == movements.count
        else { return nil }
        return try await pool.query(
            """
            SELECT abs(l.amount)::int8, l.least
            FROM (
                SELECT count(*) AS count, sum(coalesce(paid, gross, amount, 0)) AS amount,
                    min(coalesce(paid_currency, currency)) AS least, max(coalesce(paid_currency, currency)) AS most
                FROM read_statements.lines c
                WHERE tenant = $1 AND id = ANY ($2) AND side = 'processor' AND role <> 'total'
                    AND type IN ('sale', 'capture', 'refund', 'refund-reversal') AND \(CountedLines.condition("c"))
            ) l, (
                SELECT count(*) AS count, sum(m.amount) AS amount, min(m.currency) AS least, max(m.currency) AS most
                FROM unnest($3::uuid[], $4::text[]) AS n (transaction, line)
                JOIN read_movements.movements m ON m.tenant = $1 AND m.transaction = n.transaction AND m.line = n.line
                    AND m.type <> 'none'
            ) m
            WHERE l.count = cardinality($2::uuid[]) AND m.count = cardinality($3::uuid[]) AND l.amount = m.amount
                AND l.least = l.most AND m.least = m.most AND l.least = m.least
                AND abs(l.amount) <= 9223372036854775807
            """,
            [
                .text(tenant), .uuidArray(lines), .uuidArray(movements.map(\.transaction)),
                .textArray(movements.map(\.movement)),
            ]
        ).first.map { (try $0.int64(0), try $0.text(1)) }
    }
}

extension ExceptionView {
    /// Whether a match by hand includes this exception's line or movement.
    fileprivate func isIn(_ resolution: ExceptionResolution) -> Bool {
        if let line, resolution.lines?.contains(line) == true { return true }
        return resolution.movements?.contains { $0.transaction == transaction && $0.movement == movement } ?? false
    }
}

extension ExceptionAction {
    /// The action with card numbers masked in its texts.
    fileprivate func scrubbed() -> ExceptionAction {
        let scrubber = TextScrubber()
        switch self {
        case .assign(let assignee): return .assign(assignee.map { scrubber.scrub($0).text })
        case .resolve(var resolution):
            resolution.correction = resolution.correction.map { scrubber.scrub($0).text }
            return .resolve(resolution)
        case .note, .approve, .reject, .reopen: return self
        }
    }
}
