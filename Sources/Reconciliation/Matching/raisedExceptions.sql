-- Each exception with its subject, its unexplained amount and its candidates.
INSERT INTO raised (id, class, line, transaction, movement, details)
SELECT x.id, f.class, l.id, m.transaction, m.line,
    json_strip_nulls(json_build_object(
        'id', x.id, 'class', f.class, 'line', l.id, 'transaction', m.transaction, 'movement', m.line,
        'merchant', coalesce(m.named, m.merchant, l.named, l.merchant), 'terminal', coalesce(m.terminal, l.terminal),
        'currency', x.currency,
        'amount', CASE WHEN abs(x.amount) <= 9223372036854775807 THEN x.amount END,
        'expected', CASE WHEN abs(f.expected) <= 9223372036854775807 THEN f.expected END,
        'lineAmount', CASE WHEN x.currency <> l.currency THEN l.gross ELSE l.amount END, 'ledgerAmount', m.amount,
        'ledgerCurrency', CASE WHEN l.id IS NOT NULL AND m.currency <> x.currency THEN m.currency END,
        'day', coalesce(l.day, m.day), 'status', m.status, 'rule', ($2::text[])[f.rule + 1],
        'candidates', CASE WHEN f.class IN ('missing-in-ledger', 'chargeback-without-sale', 'chargeback-not-recorded', 'unexplained-line') THEN c.movements
            WHEN f.class = 'missing-at-processor' THEN c.lines WHEN l.kind = 'fee' THEN c.earlier END
    ))::text
FROM found f
LEFT JOIN l0 l ON l.n = f.l
LEFT JOIN m0 m ON m.n = f.m
CROSS JOIN LATERAL (
    SELECT md5(concat_ws('|', $1::text, f.class, l.id, m.transaction, m.line))::uuid AS id,
        -- A fee is in the currency of the account, which may not be that of the payment.
        CASE WHEN f.class = 'fee-differs' THEN l.line_currency ELSE coalesce(l.currency, m.currency) END AS currency,
        CASE
            WHEN f.class = 'fee-differs' THEN coalesce(l.fees, 0) - f.expected
            WHEN f.class IN ('late', 'expired-authorization') THEN 0
            WHEN f.class IN ('duplicate-in-ledger', 'missing-at-processor') THEN -m.amount::numeric
            WHEN f.class = 'status-differs' AND l.type = 'void' THEN -m.amount::numeric
            -- Minor units of two currencies have no difference: all of the line's.
            WHEN f.class = 'currency-differs' THEN l.amount
            ELSE l.amount - coalesce(f.expected, 0)
        END AS amount
) x
CROSS JOIN LATERAL (
    SELECT (
        SELECT json_agg(json_strip_nulls(json_build_object(
            'transaction', t.transaction, 'movement', t.line, 'rule', ($2::text[])[t.rule + 1],
            'amount', t.amount, 'currency', t.currency, 'day', t.day, 'taken', t.taken
        )) ORDER BY t.rule, t.transaction, t.line)
        FROM (
            SELECT o.transaction, o.line, min(n.rule) AS rule, o.amount, o.currency, o.day,
                CASE WHEN EXISTS (SELECT FROM link k WHERE k.m = o.n) THEN true END AS taken
            FROM near n JOIN m0 o ON o.n = n.m WHERE n.l = f.l AND f.m IS NULL
            GROUP BY o.n, o.transaction, o.line, o.amount, o.currency, o.day
            ORDER BY min(n.rule), o.transaction, o.line LIMIT 5
        ) t
    ) AS movements, (
        SELECT json_agg(json_strip_nulls(json_build_object(
            'line', t.id, 'rule', ($2::text[])[t.rule + 1], 'amount', t.amount, 'currency', t.currency,
            'day', t.day, 'type', t.type, 'taken', t.taken
        )) ORDER BY t.rule, t.id)
        FROM (
            SELECT o.id, o.type, min(n.rule) AS rule, o.amount, o.currency, o.day,
                CASE WHEN EXISTS (SELECT FROM link k WHERE k.l = o.n) THEN true END AS taken
            FROM near n JOIN l0 o ON o.n = n.l WHERE n.m = f.m AND f.l IS NULL
            GROUP BY o.n, o.id, o.type, o.amount, o.currency, o.day
            ORDER BY min(n.rule), o.id LIMIT 5
        ) t
    ) AS lines, (
        SELECT json_agg(json_build_object(
            'line', t.id, 'amount', t.amount, 'currency', t.currency, 'type', t.type, 'taken', true
        ) ORDER BY t.id)
        FROM (
            SELECT o.* FROM repeated r JOIN l0 o ON o.n = r.earlier WHERE r.l = f.l ORDER BY o.id LIMIT 5
        ) t
    ) AS earlier
) c
