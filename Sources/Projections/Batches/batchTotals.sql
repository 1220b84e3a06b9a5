SELECT s.batch, type, brand, tender, currency, count(*) FILTER (WHERE amount > voided OR amount = 0),
       sum(amount - voided)::text, sum(least(tip, amount - voided))::text,
       count(*) FILTER (WHERE voided > 0), sum(voided)::text,
       count(*) FILTER (WHERE evidence = 'reader' AND (amount > voided OR amount = 0)),
       coalesce(sum(amount - voided) FILTER (WHERE evidence = 'reader'), 0)::text
FROM unnest($2::uuid[], $4::uuid[]) AS s (batch, member)
JOIN read_batches.members m ON m.tenant = $1 AND m.batch = s.member
    AND CASE WHEN $3::int8 IS NULL THEN until IS NULL ELSE since <= $3 AND (until IS NULL OR until > $3) END
GROUP BY s.batch, type, brand, tender, currency ORDER BY s.batch, currency, type, brand, tender
