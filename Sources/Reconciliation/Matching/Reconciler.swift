package import Canonical
import Crypto
package import EventLog
package import Intake
package import Matching
import Payments
package import Postgres
package import Projections

/// Explains the lines of processors by the movements of the ledger, and deposits by payouts, and records what has changed since it last did.
///
/// What is recorded always converges: a run that was cut off leaves true links behind, and the next one records the rest.
package struct Reconciler: Sendable {
    /// What a run did.
    package struct Outcome: Sendable, Hashable {
        package var run: UUID128
        /// Every event up to here has been looked at.
        package var covers: Int64
        package var isWhole: Bool
        package var completion: RunCompletion
        /// Of the event with which it ended.
        package var position: Int64
    }

    /// Why a run did not come to its end.
    package enum Refusal: Error, Hashable, Sendable {
        /// The read models have not come as far as the log.
        case behind
        /// Another run recorded something at the same time. Try again.
        case disturbed
    }

    /// The read models a run goes by.
    private static let sources = ["statements", "movements", "reconciliation"]
    private static let workMemory = "256MB"

    let pool: PostgresPool
    private let sequencer: Sequencer
    private let reader: EventReader
    let readModels: ReadModels
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(
        pool: PostgresPool,
        sequencer: Sequencer,
        reader: EventReader,
        readModels: ReadModels,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.pool = pool
        self.sequencer = sequencer
        self.reader = reader
        self.readModels = readModels
        self.ids = ids
        self.clock = clock
    }

    /// Runs once.
    ///
    /// - Parameters:
    ///   - asked: Under which name it was asked for; nil for a run with an id of its own.
    ///   - isWhole: True to look at everything again; else at what has changed, and what that concerns.
    ///   - waitLimit: How long to wait for the read models.
    ///   - progress: Is told how much is recorded.
    /// - Throws: `Refusal`, `IntakeProblem` where the log does not take it, `PostgresError`.
    package func run(
        asked: RunRequest? = nil,
        whole isWhole: Bool = false,
        sender: Sender,
        waitLimit: Duration = .seconds(60),
        progress: @escaping @Sendable (_ links: Int64, _ exceptions: Int64) -> Void = { _, _ in }
    ) async throws -> Outcome {
        // One that was cut off goes on under the same name.
        let isBegun: Bool =
            if let asked {
                try await isKnown(asked, of: sender.tenant)
            } else {
                false
            }
        let head = try await reader.head()
        for name in Self.sources {
            guard try await readModels.wait(for: name, toReach: head, timeout: waitLimit) else { throw Refusal.behind }
        }
        let stream = StreamName.reconciliation(of: sender.tenant)
        let newest = try await newest(of: stream, sender.tenant)
        // Another run recorded something since: its links are not in the read model yet.
        guard newest.map({ $0.position <= head }) ?? true else { throw Refusal.disturbed }
        let rules = try await self.rules(of: sender.tenant)
        let last = try await self.last(of: sender.tenant)
        return try await StreamRecording<ReconciliationEvent>.with(
            sequencer: sequencer,
            ids: ids,
            clock: clock,
            stream: stream,
            sender: sender,
            version: newest?.version ?? 0,
            disturbed: Refusal.disturbed
        ) { recording in
            try await record(
                asked?.run ?? ids.next(),
                isBegun ? nil : asked?.key,
                isWhole,
                head,
                rules,
                last,
                on: recording,
                of: sender,
                progress
            )
        }
    }

    /// Finds out what has changed, and records it.
    private func record(
        _ id: UUID128,
        _ key: IdempotencyKey?,
        _ isWhole: Bool,
        _ head: Int64,
        _ rules: MatchingRules,
        _ last: LastRun?,
        on recording: StreamRecording<ReconciliationEvent>,
        of sender: Sender,
        _ progress: @escaping @Sendable (_ links: Int64, _ exceptions: Int64) -> Void
    ) async throws -> Outcome {
        let digest = try Self.digest(of: rules)
        let today = String(clock.now().rfc3339.prefix(10))
        // Each statement sees what is there: tables that a rebuild swaps in are empty to an older snapshot. What changes
        // between two of them is looked at by the next run.
        return try await pool.withTransaction { transaction in
            // Compiling a statement takes longer than most of them do.
            try await transaction.script(
                "SET LOCAL work_mem = '\(Self.workMemory)'; SET LOCAL statement_timeout = 0; SET LOCAL jit = off"
            )
            // Two that compute the same would only find out when one of them records it.
            let isAlone = try await transaction.query(
                "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
                [.text("daybook reconciliation of \(sender.tenant)")]
            ).first?.bool(0)
            guard isAlone == true else { throw Refusal.disturbed }
            // By it everybody knows whether anybody is still at the run.
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                [.text(RunView.lock(of: id))]
            )
            let horizon = try await transaction.query(
                """
                SELECT least(max(r.day), $2::text::date)::text FROM read_statements.reach r
                JOIN read_statements.statements f ON f.tenant = r.tenant AND f.id = r.statement AND \(CountedLines.holds("f"))
                WHERE r.tenant = $1
                """,
                [.text(sender.tenant), .text(today)]
            ).first?.textOrNull(0)
            let since = isWhole || last?.rules != digest ? 0 : last?.covers ?? 0
            let matcher = Matcher(
                tenant: sender.tenant,
                rules: rules,
                since: since,
                horizon: horizon,
                horizonBefore: last?.horizon,
                accounts: HorizonSQL(
                    tenant: sender.tenant,
                    since: since,
                    lastDay: last?.day,
                    today: today,
                    silentDays: rules.silentDays
                )
            )
            let deposits = DepositMatcher(
                tenant: sender.tenant,
                rules: rules,
                since: since,
                today: today,
                lastDay: last?.day
            )
            let extent = try await matcher.match(with: deposits, in: transaction)
            // A run that cannot match leaves nothing behind, however often it is tried. One that was cut off before has ended
            // at the latest now: whoever holds the lock is alone.
            var beginning = try await unended(of: sender.tenant).map {
                ReconciliationEvent.failed(RunFailure(run: $0, reason: .cutOff))
            }
            beginning.append(
                .began(RunBeginning(run: id, covers: head, since: since, rules: digest, horizon: horizon))
            )
            try await recording.append(beginning, under: key)
            var counts = RunCompletion(run: id)
            do {
                // A movement may go from one line to another: it leaves the one before it gets to the other.
                for change in RunChange.all {
                    guard let sql = change.sql(extent) else { continue }
                    try await transaction.stream(sql, [.text(sender.tenant)] + change.parameters(rules)) { row in
                        let part = try RunChange.Part(row)
                        counts[keyPath: change.count] += part.count
                        try await recording.append([try change.event(part, rules: rules)])
                        progress(
                            counts.matched + counts.unmatched + counts.depositsMatched + counts.depositsUnmatched,
                            counts.raised + counts.cleared
                        )
                    }
                }
                try await recording.append([.completed(counts)])
                let position = try await recording.finish()
                let isWhole = extent.lines == .everything
                return Outcome(run: id, covers: head, isWhole: isWhole, completion: counts, position: position)
            } catch {
                await fail(id, error, on: recording)
                throw error
            }
        }
    }

    /// Records that a run has failed. Where the log does not take that either, the next run tells.
    private func fail(
        _ id: UUID128,
        _ error: any Error,
        on recording: StreamRecording<ReconciliationEvent>
    ) async {
        let reason: RunFailure.Reason =
            switch error {
            case is PostgresError: .database
            case is IntakeProblem: .log
            case Refusal.disturbed: .disturbed
            default: .other
            }
        // What is on its way comes first, whatever becomes of it.
        _ = try? await recording.finish()
        try? await recording.append([.failed(RunFailure(run: id, reason: reason))])
    }

    /// The runs of a tenant that began and did not end, in the order of their beginnings.
    private func unended(of tenant: String) async throws -> [UUID128] {
        try await pool.query(
            """
            SELECT id FROM read_reconciliation.runs
            WHERE tenant = $1 AND completed IS NULL AND failed IS NULL ORDER BY position
            """,
            [.text(tenant)]
        ).map { try $0.uuid(0) }
    }

    /// Whether a run was begun under this name.
    ///
    /// - Throws: `IntakeProblem` where the name was used for something else.
    package func isKnown(_ asked: RunRequest, of tenant: String) async throws -> Bool {
        guard let earlier = try await reader.appended(under: asked.key.key, of: tenant) else { return false }
        guard earlier.request == asked.key.request else { throw IntakeProblem.idempotencyMismatch }
        return true
    }

    /// The rules of a tenant: those told last, else the standard ones.
    package func rules(of tenant: String) async throws -> MatchingRules {
        var filter = EventFilter()
        filter.stream = StreamName.reconciliation(of: tenant)
        filter.type = ReconciliationEvent.Name.rulesChanged.rawValue
        guard let event = try await reader.newest(of: tenant, matching: filter, limit: 1).last,
            case .rulesChanged(let change) = try ReconciliationEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
        else { return MatchingRules() }
        return change.rules
    }

    func newest(of stream: String, _ tenant: String) async throws -> RecordedEvent? {
        var filter = EventFilter()
        filter.stream = stream
        return try await reader.newest(of: tenant, matching: filter, limit: 1).last
    }

    private struct LastRun {
        var covers: Int64
        var rules: String
        var horizon: String?
        /// When it began, in UTC.
        var day: String
    }

    /// The run that came furthest.
    private func last(of tenant: String) async throws -> LastRun? {
        try await pool.query(
            """
            SELECT covers, rules, horizon::text, (began_at AT TIME ZONE 'UTC')::date::text FROM read_reconciliation.runs
            WHERE tenant = $1 AND completed IS NOT NULL ORDER BY position DESC LIMIT 1
            """,
            [.text(tenant)]
        ).first.map { row in
            LastRun(
                covers: try row.int64(0),
                rules: try row.text(1),
                horizon: try row.textOrNull(2),
                day: try row.text(3)
            )
        }
    }

    /// SHA-256 of rules, in hexadecimal digits, as a run tells it.
    package static func digest(of rules: MatchingRules) throws -> String {
        SHA256.hash(data: Array(try JSONValueEncoder().encode(rules).text.utf8)).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
