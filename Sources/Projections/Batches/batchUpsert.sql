INSERT INTO batches AS b (tenant, id, vendor, account, number, status, closing, first_position,
    last_position, opened_at, closed_at, requested, answer)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::json[],
    $8::int8[], $9::int8[], $10::timestamptz[], $11::timestamptz[], $12::bool[], $13::json[])
ON CONFLICT (tenant, id) DO UPDATE SET
    -- Nothing ever returns to open: it is what a row says that no event of the batch has spoken for.
    status = CASE excluded.status WHEN 'open' THEN b.status ELSE excluded.status END,
    closing = coalesce(excluded.closing, b.closing), last_position = excluded.last_position,
    closed_at = coalesce(b.closed_at, excluded.closed_at),
    requested = b.requested OR excluded.requested, answer = coalesce(excluded.answer, b.answer)
