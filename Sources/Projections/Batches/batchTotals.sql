SELECT batch, type, brand, tender, currency, count(*) FILTER (WHERE amount > voided OR amount = 0),
       sum(amount - voided)::text, sum(least(tip, amount - voided))::text,
       count(*) FILTER (WHERE voided > 0), sum(voided)::text,
       count(*) FILTER (WHERE evidence = 'reader' AND (amount > voided OR amount = 0)),
       coalesce(sum(amount - voided) FILTER (WHERE evidence = 'reader'), 0)::text
FROM read_batches.members WHERE tenant = $1 AND batch = ANY ($2::uuid[])
    AND CASE WHEN $3::int8 IS NULL THEN until IS NULL ELSE since <= $3 AND (until IS NULL OR until > $3) END
GROUP BY batch, type, brand, tender, currency ORDER BY batch, currency, type, brand, tender
