import Postgres
import Projections

/// Exceptions as of a position, as SQL. The row of an exception is used when it has no later step; otherwise the
/// exception is derived from its steps.
enum PastExceptions {
    /// The exceptions that had been raised by the position, each with its status then. `stands` is true while no run
    /// had cleared the exception since it was raised or reopened, whatever operators had decided about it.
    ///
    /// - Parameters:
    ///   - position: The placeholder of the position; `$1` is the tenant.
    ///   - condition: A condition on `x` that uses only columns that never change: `class`, `line`, `transaction`,
    ///     `movement`.
    static func table(at position: String, where condition: String = "true") -> String {
        """
        (
            SELECT x.id, x.class, x.line, x.transaction, x.movement, x.merchant, x.terminal, x.currency, x.amount,
                x.day, x.first_at, x.status, x.cleared IS NULL AS stands
            FROM read_reconciliation.exceptions x
            WHERE x.tenant = $1 AND x.changed <= \(position) AND \(condition)
            UNION ALL
            SELECT x.id, x.class, x.line, x.transaction, x.movement, r.details ->> 'merchant',
                r.details ->> 'terminal', r.details ->> 'currency', (r.details ->> 'amount')::int8,
                (r.details ->> 'day')::date, x.first_at, s.status, NOT EXISTS (
                    SELECT FROM read_reconciliation.steps c
                    WHERE c.tenant = x.tenant AND c.exception = x.id AND c.kind = 'ExceptionsCleared'
                        AND c.position > r.position AND c.position <= \(position) AND NOT EXISTS (
                            SELECT FROM read_reconciliation.steps o
                            WHERE o.tenant = c.tenant AND o.exception = c.exception AND o.position > c.position
                                AND o.position <= \(position) AND o.kind = 'ExceptionReopened'
                        )
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

    /// The time of the money movement behind an exception `x` without a line, as the ledger had it then.
    ///
    /// - Parameters:
    ///   - position: The placeholder of the position; `$1` is the tenant.
    ///   - zone: The zone of local times.
    ///   - place: Adds a parameter and returns its placeholder.
    static func moment(at position: String, in zone: Zone, _ place: (PostgresValue) -> String) -> String {
        let zoned = RowTime(in: zone).zone(place)
        return """
            coalesce((
                SELECT \(RowTime(of: "b", in: zone).instant(zoned: zoned)) FROM \(PaymentRelations.lines) b
                WHERE b.tenant = $1 AND b.transaction = x.transaction AND b.line = x.movement AND b.since <= \(position)
                ORDER BY b.since DESC LIMIT 1
            ), (
                SELECT \(RowTime(of: "t", in: zone).instant(zoned: zoned)) FROM \(PaymentRelations.payments) t WHERE t.tenant = $1 AND t.id = x.transaction
            ), x.day::timestamp AT TIME ZONE 'UTC')
            """
    }
}
