CREATE SCHEMA access;

COMMENT ON SCHEMA access IS 'Tenants and their API keys.';

CREATE SCHEMA ledger;

COMMENT ON SCHEMA ledger IS 'The event log and its indexes, written in one transaction. Nothing here is a read model.';

CREATE SCHEMA projection;

COMMENT ON SCHEMA projection IS 'The progress of the read models, which can be rebuilt from the log.';

CREATE SCHEMA replay;

COMMENT ON SCHEMA replay IS 'Tables for the execution of replay plans.';

CREATE FUNCTION access.close_session(p_token_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    DELETE FROM access.sessions s WHERE s.token_hash = p_token_hash
$$;

COMMENT ON FUNCTION access.close_session(p_token_hash bytea) IS 'Ends a session.';

CREATE FUNCTION access.find_key(p_hash bytea) RETURNS TABLE(id text, tenant text, scopes text[], hash bytea, expires_at timestamp with time zone, holder text, bound text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT k.id, k.tenant, k.scopes, k.hash, k.expires_at, k.holder, k.bound FROM access.api_keys k
     WHERE k.hash = p_hash AND k.revoked_at IS NULL
$$;

COMMENT ON FUNCTION access.find_key(p_hash bytea) IS 'The key with this hash, unless it is revoked. The service may look up one key, but not read the hashes.';

CREATE FUNCTION access.find_session(p_token_hash bytea, p_now timestamp with time zone, p_idle_since timestamp with time zone, p_is_use boolean) RETURNS TABLE(key_id text, tenant text, scopes text[], name text, token_hash bytea, expires_at timestamp with time zone, holder text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    UPDATE access.sessions s SET seen_at = p_now
     WHERE p_is_use AND s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND s.seen_at < p_now - interval '1 minute';
    SELECT k.id, k.tenant, k.scopes, k.name, s.token_hash, s.expires_at, k.holder
      FROM access.sessions s JOIN access.api_keys k ON k.id = s.key_id
     WHERE s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_now)
$$;

COMMENT ON FUNCTION access.find_session(p_token_hash bytea, p_now timestamp with time zone, p_idle_since timestamp with time zone, p_is_use boolean) IS 'The session with this hash and the scopes of its key; nothing if either has ended. A use keeps it from becoming idle.';

CREATE FUNCTION access.open_session(p_token_hash bytea, p_key_id text, p_now timestamp with time zone, p_idle_since timestamp with time zone, p_expires_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM access.sessions s WHERE s.expires_at <= p_now OR s.seen_at <= p_idle_since;
    -- A key has at most 100 sessions; the oldest ones end.
    DELETE FROM access.sessions s WHERE s.token_hash IN (
        SELECT o.token_hash FROM access.sessions o WHERE o.key_id = p_key_id ORDER BY o.created_at DESC OFFSET 99
    );
    INSERT INTO access.sessions (token_hash, key_id, created_at, seen_at, expires_at)
    SELECT p_token_hash, k.id, p_now, p_now, least(p_expires_at, k.expires_at) FROM access.api_keys k
     WHERE k.id = p_key_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_now);
    RETURN FOUND;
END $$;

COMMENT ON FUNCTION access.open_session(p_token_hash bytea, p_key_id text, p_now timestamp with time zone, p_idle_since timestamp with time zone, p_expires_at timestamp with time zone) IS 'Begins a session of a key, unless the key is revoked or expired, and removes ended sessions.';

CREATE FUNCTION ledger.add_partition(p_span bigint, p_until bigint DEFAULT NULL::bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_first bigint;
    v_last  bigint;
    v_name  text;
BEGIN
    IF p_span < 256 OR p_span % 256 <> 0 THEN
        RAISE EXCEPTION 'a partition holds whole tiles of 256 events' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One at a time; a session that waited sees the partition that the other one made.
    PERFORM pg_advisory_xact_lock(hashtextextended('ledger.partitions', 0));
    SELECT coalesce(max(p.last), 0) + 1 INTO v_first FROM ledger.partitions p;
    IF v_first > p_until THEN
        RETURN v_first - 1;
    END IF;
    v_last := v_first + p_span - 1;
    v_name := 'events_' || lpad(v_first::text, 12, '0');
    -- The table is attached, not created in place, because that takes no lock for which appends or reads would wait.
    EXECUTE format('CREATE TABLE ledger.%I (LIKE ledger.events INCLUDING DEFAULTS INCLUDING INDEXES)', v_name);
    EXECUTE format('CREATE UNIQUE INDEX %I ON ledger.%I (tenant, stream, version)', v_name || '_stream', v_name);
    EXECUTE format(
        'CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.%I '
        'FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', v_name);
    EXECUTE format('ALTER TABLE ledger.events ATTACH PARTITION ledger.%I FOR VALUES FROM (%s) TO (%s)',
        v_name, v_first, v_last + 1);
    EXECUTE format('COMMENT ON TABLE ledger.%I IS %L', v_name, format('Events %s to %s.', v_first, v_last));
    EXECUTE format('COMMENT ON TRIGGER events_append_only ON ledger.%I IS %L', v_name,
        'Events cannot be changed or removed, not even by the owner.');
    INSERT INTO ledger.partitions (first, last, name) VALUES (v_first, v_last, v_name);
    RETURN v_last;
END $$;

COMMENT ON FUNCTION ledger.add_partition(p_span bigint, p_until bigint) IS 'Creates the table for the next p_span positions, a multiple of 256, unless there are tables up to p_until already; returns the last position that has a table. The unique index over stream and version makes a forked stream impossible within a table; across tables ledger.streams does.';

CREATE FUNCTION ledger.append(p_position bigint, p_recorded_at timestamp with time zone, p_frontier bytea, p_stream_tenant text[], p_stream text[], p_stream_before bigint[], p_stream_after bigint[], p_stream_first bigint[], p_key uuid[], p_key_request bytea[], p_key_position bigint[], p_key_events integer[], p_reference_tenant text[], p_reference_key text[], p_reference_stream text[], p_reference_position bigint[], p_event_id uuid[], p_event_tenant text[], p_event_stream text[], p_event_version bigint[], p_event_type text[], p_event_schema smallint[], p_event_occurred_at timestamp with time zone[], p_event_actor text[], p_event_correlation text[], p_event_causation uuid[], p_event_claims text[], p_event_data text[], p_event_leaf bytea[], p_tile_level smallint[], p_tile_index bigint[], p_tile_root bytea[], p_tile_hashes bytea[], p_base_frontier bytea, p_epoch bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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

COMMENT ON FUNCTION ledger.append(p_position bigint, p_recorded_at timestamp with time zone, p_frontier bytea, p_stream_tenant text[], p_stream text[], p_stream_before bigint[], p_stream_after bigint[], p_stream_first bigint[], p_key uuid[], p_key_request bytea[], p_key_position bigint[], p_key_events integer[], p_reference_tenant text[], p_reference_key text[], p_reference_stream text[], p_reference_position bigint[], p_event_id uuid[], p_event_tenant text[], p_event_stream text[], p_event_version bigint[], p_event_type text[], p_event_schema smallint[], p_event_occurred_at timestamp with time zone[], p_event_actor text[], p_event_correlation text[], p_event_causation uuid[], p_event_claims text[], p_event_data text[], p_event_leaf bytea[], p_tile_level smallint[], p_tile_index bigint[], p_tile_root bytea[], p_tile_hashes bytea[], p_base_frontier bytea, p_epoch bigint) IS 'Writes a batch that the caller has computed for the log at p_position in p_epoch, with versions, keys, leaves, tiles and frontier. Returns false, and does nothing, if the log ends elsewhere or is in another epoch. Fails as a whole if a key is claimed already (unique_violation), a stream has another version than expected (DB001), p_recorded_at is more than 5 seconds ahead of the database (DB002), or commits are not durable (DB003).';

CREATE FUNCTION ledger.detach_partition(p_first bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
    v_name text;
BEGIN
    -- The lock excludes reads and appends. They wait shortly, and then see both the detached table and its row.
    LOCK TABLE ledger.events IN ACCESS EXCLUSIVE MODE;
    UPDATE ledger.partitions p SET detached_at = now()
     WHERE p.first = p_first AND p.archived_at IS NOT NULL AND p.detached_at IS NULL
       AND NOT EXISTS (SELECT FROM ledger.partitions o WHERE o.first < p.first AND o.detached_at IS NULL)
    RETURNING p.name INTO v_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this partition cannot be detached now' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('ALTER TABLE ledger.events DETACH PARTITION ledger.%I', v_name);
END $$;

COMMENT ON FUNCTION ledger.detach_partition(p_first bigint) IS 'Detaches the oldest partition, which must be archived. Fails with lock_not_available instead of blocking appends behind a long read.';

CREATE FUNCTION ledger.drop_partition(p_first bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_name text;
BEGIN
    UPDATE ledger.partitions p SET dropped_at = now()
     WHERE p.first = p_first AND p.detached_at IS NOT NULL AND p.dropped_at IS NULL
    RETURNING p.name INTO v_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this partition cannot be dropped now' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('DROP TABLE ledger.%I', v_name);
END $$;

COMMENT ON FUNCTION ledger.drop_partition(p_first bigint) IS 'Drops the table of a detached partition: its events are in the archive.';

CREATE FUNCTION ledger.record_archive(p_first bigint, p_file text, p_digest bytea, p_index_digest bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    UPDATE ledger.partitions p
       SET archived_at = now(), archive_file = p_file, archive_digest = p_digest, index_digest = p_index_digest
     WHERE p.first = p_first AND p.archived_at IS NULL
       AND p.last <= (SELECT h.position FROM ledger.head h)
       AND p.last <= (SELECT max(c.size) FROM ledger.checkpoints c)
       AND NOT EXISTS (SELECT FROM ledger.partitions o WHERE o.first < p.first AND o.archived_at IS NULL);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this partition cannot be archived now' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;

COMMENT ON FUNCTION ledger.record_archive(p_first bigint, p_file text, p_digest bytea, p_index_digest bytea) IS 'Records that a partition is archived: the oldest one that is not, full, and covered by a checkpoint.';

CREATE FUNCTION ledger.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

COMMENT ON FUNCTION ledger.refuse_change() IS 'Refuses every change.';

CREATE TABLE access.api_keys (
    id text NOT NULL,
    tenant text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    holder text,
    bound text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT api_keys_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_keys_holder_check CHECK (((octet_length(holder) >= 1) AND (octet_length(holder) <= 200)))
);

COMMENT ON TABLE access.api_keys IS 'API keys. The key itself is shown once and never stored.';

COMMENT ON COLUMN access.api_keys.id IS 'The name of the key in the audit trail.';

COMMENT ON COLUMN access.api_keys.hash IS 'SHA-256 of the key, which is random enough (178 bits) to need no salt.';

COMMENT ON COLUMN access.api_keys.holder IS 'The operator to whom it belongs; NULL for a machine, or if unknown.';

COMMENT ON COLUMN access.api_keys.bound IS 'What its documents and events must name, each as name=value; empty if the key is not bound.';

CREATE TABLE access.sessions (
    token_hash bytea NOT NULL,
    key_id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sessions_check CHECK ((expires_at > created_at)),
    CONSTRAINT sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

COMMENT ON TABLE access.sessions IS 'Sessions of the console. A session has the present scopes of its key, which are not stored here.';

COMMENT ON COLUMN access.sessions.token_hash IS 'SHA-256 of the token in the cookie, which is random enough (256 bits) to need no salt.';

COMMENT ON COLUMN access.sessions.seen_at IS 'The time of its last use, to the minute.';

COMMENT ON COLUMN access.sessions.expires_at IS 'The time at which it ends regardless of its use.';

CREATE TABLE access.tenants (
    id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT tenants_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text))
);

COMMENT ON TABLE access.tenants IS 'One merchant organisation each; nothing is visible across tenants.';

CREATE TABLE ledger.checkpoints (
    size bigint NOT NULL,
    root bytea NOT NULL,
    note text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    CONSTRAINT checkpoints_root_check CHECK ((octet_length(root) = 32)),
    CONSTRAINT checkpoints_size_check CHECK ((size > 0))
);

COMMENT ON TABLE ledger.checkpoints IS 'Signed statements of the size of the log and the root of its tree.';

COMMENT ON COLUMN ledger.checkpoints.note IS 'A C2SP tlog-checkpoint as a signed note.';

CREATE TABLE ledger.events (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    tenant text NOT NULL,
    stream text NOT NULL,
    version bigint NOT NULL,
    type text NOT NULL,
    schema smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    correlation text NOT NULL,
    causation uuid,
    claims text,
    data json NOT NULL,
    leaf bytea NOT NULL
)
PARTITION BY RANGE ("position");

COMMENT ON TABLE ledger.events IS 'The events in the order in which they were recorded. Rows are never changed.';

COMMENT ON COLUMN ledger.events.version IS 'Counts 1, 2, 3 within the stream.';

COMMENT ON COLUMN ledger.events.schema IS 'Version of the shape of data for this type.';

COMMENT ON COLUMN ledger.events.occurred_at IS 'The clock of the device or vendor; may be wrong.';

COMMENT ON COLUMN ledger.events.recorded_at IS 'The clock of the ledger; never decreases along positions.';

COMMENT ON COLUMN ledger.events.correlation IS 'The request that recorded the event.';

COMMENT ON COLUMN ledger.events.causation IS 'The event from which this one follows.';

COMMENT ON COLUMN ledger.events.claims IS 'On the first event of an item: the idempotency and reference keys that the item claims, as JSON. The tables of keys are indexes of it.';

COMMENT ON COLUMN ledger.events.data IS 'The payload, byte for byte as appended: json, not jsonb, because jsonb rewrites it.';

COMMENT ON COLUMN ledger.events.leaf IS 'SHA-256 of a zero byte and the record line: the leaf of the Merkle tree.';

CREATE TABLE ledger.events_000000000001 (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    tenant text NOT NULL,
    stream text NOT NULL,
    version bigint NOT NULL,
    type text NOT NULL,
    schema smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    correlation text NOT NULL,
    causation uuid,
    claims text,
    data json NOT NULL,
    leaf bytea NOT NULL
);

COMMENT ON TABLE ledger.events_000000000001 IS 'Events 1 to 1048576.';

CREATE TABLE ledger.events_000001048577 (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    tenant text NOT NULL,
    stream text NOT NULL,
    version bigint NOT NULL,
    type text NOT NULL,
    schema smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    correlation text NOT NULL,
    causation uuid,
    claims text,
    data json NOT NULL,
    leaf bytea NOT NULL
);

COMMENT ON TABLE ledger.events_000001048577 IS 'Events 1048577 to 2097152.';

CREATE TABLE ledger.head (
    singleton boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    frontier bytea DEFAULT '\x'::bytea NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    epoch_began_at timestamp with time zone,
    CONSTRAINT head_epoch_check CHECK ((epoch >= 0)),
    CONSTRAINT head_frontier_check CHECK (((octet_length(frontier) % 32) = 0)),
    CONSTRAINT head_position_check CHECK (("position" >= 0)),
    CONSTRAINT head_singleton_check CHECK (singleton)
);

COMMENT ON TABLE ledger.head IS 'The end of the log. Appending locks this row, so positions are gapless and equal commit order.';

COMMENT ON COLUMN ledger.head."position" IS 'Position of the newest event; 0 while the log is empty.';

COMMENT ON COLUMN ledger.head.recorded_at IS 'The time of the newest event; the next event is never recorded earlier.';

COMMENT ON COLUMN ledger.head.frontier IS 'The Merkle tree over all record lines: the hashes of its complete subtrees, the largest first, 32 bytes each.';

COMMENT ON COLUMN ledger.head.epoch IS 'How often an operator has adopted a log that lost events. Cursors and positions of another epoch are refused.';

COMMENT ON COLUMN ledger.head.epoch_began_at IS 'The time of the last adoption by the clock of the database; NULL before the first.';

CREATE TABLE ledger.idempotency (
    key uuid NOT NULL,
    request bytea NOT NULL,
    "position" bigint NOT NULL,
    events integer NOT NULL
);

COMMENT ON TABLE ledger.idempotency IS 'The first event appended under each key. Kept for ever, so that a duplicate is always recognised.';

COMMENT ON COLUMN ledger.idempotency.key IS 'The first half of the SHA-256 of tenant and key: short, because only its index is written at random places by an append.';

COMMENT ON COLUMN ledger.idempotency.request IS 'SHA-256 of the scrubbed request; the same key with another request is refused.';

COMMENT ON COLUMN ledger.idempotency."position" IS 'The position of the first event appended under the key.';

CREATE TABLE ledger.partitions (
    first bigint NOT NULL,
    last bigint NOT NULL,
    name text NOT NULL,
    archived_at timestamp with time zone,
    archive_file text,
    archive_digest bytea,
    detached_at timestamp with time zone,
    index_digest bytea,
    dropped_at timestamp with time zone,
    CONSTRAINT partitions_archive_digest_check CHECK ((octet_length(archive_digest) = 32)),
    CONSTRAINT partitions_check CHECK ((last >= first)),
    CONSTRAINT partitions_check1 CHECK (((archived_at IS NULL) = (archive_file IS NULL))),
    CONSTRAINT partitions_check2 CHECK (((archived_at IS NULL) = (archive_digest IS NULL))),
    CONSTRAINT partitions_check3 CHECK (((detached_at IS NULL) OR (archived_at IS NOT NULL))),
    CONSTRAINT partitions_check4 CHECK (((archived_at IS NULL) = (index_digest IS NULL))),
    CONSTRAINT partitions_check5 CHECK (((dropped_at IS NULL) OR (detached_at IS NOT NULL))),
    CONSTRAINT partitions_first_check CHECK ((first > 0)),
    CONSTRAINT partitions_index_digest_check CHECK ((octet_length(index_digest) = 32))
);

COMMENT ON TABLE ledger.partitions IS 'The ranges of positions: one table or archive for each.';

COMMENT ON COLUMN ledger.partitions.name IS 'The table, in schema ledger.';

COMMENT ON COLUMN ledger.partitions.archive_file IS 'The file with its record lines, below the archive directory.';

COMMENT ON COLUMN ledger.partitions.archive_digest IS 'SHA-256 of that file.';

COMMENT ON COLUMN ledger.partitions.detached_at IS 'The time since which its events are in the archive only.';

COMMENT ON COLUMN ledger.partitions.index_digest IS 'SHA-256 of the index file beside the archive, which is computed from the archive.';

COMMENT ON COLUMN ledger.partitions.dropped_at IS 'The time at which the detached table was dropped.';

CREATE TABLE ledger.reference_keys (
    tenant text NOT NULL,
    key text NOT NULL,
    stream text NOT NULL,
    "position" bigint NOT NULL
);

COMMENT ON TABLE ledger.reference_keys IS 'References of streams. A reference belongs to one stream for ever.';

COMMENT ON COLUMN ledger.reference_keys."position" IS 'The position of the event that claimed the reference.';

CREATE TABLE ledger.streams (
    tenant text NOT NULL,
    stream text NOT NULL,
    version bigint NOT NULL,
    first_position bigint NOT NULL
)
WITH (fillfactor='85');

COMMENT ON TABLE ledger.streams IS 'The version of each stream, and its first position.';

CREATE TABLE ledger.tiles (
    level smallint NOT NULL,
    index bigint NOT NULL,
    root bytea NOT NULL,
    hashes bytea NOT NULL,
    CONSTRAINT tiles_hashes_check CHECK ((octet_length(hashes) = 8192)),
    CONSTRAINT tiles_index_check CHECK ((index >= 0)),
    CONSTRAINT tiles_level_check CHECK ((level >= 0)),
    CONSTRAINT tiles_root_check CHECK ((octet_length(root) = 32))
);
ALTER TABLE ONLY ledger.tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;

COMMENT ON TABLE ledger.tiles IS 'Full tiles of the Merkle tree: 256 neighbouring hashes of every eighth level.';

COMMENT ON COLUMN ledger.tiles.root IS 'The hash of the subtree over the tile, which is one hash in a tile of the next level.';

COMMENT ON COLUMN ledger.tiles.hashes IS 'Leaves on level 0; on other levels, the roots of 256 tiles of the level below.';

CREATE TABLE ledger.witnesses (
    kind text NOT NULL,
    listed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT witnesses_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'remote'::text])))
);

COMMENT ON TABLE ledger.witnesses IS 'Every process that appends is given a remote witness if one is listed, else a witness file if one is listed. An adoption of the log lists the witnesses anew.';

CREATE TABLE projection.checkpoints (
    name text NOT NULL,
    is_live boolean NOT NULL,
    version integer NOT NULL,
    "position" bigint NOT NULL,
    fault text,
    fault_position bigint,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT checkpoints_position_check CHECK (("position" >= 0))
);

COMMENT ON TABLE projection.checkpoints IS 'One row for each live read model, and one for each running rebuild.';

COMMENT ON COLUMN projection.checkpoints.version IS 'The version of the rules by which the rows were computed.';

COMMENT ON COLUMN projection.checkpoints."position" IS 'The last applied position; moved in the transaction that writes the rows.';

COMMENT ON COLUMN projection.checkpoints.fault IS 'The reason why the read model has halted; null while it runs.';

CREATE TABLE projection.processes (
    name text NOT NULL,
    "position" bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT processes_position_check CHECK (("position" >= 0))
);

COMMENT ON TABLE projection.processes IS 'The progress of each process that follows the log and appends further events. Their idempotency keys are computed from the followed event, so that a repeated step appends once.';

CREATE TABLE public.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT schema_migrations_checksum_check CHECK ((octet_length(checksum) = 32)),
    CONSTRAINT schema_migrations_number_check CHECK ((number > 0))
);

COMMENT ON TABLE public.schema_migrations IS 'The steps of the schema applied to this database, with the SHA-256 of their text.';

CREATE TABLE replay.card_tokens (
    tenant text NOT NULL,
    transaction uuid NOT NULL,
    sealed bytea NOT NULL,
    kept_until timestamp with time zone NOT NULL,
    CONSTRAINT card_tokens_sealed_check CHECK (((octet_length(sealed) >= 29) AND (octet_length(sealed) <= 1024)))
);

COMMENT ON TABLE replay.card_tokens IS 'The token of a payment''s card at its gateway, for resubmissions. Never a card number; sealed with a key that is not in the database (AES-256-GCM, bound to tenant and payment), and kept for a time.';

CREATE TABLE replay.queue (
    tenant text NOT NULL,
    plan uuid NOT NULL,
    item bigint NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone NOT NULL,
    lease uuid,
    leased_until timestamp with time zone,
    CONSTRAINT queue_check CHECK (((lease IS NULL) = (leased_until IS NULL)))
);

COMMENT ON TABLE replay.queue IS 'The items of running plans that have not ended, computed from the log. A worker leases an item. A lease only saves work: the version of the payment''s stream ensures that an item is executed once.';

COMMENT ON COLUMN replay.queue.tries IS 'The number of times that a worker began the item.';

ALTER TABLE ONLY ledger.events ATTACH PARTITION ledger.events_000000000001 FOR VALUES FROM ('1') TO ('1048577');

ALTER TABLE ONLY ledger.events ATTACH PARTITION ledger.events_000001048577 FOR VALUES FROM ('1048577') TO ('2097153');

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY access.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY access.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY ledger.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (size);

ALTER TABLE ONLY ledger.events
    ADD CONSTRAINT events_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY ledger.events_000000000001
    ADD CONSTRAINT events_000000000001_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY ledger.events_000001048577
    ADD CONSTRAINT events_000001048577_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY ledger.head
    ADD CONSTRAINT head_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY ledger.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);

