import Canonical
import Intake
import Ledger
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Simulator

/// What a demonstration asks of a reconciliation.
protocol ReconciledBooks: Sendable {
    /// Matches what was imported, by these rules.
    func reconcile(by rules: MatchingRules) async throws
    func explained() async throws -> ExplainedCounts
    /// Every exception that is open.
    func exceptions() async throws -> [FoundException]
    /// What the lines of processors come to, currency by currency.
    func balances() async throws -> [LineBalance]
}

/// The lines of processors in one currency, in minor units; what is matched and what is open without its fees.
struct LineBalance: Sendable, Hashable {
    var currency: String
    /// All lines together.
    var lines: Int64
    /// Of payments that the ledger's explain.
    var matched: Int64
    /// Of payments with an exception, and what batches are more than their parts.
    var open: Int64
    var fees: Int64
    var chargebacks: Int64
    /// Reserves, and what goes from one batch to another.
    var held: Int64
    /// Below zero.
    var payouts: Int64

    var difference: Int64 { lines - matched - open - fees - chargebacks - held - payouts }
}

/// The books of a ledger in the same process.
struct LedgerBooks: ReconciledBooks {
    let session: Session
    let tenant: String

    func reconcile(by rules: MatchingRules) async throws {
        try await session.withLedger { ledger in
            let sender = Sender(tenant: tenant, actor: "cli:demo", correlation: ledger.ids.next().text)
            if try await ledger.reconciler.rules(of: tenant) != rules {
                _ = try await ledger.rulesDesk.change(to: rules, reason: "as agreed", sender: sender)
            }
            let outcome = try await ledger.reconciler.run(sender: sender)
            let isThere = try await ledger.readModels.wait(
                for: "reconciliation",
                toReach: outcome.position,
                timeout: .seconds(60)
            )
            guard isThere else { throw Failure("The reconciliation does not catch up with the log.") }
        }
    }

    func explained() async throws -> ExplainedCounts {
        try await session.withLedger { try await $0.reconciliationQuery.counts(of: tenant) }
    }

    func exceptions() async throws -> [FoundException] {
        try await query(
            """
            SELECT x.class, s.name, p.number, m.reference, x.amount, x.currency FROM read_reconciliation.exceptions x
            LEFT JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            LEFT JOIN read_statements.placements p ON p.tenant = l.tenant AND p.line = l.id AND p.statement = l.statement
            LEFT JOIN read_statements.statements s ON s.tenant = p.tenant AND s.id = p.statement
            LEFT JOIN read_movements.movements m ON m.tenant = x.tenant AND m.transaction = x.transaction
                AND m.line = x.movement
            WHERE x.tenant = $1 AND x.status = 'open'
            """
        ) { row in
            FoundException(
                exceptionClass: try row.text(0),
                file: try row.textOrNull(1),
                number: try row.int64OrNull(2),
                payment: try row.textOrNull(3),
                amount: try row.int64OrNull(4),
                currency: try row.textOrNull(5)
            )
        }
    }

    func balances() async throws -> [LineBalance] {
        try await query(
            """
            SELECT currency, coalesce(sum(amount) FILTER (WHERE standing <> 'part'), 0)::int8,
                coalesce(sum(gross) FILTER (WHERE is_payment AND is_matched), 0)::int8,
                (coalesce(sum(gross) FILTER (WHERE is_payment AND is_open AND NOT is_matched), 0)
                    + coalesce(sum(gross) FILTER (WHERE standing = 'total' AND has_parts), 0)
                    - coalesce(sum(gross) FILTER (WHERE standing = 'part'), 0))::int8,
                (coalesce(sum(fees) FILTER (WHERE standing <> 'part'), 0)
                    + coalesce(sum(amount) FILTER (WHERE type = 'fee'), 0))::int8,
                coalesce(sum(gross) FILTER (WHERE type IN ('chargeback', 'chargeback-reversal')), 0)::int8,
                coalesce(sum(amount) FILTER (WHERE type IN ('reserve', 'reserve-release', 'transfer', 'adjustment')), 0)
                    ::int8,
                coalesce(sum(amount) FILTER (WHERE type IN ('payout', 'payout-return')), 0)::int8
            FROM (
                SELECT l.currency, l.type, l.standing, l.amount, coalesce(l.gross, l.amount) AS gross, l.fees,
                    l.amount <> 0 AND l.standing <> 'total'
                        AND l.type IN ('sale', 'capture', 'refund', 'refund-reversal') AS is_payment,
                    EXISTS (
                        SELECT FROM read_statements.lines p
                        WHERE p.tenant = l.tenant AND p.statement = l.statement AND p.line_group = l.line_group
                            AND p.standing = 'part'
                    ) AS has_parts,
                    EXISTS (
                        SELECT FROM read_reconciliation.links k
                        WHERE k.tenant = l.tenant AND k.line = l.id AND k.until IS NULL
                    ) AS is_matched,
                    EXISTS (
                        SELECT FROM read_reconciliation.exceptions x
                        WHERE x.tenant = l.tenant AND x.line = l.id AND x.status = 'open'
                    ) AS is_open
                FROM read_statements.lines l WHERE l.tenant = $1 AND l.side = 'processor'
            ) AS told GROUP BY currency ORDER BY currency
            """
        ) { row in
            LineBalance(
                currency: try row.text(0),
                lines: try row.int64(1),
                matched: try row.int64(2),
                open: try row.int64(3),
                fees: try row.int64(4),
                chargebacks: try row.int64(5),
                held: try row.int64(6),
                payouts: try row.int64(7)
            )
        }
    }

    private func query<Result: Sendable>(
        _ sql: String,
        _ read: @escaping @Sendable (PostgresRow) throws -> Result
    ) async throws -> [Result] {
        try await session.withLedger { try await $0.pool.query(sql, [.text(tenant)]).map(read) }
    }
}
