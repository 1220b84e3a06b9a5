INSERT INTO readers (tenant, vendor, serial, first_position, last_position, last_seen, battery, payment,
    update_due, view)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::timestamptz[],
    $7::int4[], $8::uuid[], $9::bool[], $10::json[])
ON CONFLICT (tenant, vendor, serial) DO UPDATE SET
    last_position = excluded.last_position, last_seen = excluded.last_seen, battery = excluded.battery,
    payment = excluded.payment, update_due = excluded.update_due, view = excluded.view
