INSERT INTO chargebacks (
    tenant, transaction, id, place, currency, amount, reversal, reversal_line, dispute, status, reported_at, merchant, vendor,
    reason_code, respond_by, represented_at, representations, closed_at, version, paid
)
SELECT * FROM unnest(
    $1::text[], $2::uuid[], $3::text[], $4::int8[], $5::text[], $6::int8[], $7::text[], $8::uuid[], $9::uuid[], $10::text[],
    $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[], $16::timestamptz[], $17::int8[],
    $18::timestamptz[], $19::int8[], $20::bool[]
)
