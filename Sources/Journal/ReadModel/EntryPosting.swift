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
    private static let closed = """
        LEFT JOIN LATERAL (
            SELECT c.day FROM closings c
            WHERE c.tenant = n.tenant AND c.merchant = n.merchant AND c.position < n.position
                AND (c.until IS NULL OR c.until > n.position)
            ORDER BY c.day DESC LIMIT 1
        ) k ON true
        """

    /// The day on which the row `n` is posted: of a closed day, the day of its event, or the first open one.
    private static let openDay = "CASE WHEN n.day <= k.day THEN greatest(n.event_day, k.day + 1) ELSE n.day END"

    /// The closed day to which the row `n` belongs, else NULL.
    private static let closedDay = "CASE WHEN n.day <= k.day THEN n.day END"

    /// Stores fees, after those that the position has already, as a part of a statement before `legs`. The parameters
    /// are those of `legs`.
    ///
    /// - Parameter source: Selects `day`, `merchant`, `processor`, `brand`, `part`, `currency`, `source`, `amount`,
    ///   `lines` and `volume`.
    static func fees(_ source: String) -> String {
        """
        , charged AS (
            INSERT INTO fee_entries (tenant, position, number, day, adjusts, merchant, processor, brand, component,
                currency, source, amount, lines, volume)
            SELECT $1, $2, coalesce((SELECT max(number) FROM fee_entries e WHERE e.tenant = $1 AND e.position = $2), 0)
                + row_number() OVER (ORDER BY day, adjusts, merchant, processor, brand, component, currency, source),
                f.*
            FROM (
                SELECT \(openDay) AS day, \(closedDay) AS adjusts, coalesce(merchant, '') AS merchant,
                    coalesce(processor, '') AS processor, coalesce(brand, '') AS brand, part AS component, currency,
                    source, sum(amount) AS amount, sum(lines) AS lines, sum(volume) AS volume
                FROM (
                    SELECT $1::text AS tenant, $2::int8 AS position, coalesce(day, $4::text::date) AS day,
                        $4::text::date AS event_day, merchant, processor, brand, part, currency, source, amount, lines,
                        volume
                    FROM (\(source)) s
                ) n \(closed)
                GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
                HAVING sum(amount) <> 0 OR sum(lines) <> 0 OR sum(volume) <> 0
            ) f
        )
        """
    }
}
