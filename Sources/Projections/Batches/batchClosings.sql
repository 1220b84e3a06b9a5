SELECT DISTINCT ON (generation) generation, closing::text, closed_at, closed_position FROM read_batches.batches
WHERE tenant = $1 AND vendor = $2 AND number = $3 AND closing IS NOT NULL AND (
    account IS NOT DISTINCT FROM $4
    OR account = (
        SELECT min(owner) FROM read_merchants.linked_names
        WHERE tenant = $1 AND vendor = $2 AND name = $4 AND role = 'terminal' AND owner_role = 'account'
        HAVING count(*) = 1
    )
)
ORDER BY generation, account IS DISTINCT FROM $4
