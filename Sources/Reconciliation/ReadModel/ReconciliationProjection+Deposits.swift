import Projections

extension ReconciliationProjection {
    static let depositsDefinition = EmbeddedFiles.reconciliationDeposits_sql
    static let depositLinks = ProjectionTable("deposit_links", key: ["tenant", "payout", "deposit", "position"])

    /// Adds the links of `DepositsMatched`.
    ///
    /// - Parameter events: The `FROM` clause of the events, called `e`.
    static func depositsMatched(_ events: String) -> String {
        """
        INSERT INTO deposit_links (tenant, payout, deposit, match, rule, position)
        SELECT e.tenant, (l.value ->> 0)::uuid, (l.value ->> 1)::uuid, coalesce(l.value ->> 2, l.value ->> 0)::uuid,
            e.rule, e.position
        \(events) CROSS JOIN json_array_elements(e.data -> 'links') AS l (value)
        """
    }

    /// Ends the links of `DepositsUnmatched`. The rows remain, so that past positions can be queried.
    static func depositsUnmatched(_ events: String) -> String {
        """
        UPDATE deposit_links k SET until = u.position
        FROM (
            SELECT e.tenant, (l.value ->> 0)::uuid AS payout, (l.value ->> 1)::uuid AS deposit, e.position
            \(events) CROSS JOIN json_array_elements(e.data -> 'links') AS l (value)
        ) u WHERE k.tenant = u.tenant AND k.payout = u.payout AND k.deposit = u.deposit AND k.until IS NULL
        """
    }
}
