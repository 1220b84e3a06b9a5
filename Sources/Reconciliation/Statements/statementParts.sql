-- The lines, controls and notes in parts of files: $1 tenants, $2 statements, $3 positions, $4 their JSON.
WITH parts AS (
    SELECT * FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::json[]) AS p (tenant, statement, position, data)
), details AS (
    SELECT p.tenant, p.statement, p.position, s.side, item.value AS view, l.*, r.*
    FROM parts p
    JOIN statements s ON s.tenant = p.tenant AND s.id = p.statement
    CROSS JOIN json_array_elements(coalesce(p.data -> 'lines', '[]')) AS item
    CROSS JOIN json_to_record(item.value) AS l (
        number int8, id uuid, type text, role text, "group" text, currency text, gross int8, fees int8, net int8,
        amount int8, paid int8, "paidCurrency" text, at timestamptz, day date, "bookedDay" date, "valueDay" date,
        revision int8, "references" json
    )
    CROSS JOIN json_to_record(l."references") AS r (
        processor_id text, related_id text, rrn text, auth_code text, trace text, arn text, invoice text, merchant text,
        terminal text, batch text, last_four text, brand text, payout text, bank_reference text, account text,
        end_to_end text, counterparty text, other_reference text, text text
    )
), placed AS (
    INSERT INTO placements (tenant, statement, number, line, line_group)
    SELECT tenant, statement, number, id, left("group", 500) FROM details
), taken AS (
    -- A line that was only in withdrawn files is attributed to this file.
    UPDATE lines l SET statement = t.statement, number = t.number, line_group = left(t."group", 500), view = t.view
    FROM (
        SELECT DISTINCT ON (tenant, id) * FROM details WHERE (SELECT EXISTS (SELECT FROM statements WHERE status = 'withdrawn'))
        ORDER BY tenant, id, position, number
    ) t
    JOIN statements w ON w.tenant = t.tenant AND w.status = 'withdrawn'
    WHERE l.tenant = t.tenant AND l.id = t.id AND w.id = l.statement
), reached AS (
    INSERT INTO reach AS r (tenant, statement, merchant, day)
    SELECT tenant, statement, left(coalesce(merchant, ''), 500), max(coalesce(day, "bookedDay", "valueDay")) FROM details
    WHERE side = 'processor' AND coalesce(day, "bookedDay", "valueDay") IS NOT NULL GROUP BY 1, 2, 3
    ON CONFLICT (tenant, statement, merchant) DO UPDATE SET day = greatest(r.day, excluded.day)
), checked AS (
    INSERT INTO controls (tenant, statement, position, place, kind, name, scope, stated, computed, currency, line, holds)
    SELECT p.tenant, p.statement, p.position, item.place, c.kind, c.name, left(c.scope, 500), c.stated, c.computed,
        c.currency, c.line, coalesce(c.stated = c.computed, false)
    FROM parts p
    CROSS JOIN json_array_elements(coalesce(p.data -> 'controls', '[]')) WITH ORDINALITY AS item (value, place)
    CROSS JOIN json_to_record(item.value) AS c (
        kind text, name text, scope text, stated int8, computed int8, currency text, line int8
    )
), noted AS (
    INSERT INTO notes (tenant, statement, position, place, code, line, detail)
    SELECT p.tenant, p.statement, p.position, item.place, n.code, n.line, n.detail
    FROM parts p
    CROSS JOIN json_array_elements(coalesce(p.data -> 'notes', '[]')) WITH ORDINALITY AS item (value, place)
    CROSS JOIN json_to_record(item.value) AS n (code text, line int8, detail text)
)
INSERT INTO lines (tenant, id, statement, number, position, side, type, role, line_group, currency, gross, fees, net,
    amount, paid, paid_currency, occurred_at, day, processor_id, related_id, rrn, auth_code, trace, arn, invoice, merchant,
    terminal, batch, last_four, brand, payout, bank_reference, account, end_to_end, party, names, words, revision, view)
SELECT tenant, id, statement, number, position, side, type, coalesce(role, 'own'), left("group", 500), currency, gross,
    fees, net, amount, paid, "paidCurrency", at, coalesce(day, "bookedDay", "valueDay"), left(processor_id, 500),
    left(related_id, 500), left(rrn, 500), left(auth_code, 500), left(trace, 500), left(arn, 500), left(invoice, 500),
    left(merchant, 500), left(terminal, 500), left(batch, 500), last_four, left(brand, 500), left(payout, 500),
    left(bank_reference, 500), left(account, 500), left(end_to_end, 500),
    CASE WHEN side = 'bank' THEN upper(left(counterparty, 500)) END,
    CASE
        WHEN side = 'bank' AND type IN ('deposit', 'withdrawal') THEN
            array_remove(ARRAY[upper(left(bank_reference, 500)), upper(left(end_to_end, 500)), upper(left(invoice, 500))], NULL)
        WHEN side = 'processor' AND type IN ('payout', 'payout-return') THEN
            array_remove(ARRAY[upper(left(coalesce(payout, processor_id), 500)), upper(left(bank_reference, 500))], NULL)
        -- Other transfers have the id of their line: they may be among the lines of a payout.
        WHEN side = 'processor' AND type IN ('deposit', 'withdrawal', 'transfer') THEN
            array_remove(ARRAY[upper(left(processor_id, 500)), upper(left(bank_reference, 500))], NULL)
    END,
    CASE WHEN side = 'bank' AND type IN ('deposit', 'withdrawal') THEN ARRAY(
        -- Punctuation may end a word or be part of it.
        SELECT w.word FROM (
            SELECT upper(concat_ws(' ', text, counterparty, bank_reference, end_to_end, invoice, merchant, batch,
                processor_id, related_id, other_reference)) AS entry
        ) e CROSS JOIN LATERAL (
            SELECT unnest(regexp_split_to_array(e.entry, '[^[:alnum:]_-]+')) AS word
            UNION SELECT unnest(regexp_split_to_array(e.entry, '\s+'))
        ) w WHERE length(w.word) BETWEEN 1 AND 500 ORDER BY 1
    ) END, revision, view
FROM details ORDER BY position, number
ON CONFLICT (tenant, id) DO NOTHING
