SELECT EXISTS (
    SELECT FROM read_statements.statements s
    WHERE s.tenant = $1 AND s.last_position > $2 AND (s.side = 'bank' OR EXISTS (
        SELECT FROM json_array_elements(s.view -> 'totals') t
        WHERE t ->> 'type' IN ('payout', 'payout-return', 'deposit', 'withdrawal', 'transfer')
    ))
) OR EXISTS (
    SELECT FROM read_statements.lines l WHERE l.tenant = $1 AND l.side = 'bank' AND l.day > $3::text::date
)
