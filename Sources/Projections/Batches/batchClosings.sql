-- The closings of the batch number $3 of the vendor $2 under each of the names $4; those under the first name come first.
SELECT generation, closing::text, closed_at, closed_position, account FROM read_batches.batches
WHERE tenant = $1 AND vendor = $2 AND number = $3 AND closing IS NOT NULL AND coalesce(account, '') = ANY ($4::text[])
ORDER BY generation, array_position($4::text[], coalesce(account, '')), closed_position
