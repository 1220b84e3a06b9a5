INSERT INTO scope_deposits
SELECT DISTINCT p.id, true, $2::int + 1
FROM (
    SELECT unnest(d.names || d.words) AS name FROM scope_deposits s
    JOIN read_statements.lines d ON d.tenant = $1 AND d.id = s.line WHERE s.round = $2::int AND NOT s.is_payout
) d JOIN (
    SELECT l.id, unnest(l.names) AS name FROM read_statements.lines l
    WHERE l.tenant = $1 AND l.names IS NOT NULL AND l.side = 'processor'
        AND l.type IN ('payout', 'payout-return', 'deposit', 'withdrawal', 'transfer')
) p ON p.name = d.name
ON CONFLICT DO NOTHING
