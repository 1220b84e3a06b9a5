INSERT INTO members (tenant, transaction, line, since, until, batch, type, currency, amount, tip, voided,
    brand, tender, vendor, merchant, terminal, clerk, tip_recipient, occurred_at, local_at, evidence,
    unsettled)
SELECT tenant, transaction, line, since, until, batch, type, currency, amount, tip, voided, brand, tender,
    vendor, merchant, terminal, clerk, tip_recipient, occurred_at, local_at AT TIME ZONE 'UTC', evidence,
    unsettled
FROM unnest($1::text[], $2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::uuid[], $7::text[],
    $8::text[], $9::int8[], $10::int8[], $11::int8[], $12::text[], $13::text[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::text[], $19::timestamptz[], $20::timestamptz[], $21::text[], $22::bool[])
    AS r (tenant, transaction, line, since, until, batch, type, currency, amount, tip, voided, brand,
    tender, vendor, merchant, terminal, clerk, tip_recipient, occurred_at, local_at, evidence, unsettled)
