/// Exceptions as they were at a position, as SQL: one that has not gone on since is what its row says, the others follow from
/// their steps.
enum PastExceptions {
    /// A table of exceptions that had been raised by then, with where each stood. `stands` says that it still followed from
    /// what a run had found, whatever people had decided about it.
    ///
    /// - Parameters:
    ///   - position: Its placeholder; `$1` is the tenant.
    ///   - condition: Over `x`, and only of what never changes: `class`, `line`, `transaction`, `movement`.
    static func table(at position: String, where condition: String = "true") -> String {
        """
        (
            SELECT x.id, x.class, x.line, x.transaction, x.movement, x.merchant, x.currency, x.amount, x.day, x.first_at,
                x.status, x.cleared IS NULL AS stands
            FROM read_reconciliation.exceptions x
            WHERE x.tenant = $1 AND x.changed <= \(position) AND \(condition)
            UNION ALL
            SELECT x.id, x.class, x.line, x.transaction, x.movement, r.details ->> 'merchant', r.details ->> 'currency',
                (r.details ->> 'amount')::int8, (r.details ->> 'day')::date, x.first_at, s.status, NOT EXISTS (
                    SELECT FROM read_reconciliation.steps c
                    WHERE c.tenant = x.tenant AND c.exception = x.id AND c.kind = 'ExceptionsCleared'
                        AND c.position > r.position AND c.position <= \(position)
                )
            FROM read_reconciliation.exceptions x
            CROSS JOIN LATERAL (
                SELECT status FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) ORDER BY position DESC LIMIT 1
            ) s
            CROSS JOIN LATERAL (
                SELECT position, details FROM read_reconciliation.steps
                WHERE tenant = x.tenant AND exception = x.id AND position <= \(position) AND kind = 'ExceptionsRaised'
                ORDER BY position DESC LIMIT 1
            ) r
            WHERE x.tenant = $1 AND x.changed > \(position) AND x.first <= \(position) AND \(condition)
        )
        """
    }

    /// When the money was moved that an exception `x` is about, of one that is about no line: as the ledger had it then.
    ///
    /// - Parameter position: Its placeholder; `$1` is the tenant.
    static func moment(at position: String) -> String {
        """
        coalesce((
            SELECT b.occurred_at FROM read_batches.members b
            WHERE b.tenant = $1 AND b.transaction = x.transaction AND b.line = x.movement AND b.since <= \(position)
            ORDER BY b.since DESC LIMIT 1
        ), (
            SELECT t.occurred_at FROM read_transactions.transactions t WHERE t.tenant = $1 AND t.id = x.transaction
        ), x.day::timestamp AT TIME ZONE 'UTC')
        """
    }
}
