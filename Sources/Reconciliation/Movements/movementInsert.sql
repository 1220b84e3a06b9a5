INSERT INTO movements (tenant, transaction, line, position, type, status, vendor, currency, amount, occurred_at,
    day, gateway_id, host_id, vendor_id, origin_id, rrn, auth_code, invoice, reference, merchant, terminal, batch,
    last_four, brand, tender, paid, terminals)
SELECT tenant, transaction, line, position, type, status, vendor, currency, amount, occurred_at,
    (coalesce(local_at, occurred_at) AT TIME ZONE 'UTC')::date, gateway_id, host_id, vendor_id, origin_id, rrn, auth_code, invoice,
    reference, merchant, terminal, batch, last_four, brand, tender, paid,
    nullif(array_remove(ARRAY[named_terminal, nullif(reported_terminal, named_terminal)], NULL), '{}')
FROM unnest($1::text[], $2::uuid[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::int8[], $10::timestamptz[], $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[],
    $24::text[], $25::text[], $26::bool[], $27::text[], $28::text[])
    AS r (tenant, transaction, line, position, type, status, vendor, currency, amount, occurred_at, local_at, gateway_id,
    host_id, vendor_id, origin_id, rrn, auth_code, invoice, reference, merchant, terminal, batch, last_four,
    brand, tender, paid, named_terminal, reported_terminal)
