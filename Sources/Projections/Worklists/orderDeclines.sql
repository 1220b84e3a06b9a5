SELECT a.id, s.first_position, s.recorded_at FROM read_transactions.transactions a CROSS JOIN LATERAL (
    SELECT e.first_position, e.recorded_at FROM read_transactions.transactions e
    WHERE e.tenant = a.tenant AND e.last_four = a.last_four AND e.amount = a.amount AND e.currency = a.currency
        AND e.id <> a.id AND e.test = a.test AND e.status = 'declined' AND e.operation IN ('sale', 'authorization')
        AND (e.card_brand IS NULL OR a.card_brand IS NULL OR lower(e.card_brand) = lower(a.card_brand))
        AND (e.merchant IS NULL OR a.merchant IS NULL OR e.merchant = a.merchant OR e.terminal = a.terminal
            OR EXISTS (
                SELECT FROM read_merchants.linked_names n
                WHERE n.tenant = a.tenant AND n.role <> 'terminal'
                    AND (n.name, n.owner) IN ((a.merchant, e.merchant), (e.merchant, a.merchant))
            ))
        AND e.recorded_at > $3::timestamptz
    ORDER BY e.recorded_at DESC LIMIT $4
) s
WHERE a.tenant = $1 AND a.id = ANY ($2::uuid[]) AND a.operation IN ('sale', 'authorization')
