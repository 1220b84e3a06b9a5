package import Canonical
import Crypto
package import EventLog
package import Intake
package import Matching
import Payments
package import Postgres
package import Projections

/// Matches the lines of processors with the movements of the ledger, and deposits with payouts, and records the
/// changes since the previous run.
///
/// The records always converge: an interrupted run leaves true links behind, and the next run records the rest.
package struct Reconciler: Sendable {
    /// The result of a run.
    package struct Outcome: Sendable, Hashable {
        package var run: UUID128
        /// The position up to which the run has examined all events.
        package var covers: Int64
        package var isWhole: Bool
        package var completion: RunCompletion
        /// The position of the run's last event.
        package var position: Int64
    }

    /// The reason why a run was not completed.
    package enum Refusal: Error, Hashable, Sendable {
        /// The read models have not caught up with the log.
        case behind
        /// Another run recorded events at the same time. Try again.
        case disturbed
    }

    /// The read models that a run reads.
    private static let sources = ["statements", "movements", "reconciliation", "merchants"]
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

    /// Executes one run.
    ///
    /// - Parameters:
    ///   - asked: The name of the request; nil for a run with a new id.
    ///   - isWhole: True to examine everything; false for the changes and the rows that they affect.
    ///   - waitLimit: The most time to wait for read models that do not move.
    ///   - progress: Called with the numbers of recorded links and exceptions.
    /// - Throws: `Refusal`, `IntakeProblem` when the log rejects the events, `PostgresError`.
    package func run(
        asked: RunRequest? = nil,
        whole isWhole: Bool = false,
        sender: Sender,
        waitLimit: Duration = .seconds(60),
        progress: @escaping @Sendable (_ links: Int64, _ exceptions: Int64) -> Void = { _, _ in }
    ) async throws -> Outcome {
        // An interrupted run continues under the same name.
        let isBegun: Bool =
            if let asked {
                try await isKnown(asked, of: sender.tenant)
            } else {
                false
            }
        let head = try await reader.head()
        for name in Self.sources {
            guard try await readModels.wait(for: name, toReach: head, idle: waitLimit) else { throw Refusal.behind }
        }
        let stream = StreamName.reconciliation(of: sender.tenant)
        let newest = try await newest(of: stream, sender.tenant)
        // Another run recorded events meanwhile, and its links are not in the read model yet.
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

    /// Computes the changes and records them.
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
        let now = clock.now()
        let today = String(now.rfc3339.prefix(10))
        // Each statement has its own snapshot, because tables that a rebuild swaps in appear empty to an older one.
        // The next run examines changes between two statements.
        return try await pool.withTransaction { transaction in
            // JIT compilation takes longer than most of the statements, and so do statistics of larger samples.
            try await transaction.script(
                """
                SET LOCAL work_mem = '\(Self.workMemory)'; SET LOCAL default_statistics_target = 20;
                SET LOCAL statement_timeout = 0; SET LOCAL jit = off
                """
            )
            // Without this lock, two processes would compute the same run, and only one could record it.
            let isAlone = try await transaction.query(
                "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
                [.text("daybook reconciliation of \(sender.tenant)")]
            ).first?.bool(0)
            guard isAlone == true else { throw Refusal.disturbed }
            // This lock shows other processes that the run is in progress.
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
            let merchants = MerchantQuery(pool: pool)
            let names = try await merchants.bestNames(of: sender.tenant, at: head, since: last?.covers ?? 0)
            let terminals = try await merchants.terminals(of: sender.tenant, at: head, since: last?.covers ?? 0)
            // A changed name may have any number of earlier payments, and one that is linked now any number of lines.
            let isJoined = try await MerchantNames.areInFiles(names.joined, of: sender.tenant, in: transaction)
            let isRenamed = isJoined || names.areChanged || KnownPlaces(names, terminals).becameSeveral
            let since = isWhole || isRenamed || last?.rules != digest ? 0 : last?.covers ?? 0
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
                ),
                names: names,
                terminals: terminals
            )
            let deposits = DepositMatcher(
                tenant: sender.tenant,
                rules: rules,
                since: since,
                today: today,
                lastDay: last?.day
            )
            let matched = try await matcher.match(in: transaction)
            // A run that fails until here records nothing, however often it is retried. One that fails later is recorded
            // as failed, with its links. A run that was cut off earlier has ended by now, because the lock's holder is the only one running.
            var beginning = try await unended(of: sender.tenant).map {
                ReconciliationEvent.failed(RunFailure(run: $0, reason: .cutOff))
            }
            beginning.append(
                .began(RunBeginning(run: id, covers: head, since: since, rules: digest, horizon: horizon))
            )
            try await recording.append(beginning, under: key)
            var counts = RunCompletion(run: id)
            do {
                // The read model stores the links while the exceptions are computed.
                for change in RunChange.ofMatches {
                    guard let sql = change.sql(matched) else { continue }
                    let values = [.text(sender.tenant)] + change.parameters(rules)
                    try await record(change, sql, values, rules, &counts, on: recording, progress, in: transaction)
                }
                var extent = try await matcher.explain(matched, with: deposits, in: transaction)
                extent.calendars = try await MissingStatements(
                    tenant: sender.tenant,
                    calendars: rules.calendars,
                    since: since,
                    now: now
                ).check(in: transaction)
                for change in RunChange.ofExceptions {
                    guard let sql = change.sql(extent) else { continue }
                    let values = [.text(sender.tenant)] + change.parameters(rules)
                    try await record(change, sql, values, rules, &counts, on: recording, progress, in: transaction)
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

    /// Records all differences of one kind and counts them.
    private func record(
        _ change: RunChange,
        _ sql: String,
        _ parameters: [PostgresValue],
        _ rules: MatchingRules,
        _ counts: inout RunCompletion,
        on recording: StreamRecording<ReconciliationEvent>,
        _ progress: @Sendable (_ links: Int64, _ exceptions: Int64) -> Void,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        var sums = counts
        try await transaction.stream(sql, parameters) { row in
            let part = try RunChange.Part(row)
            sums[keyPath: change.count] += part.count
            try await recording.append([try change.event(part, rules: rules)])
            progress(
                sums.matched + sums.unmatched + sums.depositsMatched + sums.depositsUnmatched,
                sums.raised + sums.cleared
            )
        }
        counts = sums
    }

    /// Records that a run has failed. If the log rejects that too, the next run records it.
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
        // Pending events come first, whatever their result.
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

    /// Whether a run has begun under this name.
    ///
    /// - Throws: `IntakeProblem` when the name was used for another request.
    package func isKnown(_ asked: RunRequest, of tenant: String) async throws -> Bool {
        guard let earlier = try await reader.appended(under: asked.key.key, of: tenant) else { return false }
        guard earlier.request == asked.key.request else { throw IntakeProblem.idempotencyMismatch }
        return true
    }

    /// The newest recorded rules of a tenant, else the standard ones.
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
        /// The day on which it began, in UTC.
        var day: String
    }

    /// The newest completed run.
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

    /// Raised when the matcher finds other things by the same rules: the next run compares everything.
    private static let version = 7

    /// SHA-256 of the version of the matcher and of rules, in hexadecimal digits, as recorded in a run.
    package static func digest(of rules: MatchingRules) throws -> String {
        SHA256.hash(data: Array("\(version) \(try JSONValueEncoder().encode(rules).text)".utf8)).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