ALTER TABLE ONLY ledger.partitions
    ADD CONSTRAINT partitions_name_key UNIQUE (name);

ALTER TABLE ONLY ledger.partitions
    ADD CONSTRAINT partitions_pkey PRIMARY KEY (first);

ALTER TABLE ONLY ledger.reference_keys
    ADD CONSTRAINT reference_keys_pkey PRIMARY KEY (tenant, key);

ALTER TABLE ONLY ledger.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (tenant, stream);

ALTER TABLE ONLY ledger.tiles
    ADD CONSTRAINT tiles_pkey PRIMARY KEY (level, index);

ALTER TABLE ONLY ledger.witnesses
    ADD CONSTRAINT witnesses_pkey PRIMARY KEY (kind);

ALTER TABLE ONLY projection.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (name, is_live);

ALTER TABLE ONLY projection.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY replay.card_tokens
    ADD CONSTRAINT card_tokens_pkey PRIMARY KEY (tenant, transaction);

ALTER TABLE ONLY replay.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (tenant, plan, item);

CREATE INDEX sessions_by_key ON access.sessions USING btree (key_id, created_at);

CREATE UNIQUE INDEX events_000000000001_stream ON ledger.events_000000000001 USING btree (tenant, stream, version);

CREATE INDEX events_by_tenant ON ONLY ledger.events USING btree (tenant, "position");

