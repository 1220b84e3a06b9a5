import Matching

/// What changes of exceptions post, as SQL. Unexplained money is in suspense while its exception is open, and written
/// off by a resolution that says so.
enum ExceptionPosting {
    /// - Parameters:
    ///   - source: Selects the rows before the change.
    ///   - change: Changes them and returns the rows after it.
    private static func sql(_ source: String, _ change: String) -> String {
        """
        WITH old AS MATERIALIZED (\(source)), new AS (\(change)), legs AS (
            SELECT x.line AS statement_line, x.transaction, n.account, n.part, x.currency, x.day, x.merchant, x.terminal,
                sum(x.sign * n.sign * x.amount) AS amount
            FROM (SELECT 1 AS sign, a.* FROM new a UNION ALL SELECT -1, b.* FROM old b) x
            CROSS JOIN LATERAL (VALUES
                (x.account, x.part, 1), (CASE x.state WHEN 'open' THEN 'suspense' ELSE 'write-off' END, '', -1)
            ) n (account, part, sign)
            WHERE x.state IN ('open', 'written-off') AND x.amount IS NOT NULL AND x.currency IS NOT NULL
            GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(x.sign * n.sign * x.amount) <> 0
        )
        \(EntryPosting.fees(fees))
        \(EntryPosting.legs)
        """
    }

    /// The legs about fees, with what the exceptions' lines name.
    private static let fees = """
        SELECT x.day, x.merchant, l.processor, l.brand, x.part, x.currency, x.amount, 0 AS lines, 'exceptions' AS source,
            0 AS volume
        FROM legs x LEFT JOIN LATERAL (
            SELECT * FROM journal_lines o WHERE o.tenant = $1 AND o.id = x.statement_line OFFSET 0
        ) l ON true
        WHERE x.account = 'fees'
        """

    /// The exceptions that an event raises; `$5` is its JSON.
    static let raised = sql(
        """
        SELECT x.* FROM json_array_elements($5::json -> 'exceptions') v \(found("(v.value ->> 'id')::uuid"))
        """,
        """
        INSERT INTO journal_exceptions (tenant, id, account, part, currency, amount, day, merchant, terminal, line, transaction, state,
            raised)
        SELECT $1, r.id,
            CASE
                -- A posting rule has the money of the fee.
                WHEN l.type = 'fee' AND l.links > 0 THEN l.link_account
                WHEN r.class = '\(ExceptionClass.feeDiffers.rawValue)' OR l.type = 'fee' THEN 'fees'
                WHEN r.class = '\(ExceptionClass.unmatchedDeposit.rawValue)'
                    THEN CASE l.side WHEN 'processor' THEN 'cash-in-transit' ELSE 'bank' END
                WHEN l.type IN ('reserve', 'reserve-release') THEN 'reserve'
                WHEN l.type = 'conversion' THEN 'currency-clearing'
                ELSE coalesce(known.account, 'processor-receivable')
            END,
            CASE
                WHEN l.type = 'fee' AND l.links > 0 THEN l.link_part
                WHEN r.class = '\(ExceptionClass.feeDiffers.rawValue)' THEN 'other'
                WHEN l.type = 'fee'
                    THEN coalesce((SELECT min(k) FROM json_object_keys(l.fee) k HAVING count(*) = 1), 'other')
                WHEN r.class = '\(ExceptionClass.unmatchedDeposit.rawValue)' OR l.type = 'conversion' THEN ''
                WHEN l.type IN ('reserve', 'reserve-release') THEN l.processor
                ELSE coalesce(known.part, CASE l.side WHEN 'processor' THEN l.processor END, '')
            END,
            r.currency, r.amount, r.day, r.merchant, r.terminal, r.line, r.transaction, 'open', $2
        FROM json_array_elements($5::json -> 'exceptions') AS v
        CROSS JOIN json_to_record(v.value) AS r (
            id uuid, class text, line uuid, transaction uuid, movement text, merchant text, terminal text, currency text, amount int8, day date
        )
        LEFT JOIN LATERAL (SELECT * FROM journal_lines o WHERE o.tenant = $1 AND o.id = r.line OFFSET 0) l ON true
        \(EntryPosting.known("r.transaction", "r.movement"))
        ON CONFLICT (tenant, id) DO UPDATE SET account = excluded.account, part = excluded.part,
            currency = excluded.currency, amount = excluded.amount, day = excluded.day, merchant = excluded.merchant,
            terminal = excluded.terminal, state = 'open', raised = excluded.raised
        RETURNING journal_exceptions.*
        """
    )

    /// The exceptions that an event clears; `$5` is its JSON.
    static let cleared = sql(
        uncleared,
        """
        INSERT INTO journal_exceptions AS x SELECT * FROM old ON CONFLICT (tenant, id) DO UPDATE
            SET state = CASE WHEN x.state IN ('written-off', 'resolved') THEN 'closed' ELSE 'cleared' END
        RETURNING x.*
        """
    )

    /// The rows of the exceptions that the event `$5` clears, before it does.
    static let uncleared = """
        SELECT x.* FROM json_array_elements_text($5::json -> 'exceptions') v \(found("v.value::uuid"))
        WHERE x.state NOT IN ('cleared', 'closed')
        """

    /// A first run raises thousands of exceptions before the table has statistics. A plan from when it was small would
    /// read all of it for each of them.
    static let byIndexes = "SET LOCAL enable_seqscan = off"
    static let byAnyPlan = "RESET enable_seqscan"

    /// Looks an exception up by its key, as `x`. PostgreSQL does not flatten a query with `OFFSET`.
    static func found(_ id: String, _ join: String = "CROSS JOIN") -> String {
        """
        \(join) LATERAL (SELECT * FROM journal_exceptions o WHERE o.tenant = $1 AND o.id = \(id) OFFSET 0) x
        """
    }

    /// An operator's decision about the exception `$5` as it was raised at `$7`, which is in state `$6` from now on: an
    /// open one is resolved, or a resolved one is open again.
    static let decided = sql(
        "SELECT x.* FROM journal_exceptions x WHERE \(isDecided)",
        "UPDATE journal_exceptions x SET state = $6 WHERE \(isDecided) RETURNING x.*"
    )

    private static let isDecided = """
        x.tenant = $1 AND x.id = $5 AND x.raised = coalesce($7, x.raised)
            AND CASE $6 WHEN 'open' THEN x.state IN ('written-off', 'resolved', 'closed') ELSE x.state = 'open' END
        """
}
