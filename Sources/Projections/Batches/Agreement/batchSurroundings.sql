SELECT t.id, CASE t.operation WHEN 'credit' THEN -t.amount ELSE t.amount END, t.in_doubt
FROM read_transactions.transactions t
WHERE t.tenant = $1 AND t.occurred_at >= $4 AND t.occurred_at <= $5 AND t.vendor = $2
    AND (t.terminal = ANY ($3::text[]) OR t.merchant = ANY ($3::text[])) AND t.amount > 0 AND NOT EXISTS (
        SELECT FROM read_batches.members m
        WHERE m.tenant = t.tenant AND m.transaction = t.id AND m.until IS NULL)
ORDER BY t.occurred_at, t.id LIMIT $6
