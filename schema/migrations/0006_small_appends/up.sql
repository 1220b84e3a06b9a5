-- A batch of one event, one stream or one key is written without unnesting arrays and without statements that have
-- nothing to do. The rows written and the refusals are the same.

CREATE OR REPLACE FUNCTION ledger.append(
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
    p_base_frontier      bytea
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_known   bigint;
    v_touched bigint;
BEGIN
    -- Waits for every earlier append to end.
    UPDATE ledger.head h
       SET position = p_position + cardinality(p_event_id), recorded_at = p_recorded_at, frontier = p_frontier
     WHERE h.position = p_position AND h.frontier = p_base_frontier AND h.recorded_at <= p_recorded_at;
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
