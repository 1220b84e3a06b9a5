package import Canonical
package import EventLog
import Intake
package import Logging
package import Postgres
package import Projections

/// Reconciles automatically: at once after a statement was imported or withdrawn, an operator decided an exception,
/// or the rules changed; and periodically, because movements become due.
package struct ReconciliationProcess: Sendable {
    package static let actor = "process:reconciliation"
    /// Events within this time are handled together.
    private static let gathering = Duration.milliseconds(200)

    private let pool: PostgresPool
    private let round: ReconciliationRound
    private let readModels: ReadModels
    private let appended: PositionSignal
    private let ids: any UUIDGenerator
    private let interval: Duration
    private let loop: BackgroundLoop

    /// - Parameter interval: The most time until all changes are examined.
    package init(
        pool: PostgresPool,
        round: ReconciliationRound,
        readModels: ReadModels,
        appended: PositionSignal,
        ids: any UUIDGenerator,
        interval: Duration,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.pool = pool
        self.round = round
        self.readModels = readModels
        self.appended = appended
        self.ids = ids
        self.interval = interval
        loop = BackgroundLoop(
            appended: appended,
            retry: .seconds(1)...(.seconds(60)),
            failureMessage: "reconciliation waits",
            logger: logger,
            clock: clock
        )
    }

    /// Runs until cancelled. A failed run is retried.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await follow() }
            group.addTask { await keepTime() }
            await group.waitForAll()
        }
    }

    /// Reconciles the tenants with new statements, decisions or rules.
    private func follow() async {
        // Statements and decisions come in several events, so the rest is waited for.
        await loop.run(after: .append(beyond: 0, gathering: Self.gathering)) {
            let position = appended.position
            for name in ["statements", "reconciliation"] {
                while try await !readModels.wait(for: name, toReachKnown: position, timeout: .seconds(10)) {
                    try Task.checkCancellation()
                }
            }
            try await reconcile(waiting())
            return .append(beyond: position, gathering: Self.gathering)
        }
    }

    /// Periodically reconciles every tenant with statements, or with rules, whose calendars may expect a first one.
    private func keepTime() async {
        await loop.run(after: .time(interval)) {
            try await reconcile(tenants("true"))
            return .time(interval)
        }
    }

    /// Reconciles each tenant. A failure of one does not delay the others.
    ///
    /// - Throws: The last failure.
    private func reconcile(_ tenants: [String]) async throws {
        var failure: (any Error)?
        for tenant in tenants {
            do {
                try await reconcile(tenant)
            } catch {
                try Task.checkCancellation()
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func reconcile(_ tenant: String) async throws {
        let sender = Sender(tenant: tenant, actor: Self.actor, correlation: ids.next().text)
        _ = try await round.run(sender: sender)
    }

    /// The tenants whose newest run does not cover a statement, a decision or a change of the rules.
    private func waiting() async throws -> [String] {
        try await tenants(
            """
            t.changed > t.covers OR EXISTS (
                SELECT FROM read_reconciliation.steps s WHERE s.tenant = t.tenant AND s.position > t.covers
                    AND s.kind IN ('ExceptionResolved', 'ExceptionReopened')
            )
            """
        )
    }

    private func tenants(_ condition: String) async throws -> [String] {
        try await pool.query(
            """
            SELECT t.tenant FROM (
                SELECT s.tenant, max(s.position) AS changed, coalesce((
                    SELECT r.covers FROM read_reconciliation.runs r
                    WHERE r.tenant = s.tenant AND r.completed IS NOT NULL ORDER BY r.position DESC LIMIT 1
                ), 0) AS covers
                FROM (
                    SELECT tenant, last_position AS position FROM read_statements.statements WHERE status <> 'importing'
                    UNION ALL SELECT tenant, position FROM read_reconciliation.rules
                ) s GROUP BY s.tenant
            ) t WHERE \(condition) ORDER BY t.tenant
            """,
            []
        ).map { try $0.text(0) }
    }
}
