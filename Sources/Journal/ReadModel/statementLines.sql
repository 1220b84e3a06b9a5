-- The lines in parts of files: $1 tenants, $2 statements, $3 their JSON.
WITH details AS (
    SELECT p.tenant, p.statement, f.side, f.processor, p.place, l.*, r.*
    FROM unnest($1::text[], $2::uuid[], $3::json[]) WITH ORDINALITY AS p (tenant, statement, data, place)
    JOIN files f ON f.tenant = p.tenant AND f.id = p.statement
    CROSS JOIN json_array_elements(coalesce(p.data -> 'lines', '[]')) AS item
    CROSS JOIN json_to_record(item.value) AS l (
        number int8, id uuid, type text, role text, "group" text, currency text, fees int8, fee json, amount int8, paid int8,
        "paidCurrency" text, day date, "bookedDay" date, "valueDay" date, revision int8, "references" json
    )
    CROSS JOIN json_to_record(l."references") AS r (merchant text, terminal text, brand text, payout text)
), placed AS (
    INSERT INTO journal_placements (tenant, statement, line, role, line_group)
    SELECT tenant, statement, id, coalesce(role, 'own'), left("group", 500) FROM details
)
INSERT INTO journal_lines (tenant, id, statement, side, processor, type, currency, gross, amount, fee, paid, paid_currency, day,
    merchant, terminal, brand, payout, revision, link_part)
SELECT tenant, id, CASE WHEN role IS DISTINCT FROM 'part' THEN statement END, side, processor, type, currency, coalesce(amount, 0)::numeric - coalesce(fees, 0), coalesce(amount, 0), fee, paid,
    "paidCurrency", coalesce(day, "bookedDay", "valueDay"), left(merchant, 500), left(terminal, 500), left(brand, 500),
    left(payout, 500), revision, processor
FROM details ORDER BY place, number
ON CONFLICT (tenant, id) DO NOTHING
