-- The business days of recorded exceptions, with processor and merchant: those that no file covers, and those of which a
-- file was withdrawn after the position $2. $1 is the tenant.
SELECT x.details ->> 'processor', x.merchant, x.day::text FROM read_reconciliation.exceptions x
WHERE x.tenant = $1 AND x.class = 'missing-statement' AND (x.cleared IS NULL OR EXISTS (
    SELECT FROM read_statements.statements s
    WHERE s.tenant = x.tenant AND s.withdrawn > $2 AND x.day BETWEEN s.first_day AND s.last_day
))