COMMENT ON INDEX ledger.events_by_tenant IS 'Reads the audit feed of a tenant in order, without the events of other tenants.';

CREATE INDEX events_000000000001_tenant_position_idx ON ledger.events_000000000001 USING btree (tenant, "position");

CREATE INDEX events_by_type ON ONLY ledger.events USING btree (tenant, type, "position");

COMMENT ON INDEX ledger.events_by_type IS 'Reads the audit feed of one type in order.';

CREATE INDEX events_000000000001_tenant_type_position_idx ON ledger.events_000000000001 USING btree (tenant, type, "position");

CREATE UNIQUE INDEX events_000001048577_stream ON ledger.events_000001048577 USING btree (tenant, stream, version);

CREATE INDEX events_000001048577_tenant_position_idx ON ledger.events_000001048577 USING btree (tenant, "position");

CREATE INDEX events_000001048577_tenant_type_position_idx ON ledger.events_000001048577 USING btree (tenant, type, "position");

CREATE INDEX card_tokens_by_time ON replay.card_tokens USING btree (kept_until);

CREATE INDEX queue_by_lease ON replay.queue USING btree (tenant, plan, lease) WHERE (lease IS NOT NULL);

ALTER INDEX ledger.events_pkey ATTACH PARTITION ledger.events_000000000001_pkey;

