INSERT INTO anomalies (tenant, id, position, stream, kind, explanation, related, vendor, merchant, terminal,
    occurred_at, recorded_at, in_doubt, refund)
SELECT r.tenant, r.id, r.position, r.stream, r.kind, r.explanation,
    CASE WHEN r.related IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(r.related)) END,
    r.vendor, r.merchant, r.terminal, r.occurred_at, r.recorded_at, r.in_doubt, r.refund
FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::json[], $8::text[],
    $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::text[])
    AS r (tenant, id, position, stream, kind, explanation, related, vendor, merchant, terminal, occurred_at,
    recorded_at, in_doubt, refund)
ON CONFLICT (tenant, id) DO NOTHING
