-- The balances of suspense that are not zero: $1 is the tenant, $2 the last position. Later entries are taken out again.
SELECT currency, CASE WHEN abs(sum(amount)) <= 9223372036854775807 THEN sum(amount)::int8 END
FROM (
    SELECT currency, amount FROM read_journal.balances WHERE tenant = $1 AND account = 'suspense'
    UNION ALL
    SELECT currency, -amount FROM read_journal.entries WHERE tenant = $1 AND account = 'suspense' AND position > $2
) s GROUP BY currency HAVING sum(amount) <> 0 ORDER BY currency
