-- What was posted as funded of the payments in `covered`, with their sign.
, legs AS (
    SELECT NULL::uuid AS statement_line, c.transaction, f.account, f.part, f.currency, NULL::date AS day, f.merchant, f.terminal,
        c.sign * f.amount AS amount
    FROM covered c CROSS JOIN LATERAL (
        SELECT e.account, e.part, e.currency, e.merchant, e.terminal, sum(e.amount) AS amount FROM entries e
        WHERE e.tenant = $1 AND e.transaction = c.transaction AND e.position < $2 AND e.line = 'funded'
        GROUP BY 1, 2, 3, 4, 5 HAVING sum(e.amount) <> 0
    ) f
)
