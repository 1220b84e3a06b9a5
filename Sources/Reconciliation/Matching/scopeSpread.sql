INSERT INTO scope_transactions
SELECT DISTINCT m.transaction, 0 FROM read_movements.movements m
WHERE m.tenant = $1 AND (
    m.position > $2
    OR m.type = 'none' AND m.day > least($3::text::date, $4::text::date) - $5::int
        AND m.day <= greatest($3::text::date, $4::text::date) - $5::int
)
