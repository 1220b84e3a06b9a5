-- What of the money of the matched line `l`, as the change `w` leaves it, is elsewhere than that of its first link, `place`:
-- that of other movements, and the difference that a rule accepted of a converted amount. Such a rule matches one line with
-- one movement. $1 is the tenant.
SELECT jsonb_agg(
    jsonb_build_object('account', s.account, 'part', s.part, 'amount', s.amount) ORDER BY s.account, s.part
) FROM (
    SELECT k.account, k.part, sum(k.amount) AS amount FROM journal_links k
    WHERE k.tenant = $1 AND k.line = l.id AND (k.account, k.part) <> (place.link_account, place.link_part)
    GROUP BY 1, 2
    UNION ALL
    SELECT 'rounding', '', coalesce(l.paid, l.gross) - k.amount FROM journal_links k
    WHERE upper(l.paid_currency) <> upper(l.currency) AND l.links + w.links = 1 AND k.tenant = $1 AND k.line = l.id
        AND NOT EXISTS (
            SELECT FROM journal_links o WHERE o.tenant = $1 AND o.transaction = k.transaction
                AND o.movement = k.movement AND o.line <> k.line
        )
) s WHERE s.amount <> 0
