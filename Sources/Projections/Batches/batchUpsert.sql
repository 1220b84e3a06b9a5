INSERT INTO batches AS b (tenant, id, vendor, account, number, status, closing, first_position,
    last_position, opened_at, closed_at, requested, answer, part_of, part_since, part_until, generation,
    closed_position)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::json[],
    $8::int8[], $9::int8[], $10::timestamptz[], $11::timestamptz[], $12::bool[], $13::json[],
    $14::uuid[], $15::int8[], $16::int8[], $17::int8[], $18::int8[])
ON CONFLICT (tenant, id) DO UPDATE SET
    -- Nothing ever returns to open: it is what a row says that no event of the batch has spoken for.
    status = CASE excluded.status WHEN 'open' THEN b.status ELSE excluded.status END,
    closing = coalesce(excluded.closing, b.closing), last_position = excluded.last_position,
    closed_at = coalesce(b.closed_at, excluded.closed_at),
    closed_position = coalesce(b.closed_position, excluded.closed_position),
    requested = b.requested OR excluded.requested, answer = coalesce(excluded.answer, b.answer),
    part_of = coalesce(b.part_of, excluded.part_of), part_since = coalesce(b.part_since, excluded.part_since),
    part_until = coalesce(b.part_until, excluded.part_until)
