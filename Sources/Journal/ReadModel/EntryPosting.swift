/// Posting the legs of one event, as SQL.
enum EntryPosting {
    /// Where the ledger has the money of a payment: the account and part of its newest leg before the position `$2` in an
    /// account of money to be had. A `LEFT JOIN LATERAL`, called `known`.
    ///
    /// - Parameters:
    ///   - payment: The payment's id as SQL.
    ///   - movement: Its line of money as SQL; legs of this line come first.
    static func known(_ payment: String, _ movement: String) -> String {
        """
        LEFT JOIN LATERAL (
            SELECT e.account, e.part FROM entries e
            -- Not what exceptions post about the payment.
            WHERE e.tenant = $1 AND e.transaction = \(payment) AND e.position < $2 AND e.line IS NOT NULL
                AND e.account IN ('processor-receivable', 'gift-liability', 'undeposited-cash')
            ORDER BY e.line = \(movement) DESC, e.position DESC, e.leg LIMIT 1
        ) known ON true
        """
    }

    /// Stores the rows of the relation `legs`, after those that the position has already. `$1` is the tenant, `$2` the
    /// position, `$3` the event, `$4` the day of its recording, for legs without one.
    static let legs = """
        , posted AS (
            SELECT account, part, currency, amount, coalesce(day, $4::text::date) AS day, merchant, terminal, transaction,
                statement_line
            FROM legs
        ), written AS (
            INSERT INTO entries (tenant, position, leg, account, part, currency, amount, day, merchant, terminal, transaction,
                statement_line, event)
            SELECT $1, $2, coalesce((SELECT max(leg) FROM entries e WHERE e.tenant = $1 AND e.position = $2), 0)
                + row_number() OVER (
                    ORDER BY statement_line, transaction, account, part, currency, day, merchant, terminal, amount
                ), account, part, currency, amount, day, merchant, terminal, transaction, statement_line, $3
            FROM posted
        )
        INSERT INTO balances AS b (tenant, day, merchant, account, part, currency, amount)
        SELECT $1, day, coalesce(merchant, ''), account, part, currency, sum(amount) FROM posted GROUP BY 2, 3, 4, 5, 6
        ON CONFLICT (tenant, day, merchant, account, part, currency) DO UPDATE SET amount = b.amount + excluded.amount
        """
}
