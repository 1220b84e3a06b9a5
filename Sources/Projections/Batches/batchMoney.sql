SELECT m.transaction, m.line, m.occurred_at, m.local_at AT TIME ZONE 'UTC', m.amount > m.voided
FROM unnest($2::uuid[]) AS s (batch) CROSS JOIN LATERAL (
    SELECT transaction, line, occurred_at, local_at, amount, voided FROM read_batches.members
    WHERE tenant = $1 AND batch = s.batch AND until IS NULL AND ($3::uuid IS NULL OR (transaction, line) > ($3, $4))
    ORDER BY transaction, line LIMIT $5
) m ORDER BY m.transaction, m.line LIMIT $5
