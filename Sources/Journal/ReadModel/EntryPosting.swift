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
        \(EmbeddedFiles.legsPosted_sql)
        """
}
