-- The reports of payouts that the file $5 reports again, or no longer; $1 is the tenant.
SELECT * FROM (
    SELECT l.id, 0 AS files, NULL::uuid AS file, 0 AS listed, (
        SELECT count(*) FROM journal_lines n LEFT JOIN files f ON f.tenant = n.tenant AND f.id = n.statement
        WHERE n.tenant = l.tenant AND n.payout = l.payout AND n.type = l.type AND n.revision IS NOT NULL
            AND (n.files > 0 OR coalesce(f.counts, false)) AND (n.revision, n.id) > (l.revision, l.id)
    )::int - l.newer AS newer, 0 AS links, 0 AS exceptions, l.link_account, l.link_part
    FROM journal_lines l WHERE l.tenant = $1 AND l.revision IS NOT NULL AND (l.payout, l.type) IN (
        SELECT o.payout, o.type FROM journal_placements p JOIN journal_lines o ON o.tenant = p.tenant AND o.id = p.line
        WHERE p.tenant = $1 AND p.statement = $5 AND o.revision IS NOT NULL
    )
) r WHERE newer <> 0
