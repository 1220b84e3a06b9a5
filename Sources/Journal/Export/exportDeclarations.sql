-- What a series of tenant $1, which begins after position $2, has first after position $3, up to $4: accounts with their
-- parts, then currencies.
SELECT account, part, currency FROM read_journal.entries
WHERE tenant = $1 AND position > $2 AND position <= $4
GROUP BY GROUPING SETS ((account, part), (currency)) HAVING min(position) > $3
ORDER BY account COLLATE "C", part COLLATE "C", currency COLLATE "C"
