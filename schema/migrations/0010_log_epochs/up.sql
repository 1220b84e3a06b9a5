-- Epochs of the log: a log that lost its end continues in a new epoch, after an operator has adopted it. An append
-- names the epoch that its writer knows, and its time is close to the clock of the database.

ALTER TABLE ledger.head
    ADD COLUMN epoch bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
    ADD COLUMN epoch_began_at timestamptz;
COMMENT ON COLUMN ledger.head.epoch IS
    'How often an operator has adopted a log that lost events. Cursors and positions of another epoch are refused.';
COMMENT ON COLUMN ledger.head.epoch_began_at IS
    'The time of the last adoption by the clock of the database; NULL before the first.';

DROP FUNCTION ledger.append(
    bigint, timestamptz, bytea, text[], text[], bigint[], bigint[], bigint[], uuid[], bytea[], bigint[], int[], text[],
    text[], text[], bigint[], uuid[], text[], text[], bigint[], text[], smallint[], timestamptz[], text[], text[],
    uuid[], text[], text[], bytea[], smallint[], bigint[], bytea[], bytea[], bytea
);

CREATE FUNCTION ledger.append(
    p_position           bigint,
    p_recorded_at        timestamptz,
    p_frontier           bytea,
    p_stream_tenant      text[],
    p_stream             text[],
    p_stream_before      bigint[],
    p_stream_after       bigint[],
    p_stream_first       bigint[],
    p_key                uuid[],
    p_key_request        bytea[],
    p_key_position       bigint[],
    p_key_events         int[],
    p_reference_tenant   text[],
    p_reference_key      text[],
    p_reference_stream   text[],
    p_reference_position bigint[],
    p_event_id           uuid[],
    p_event_tenant       text[],
    p_event_stream       text[],
    p_event_version      bigint[],
    p_event_type         text[],
    p_event_schema       smallint[],
    p_event_occurred_at  timestamptz[],
    p_event_actor        text[],
    p_event_correlation  text[],
    p_event_causation    uuid[],
    p_event_claims       text[],
    p_event_data         text[],
    p_event_leaf         bytea[],
    p_tile_level         smallint[],
    p_tile_index         bigint[],
    p_tile_root          bytea[],
    p_tile_hashes        bytea[],
    p_base_frontier      bytea,
    p_epoch              bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_known   bigint;
    v_touched bigint;
BEGIN
    -- Set for the session when it began, and perhaps changed since.
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        RAISE EXCEPTION 'synchronous_commit is neither on nor remote_apply' USING ERRCODE = 'DB003';
    END IF;
    -- Every later event would have the time of a writer whose clock is ahead. A time that the log has adds nothing.
    IF p_recorded_at > clock_timestamp() + interval '5 seconds'
       AND NOT EXISTS (SELECT FROM ledger.head h WHERE h.recorded_at >= p_recorded_at) THEN
        RAISE EXCEPTION 'the clock of the writer is ahead of the clock of the database' USING ERRCODE = 'DB002';
    END IF;

    -- Waits for every earlier append to end.
    UPDATE ledger.head h
       SET position = p_position + cardinality(p_event_id), recorded_at = p_recorded_at, frontier = p_frontier
     WHERE h.position = p_position AND h.frontier = p_base_frontier AND h.epoch = p_epoch
       AND h.recorded_at <= p_recorded_at;
    IF NOT FOUND THEN
        RETURN false;
    END IF;

    -- The keys first, because a duplicate is the most likely reason to fail, and fails cheapest here.
    IF cardinality(p_key) = 1 THEN
        INSERT INTO ledger.idempotency (key, request, position, events)
        VALUES (p_key[1], p_key_request[1], p_key_position[1], p_key_events[1]);
    ELSIF cardinality(p_key) > 1 THEN
        INSERT INTO ledger.idempotency (key, request, position, events)
        SELECT * FROM unnest(p_key, p_key_request, p_key_position, p_key_events);
    END IF;
    IF cardinality(p_reference_key) > 0 THEN
        INSERT INTO ledger.reference_keys (tenant, key, stream, position)
        SELECT * FROM unnest(p_reference_tenant, p_reference_key, p_reference_stream, p_reference_position);
    END IF;

    IF cardinality(p_stream) = 1 AND p_stream_before[1] = 0 THEN
        INSERT INTO ledger.streams (tenant, stream, version, first_position)
        VALUES (p_stream_tenant[1], p_stream[1], p_stream_after[1], p_stream_first[1]);
    ELSIF cardinality(p_stream) = 1 THEN
        UPDATE ledger.streams s SET version = p_stream_after[1]
         WHERE s.tenant = p_stream_tenant[1] AND s.stream = p_stream[1] AND s.version = p_stream_before[1];
        IF NOT FOUND THEN
            RAISE EXCEPTION 'a stream has another version' USING ERRCODE = 'DB001';
        END IF;
    ELSE
        INSERT INTO ledger.streams AS s (tenant, stream, version, first_position)
        SELECT n.tenant, n.stream, n.after, n.first
          FROM unnest(p_stream_tenant, p_stream, p_stream_before, p_stream_after, p_stream_first)
            AS n (tenant, stream, before, after, first)
         WHERE n.before = 0;
        GET DIAGNOSTICS v_touched = ROW_COUNT;
        v_known := cardinality(p_stream) - v_touched;
        IF v_known > 0 THEN
            UPDATE ledger.streams s SET version = n.after
              FROM unnest(p_stream_tenant, p_stream, p_stream_before, p_stream_after)
                AS n (tenant, stream, before, after)
             WHERE n.before > 0 AND s.tenant = n.tenant AND s.stream = n.stream AND s.version = n.before;
            GET DIAGNOSTICS v_touched = ROW_COUNT;
            IF v_touched <> v_known THEN
                RAISE EXCEPTION 'a stream has another version' USING ERRCODE = 'DB001';
            END IF;
        END IF;
    END IF;

    IF cardinality(p_event_id) = 1 THEN
        INSERT INTO ledger.events (position, recorded_at, id, tenant, stream, version, type, schema, occurred_at, actor,
                                   correlation, causation, claims, data, leaf)
        VALUES (p_position + 1, p_recorded_at, p_event_id[1], p_event_tenant[1], p_event_stream[1], p_event_version[1],
                p_event_type[1], p_event_schema[1], p_event_occurred_at[1], p_event_actor[1], p_event_correlation[1],
                p_event_causation[1], p_event_claims[1], p_event_data[1]::json, p_event_leaf[1]);
    ELSE
        INSERT INTO ledger.events (position, recorded_at, id, tenant, stream, version, type, schema, occurred_at, actor,
                                   correlation, causation, claims, data, leaf)
        SELECT p_position + e.ordinal, p_recorded_at, e.id, e.tenant, e.stream, e.version, e.type, e.schema,
               e.occurred_at, e.actor, e.correlation, e.causation, e.claims, e.data::json, e.leaf
          FROM unnest(p_event_id, p_event_tenant, p_event_stream, p_event_version, p_event_type, p_event_schema,
                      p_event_occurred_at, p_event_actor, p_event_correlation, p_event_causation, p_event_claims,
                      p_event_data, p_event_leaf) WITH ORDINALITY
            AS e (id, tenant, stream, version, type, schema, occurred_at, actor, correlation, causation, claims, data,
                  leaf, ordinal);
    END IF;

    IF cardinality(p_tile_index) > 0 THEN
        INSERT INTO ledger.tiles (level, index, root, hashes)
        SELECT * FROM unnest(p_tile_level, p_tile_index, p_tile_root, p_tile_hashes);
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION ledger.append IS
    'Writes a batch that the caller has computed for the log at p_position in p_epoch, with versions, keys, leaves, '
    'tiles and frontier. Returns false, and does nothing, if the log ends elsewhere or is in another epoch. Fails as a '
    'whole if a key is claimed already (unique_violation), a stream has another version than expected (DB001), '
    'p_recorded_at is more than 5 seconds ahead of the database (DB002), or commits are not durable (DB003).';

ALTER FUNCTION ledger.append OWNER TO daybook_owner;
REVOKE ALL ON FUNCTION ledger.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.append TO daybook_service;
