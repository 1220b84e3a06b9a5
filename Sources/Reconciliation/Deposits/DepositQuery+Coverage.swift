import Postgres
import Projections

/// Counts of compared and explained payouts and bank transfers.
package struct DepositCoverage: Sendable, Hashable {
    package enum Side: String, Codable, Sendable, Hashable, CaseIterable {
        case processor, bank
    }

    package enum State: String, Codable, Sendable, Hashable, CaseIterable {
        case matched
        /// An exception about it is open.
        case unmatched
        /// A payout that is not due yet, or in a currency without a known bank account.
        case awaited
        /// A transfer that is unrelated to any payout and not compared.
        case leftOut = "left-out"
        /// A bank line that is not a transfer, such as a fee or a balance, and not compared.
        case noTransfer = "no-transfer"
    }

    package var side: Side
    package var state: State
    package var currency: String
    package var count: Int64
    /// Minor units, positive when the merchant's account receives the money; nil beyond 64 bits.
    package var amount: Int64?
}

extension DepositQuery {
    /// Every payout and bank line, counted once, by side, state and currency, and other transfers at processors that a
    /// bank's line answers or an exception asks about. Counts all rows.
    ///
    /// - Parameter position: The position up to which events count; by default all events.
    package func coverage(of tenant: String, at position: Int64 = .max) async throws -> [DepositCoverage] {
        try await pool.query(
            """
            WITH unmatched AS MATERIALIZED (
                SELECT DISTINCT x.line FROM \(PastExceptions.table(at: "$2", where: "x.class = 'unmatched-deposit'")) x
                WHERE x.stands
            ), details AS (
                SELECT 'processor' AS side, l.currency, -l.amount::numeric AS amount, \(Self.isPayout) AS is_awaited,
                    CASE
                    WHEN EXISTS (
                        SELECT FROM read_reconciliation.deposit_links k
                        WHERE k.tenant = $1 AND k.payout = l.id AND k.position <= $2 AND (k.until IS NULL OR k.until > $2)
                    ) THEN 'matched'
                    WHEN x.line IS NOT NULL THEN 'unmatched' ELSE 'awaited' END AS state
                FROM read_statements.lines l
                LEFT JOIN unmatched x ON x.line = l.id
                WHERE l.tenant = $1 AND l.side = 'processor' AND \(Self.isTransfer) AND l.amount <> 0
                    AND l.role <> 'part' AND l.position <= $2 AND \(CountedLines.condition("l", at: "$2"))
                    AND \(RevisedPayouts.holds("l", at: "$2"))
                UNION ALL
                SELECT 'bank', l.currency, l.amount, true, CASE
                    WHEN l.type NOT IN ('deposit', 'withdrawal') OR coalesce(l.amount, 0) = 0 THEN 'no-transfer'
                    WHEN EXISTS (
                        SELECT FROM read_reconciliation.deposit_links k
                        WHERE k.tenant = $1 AND k.deposit = l.id AND k.position <= $2 AND (k.until IS NULL OR k.until > $2)
                    ) THEN 'matched'
                    WHEN x.line IS NOT NULL THEN 'unmatched' ELSE 'left-out' END
                FROM read_statements.lines l
                LEFT JOIN unmatched x ON x.line = l.id
                WHERE l.tenant = $1 AND l.side = 'bank' AND l.role <> 'part' AND l.position <= $2
                    AND \(CountedLines.condition("l", at: "$2"))
            )
            SELECT side, state, currency, count(*),
                CASE WHEN abs(coalesce(sum(amount), 0)) <= 9223372036854775807 THEN coalesce(sum(amount), 0)::int8 END
            FROM details WHERE is_awaited OR state <> 'awaited' GROUP BY side, state, currency ORDER BY side, state, currency
            """,
            [.text(tenant), .int64(position)]
        ).map { row in
            guard let side = DepositCoverage.Side(rawValue: try row.text(0)),
                let state = DepositCoverage.State(rawValue: try row.text(1))
            else { throw UnreadableRow() }
            return DepositCoverage(
                side: side,
                state: state,
                currency: try row.text(2),
                count: try row.int64(3),
                amount: try row.int64OrNull(4)
            )
        }
    }
}