ALTER INDEX ledger.events_by_tenant ATTACH PARTITION ledger.events_000000000001_tenant_position_idx;

ALTER INDEX ledger.events_by_type ATTACH PARTITION ledger.events_000000000001_tenant_type_position_idx;

ALTER INDEX ledger.events_pkey ATTACH PARTITION ledger.events_000001048577_pkey;

ALTER INDEX ledger.events_by_tenant ATTACH PARTITION ledger.events_000001048577_tenant_position_idx;

ALTER INDEX ledger.events_by_type ATTACH PARTITION ledger.events_000001048577_tenant_type_position_idx;

CREATE TRIGGER checkpoints_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER checkpoints_append_only ON ledger.checkpoints IS 'Signed checkpoints are never changed or removed.';

CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.events FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER events_append_only ON ledger.events IS 'Events cannot be changed or removed, not even by the owner.';

CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.events_000000000001 FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER events_append_only ON ledger.events_000000000001 IS 'Events cannot be changed or removed, not even by the owner.';

CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.events_000001048577 FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER events_append_only ON ledger.events_000001048577 IS 'Events cannot be changed or removed, not even by the owner.';

CREATE TRIGGER idempotency_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.idempotency FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER idempotency_append_only ON ledger.idempotency IS 'Without its key, a duplicate would be recorded again.';

CREATE TRIGGER reference_keys_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.reference_keys FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER reference_keys_append_only ON ledger.reference_keys IS 'A reference that moved would split a payment.';

CREATE TRIGGER tiles_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.tiles FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER tiles_append_only ON ledger.tiles IS 'A full tile never changes.';

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_tenant_fkey FOREIGN KEY (tenant) REFERENCES access.tenants(id);

ALTER TABLE ONLY access.sessions
    ADD CONSTRAINT sessions_key_id_fkey FOREIGN KEY (key_id) REFERENCES access.api_keys(id);
