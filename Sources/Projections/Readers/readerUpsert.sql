INSERT INTO readers (tenant, vendor, serial, first_position, last_position, last_seen, battery, charging,
    holds_result, payment, update_due, mandatory_due, errors, view)
SELECT tenant, vendor, serial, first_position, last_position, last_seen, battery, charging, holds_result, payment,
    update_due, mandatory_due, errors::text[], view
FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::timestamptz[], $7::int4[], $8::bool[],
    $9::bool[], $10::uuid[], $11::bool[], $12::bool[], $13::text[], $14::json[])
    AS r (tenant, vendor, serial, first_position, last_position, last_seen, battery, charging, holds_result, payment,
    update_due, mandatory_due, errors, view)
ON CONFLICT (tenant, vendor, serial) DO UPDATE SET
    first_position = excluded.first_position, last_position = excluded.last_position, last_seen = excluded.last_seen, battery = excluded.battery,
    charging = excluded.charging, holds_result = excluded.holds_result, payment = excluded.payment,
    update_due = excluded.update_due, mandatory_due = excluded.mandatory_due, errors = excluded.errors,
    view = excluded.view
