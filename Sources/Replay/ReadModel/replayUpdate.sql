UPDATE plans p SET last_position = r.position, version = r.version, planned_items = p.planned_items + r.planned_items,
    actionable = p.actionable + r.actionable, attempted = p.attempted + r.attempted,
    posted = p.posted + r.posted, declined = p.declined + r.declined,
    already_posted = p.already_posted + r.already_posted, moved_on = p.moved_on + r.moved_on,
    needs_person = p.needs_person + r.needs_person, unknown = p.unknown + r.unknown,
    status = coalesce(r.status,
        CASE WHEN p.status = 'drafted' AND p.planned_items + r.planned_items >= p.items THEN 'planned' ELSE p.status END),
    approval = coalesce(r.approval, p.approval), approved_at = coalesce(r.approved_at, p.approved_at),
    note = coalesce(r.note, p.note)
FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::text[],
    $9::json[], $10::timestamptz[], $11::text[], $12::int8[], $13::int8[], $14::int8[], $15::int8[],
    $16::int8[], $17::int8[])
    AS r (tenant, id, position, version, planned_items, actionable, attempted, status, approval, approved_at, note,
        posted, declined, already_posted, moved_on, needs_person, unknown)
WHERE p.tenant = r.tenant AND p.id = r.id
