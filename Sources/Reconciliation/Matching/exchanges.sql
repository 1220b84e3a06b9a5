-- The two halves of an exchange explain each other: one pays in one currency, the other receives in another one. They name
-- the same payment, or one names the other. $1 is the tenant.
INSERT INTO exchange (l)
WITH half AS (
    SELECT l.n, f.format, l.currency, l.amount, l.processor_id, l.related_id FROM l0 l
    JOIN read_statements.lines s ON s.tenant = $1 AND s.id = l.id
    JOIN read_statements.statements f ON f.tenant = s.tenant AND f.id = s.statement
    WHERE l.kind = 'unexplained' AND l.type = 'conversion'
), pair AS (
    SELECT a.n AS sold, b.n AS bought, count(*) OVER (PARTITION BY a.n) AS sales, count(*) OVER (PARTITION BY b.n) AS purchases
    FROM half a JOIN half b ON b.format = a.format AND b.currency <> a.currency AND a.amount < 0 AND b.amount > 0
        AND (a.related_id = b.related_id OR a.related_id = b.processor_id OR b.related_id = a.processor_id)
)
SELECT n.l FROM pair p CROSS JOIN LATERAL (VALUES (p.sold), (p.bought)) n (l) WHERE p.sales = 1 AND p.purchases = 1
