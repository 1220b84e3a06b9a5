-- A page of the lines of batches: $1 tenant, $2 batches, after the payment $3 and line $4, $5 the most rows. With a time of a
-- closing, $6 local or else $7, only lines that are not known to be made before it.
SELECT m.transaction, m.line, m.occurred_at, m.local_at AT TIME ZONE 'UTC', m.amount > m.voided
FROM unnest($2::uuid[]) AS s (batch) CROSS JOIN LATERAL (
    SELECT transaction, line, occurred_at, local_at, amount, voided FROM read_batches.members
    WHERE tenant = $1 AND batch = s.batch AND until IS NULL AND ($3::uuid IS NULL OR (transaction, line) > ($3, $4))
        AND coalesce(
            CASE WHEN (local_at IS NULL) = ($6::timestamptz IS NULL)
                THEN coalesce(local_at AT TIME ZONE 'UTC' > $6::timestamptz, occurred_at > $7::timestamptz) END,
            true
        )
    ORDER BY transaction, line LIMIT $5
) m ORDER BY m.transaction, m.line LIMIT $5
