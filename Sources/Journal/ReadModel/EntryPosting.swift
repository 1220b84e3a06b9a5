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

    /// Posts the rows of the relation `legs`, after those that the position has already. `$1` is the tenant, `$2` the
    /// position, `$3` the event, `$4` the day of its recording, for legs without one and for those of closed days.
    static let legs = """
        , numbered AS (
            SELECT $1::text AS tenant, $2::int8 AS position, coalesce(
                    (SELECT max(e.leg) FROM entries e WHERE e.tenant = $1 AND e.position = $2), 0
                ) + row_number() OVER (
                    ORDER BY statement_line, transaction, account, part, currency, coalesce(day, $4::text::date),
                        merchant, terminal, amount
                ) AS leg, account, part, currency, amount, coalesce(day, $4::text::date) AS day,
                $4::text::date AS event_day, merchant, terminal, transaction, NULL::text AS line, statement_line,
                $3::uuid AS event
            FROM legs
        )
        \(posted)
        """

    /// Posts the legs in `numbered`, and their balances. A leg of a day that is closed for its merchant is posted on an
    /// open day.
    static let posted = """
        , dated AS (
            SELECT n.*, \(openDay) AS open_day, \(closedDay) AS adjusts
            FROM numbered n \(closed)
        ), written AS (
            INSERT INTO entries (tenant, position, leg, account, part, currency, amount, day, adjusts, merchant, terminal,
                transaction, line, statement_line, event)
            SELECT tenant, position, leg, account, part, currency, amount, open_day, adjusts, merchant, terminal,
                transaction, line, statement_line, event
            FROM dated
        )
        INSERT INTO balances AS b (tenant, day, merchant, account, part, currency, amount)
        SELECT tenant, open_day, coalesce(merchant, ''), account, part, currency, sum(amount) FROM dated
        GROUP BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (tenant, day, merchant, account, part, currency) DO UPDATE SET amount = b.amount + excluded.amount
        """

    /// The last closed day of the merchant of the row `n` at its position: a `LEFT JOIN LATERAL`, called `k`.
    static let closed = """
        LEFT JOIN LATERAL (
            SELECT c.day FROM closings c
            WHERE c.tenant = n.tenant AND c.merchant = n.merchant AND c.position < n.position
                AND (c.until IS NULL OR c.until > n.position)
            ORDER BY c.day DESC LIMIT 1
        ) k ON true
        """

    /// The day on which the row `n` is posted: of a closed day, the day of its event, or the first open one.
    static let openDay = "CASE WHEN n.day <= k.day THEN greatest(n.event_day, k.day + 1) ELSE n.day END"

    /// The closed day to which the row `n` belongs, else NULL.
    static let closedDay = "CASE WHEN n.day <= k.day THEN n.day END"
}
