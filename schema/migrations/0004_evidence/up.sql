-- The log as evidence: a Merkle tree over the record lines, partitions by position, and an append that writes what the
-- writer has computed beforehand.

DO $$ BEGIN
    IF (SELECT position FROM ledger.head) > 0 THEN
        RAISE EXCEPTION 'this log was written before its records had hashes; keep it with the build that wrote it, and '
            'begin a new database' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;

DROP FUNCTION ledger.append(
    timestamptz, text[], text[], bigint[], int[], bytea[], bytea[], int[], text[], int[], uuid[], text[], smallint[],
    timestamptz[], text[], text[], uuid[], text[]
);
DROP TABLE ledger.events, ledger.streams, ledger.idempotency, ledger.reference_keys;

-- The head ------------------------------------------------------------------------------------------------------------

ALTER TABLE ledger.head ADD COLUMN frontier bytea NOT NULL DEFAULT '' CHECK (octet_length(frontier) % 32 = 0);
COMMENT ON COLUMN ledger.head.frontier IS
    'The Merkle tree over all record lines: the hashes of its complete subtrees, the largest first, 32 bytes each.';

-- The events ----------------------------------------------------------------------------------------------------------

CREATE TABLE ledger.events (
    position    bigint      NOT NULL,
    id          uuid        NOT NULL,
    tenant      text        NOT NULL,
    stream      text        NOT NULL,
    version     bigint      NOT NULL,
    type        text        NOT NULL,
    schema      smallint    NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    actor       text        NOT NULL,
    correlation text        NOT NULL,
    causation   uuid,
    claims      text,
    data        json        NOT NULL,
    leaf        bytea       NOT NULL
) PARTITION BY RANGE (position);
COMMENT ON TABLE ledger.events IS 'The events in the order in which they were recorded. Rows are never changed.';
COMMENT ON COLUMN ledger.events.version IS 'Counts 1, 2, 3 within the stream.';
COMMENT ON COLUMN ledger.events.schema IS 'Version of the shape of data for this type.';
COMMENT ON COLUMN ledger.events.occurred_at IS 'The clock of the device or vendor; may be wrong.';
COMMENT ON COLUMN ledger.events.recorded_at IS 'The clock of the ledger; never decreases along positions.';
COMMENT ON COLUMN ledger.events.correlation IS 'The request that recorded the event.';
COMMENT ON COLUMN ledger.events.causation IS 'The event from which this one follows.';
COMMENT ON COLUMN ledger.events.claims IS
    'On the first event of an item: the idempotency and reference keys that the item claims, as JSON. The tables '
    'of keys are indexes of it.';
COMMENT ON COLUMN ledger.events.data IS 'The payload, byte for byte as appended: json, not jsonb, because jsonb rewrites it.';
COMMENT ON COLUMN ledger.events.leaf IS 'SHA-256 of a zero byte and the record line: the leaf of the Merkle tree.';
ALTER TABLE ledger.events ADD PRIMARY KEY (position);
CREATE INDEX events_by_type ON ledger.events (tenant, type, position);
COMMENT ON INDEX ledger.events_by_type IS 'Reads the audit feed of one type in order.';
CREATE INDEX events_by_tenant ON ledger.events (tenant, position);
COMMENT ON INDEX ledger.events_by_tenant IS 'Reads the audit feed of a tenant in order, without the events of other tenants.';

CREATE TABLE ledger.partitions (
    first          bigint      PRIMARY KEY CHECK (first > 0),
    last           bigint      NOT NULL CHECK (last >= first),
    name           text        NOT NULL UNIQUE,
    archived_at    timestamptz,
    archive_file   text,
    archive_digest bytea       CHECK (octet_length(archive_digest) = 32),
    detached_at    timestamptz,
    CHECK ((archived_at IS NULL) = (archive_file IS NULL)),
    CHECK ((archived_at IS NULL) = (archive_digest IS NULL)),
    CHECK (detached_at IS NULL OR archived_at IS NOT NULL)
);
COMMENT ON TABLE ledger.partitions IS 'The ranges of positions: one table or archive for each.';
COMMENT ON COLUMN ledger.partitions.name IS 'The table, in schema ledger.';
COMMENT ON COLUMN ledger.partitions.archive_file IS 'The file with its record lines, below the archive directory.';
COMMENT ON COLUMN ledger.partitions.archive_digest IS 'SHA-256 of that file.';
COMMENT ON COLUMN ledger.partitions.detached_at IS 'The time since which its events are in the archive only.';

-- The indexes of the log ----------------------------------------------------------------------------------------------

CREATE TABLE ledger.streams (
    tenant         text   NOT NULL,
    stream         text   NOT NULL,
    version        bigint NOT NULL,
    first_position bigint NOT NULL,
    PRIMARY KEY (tenant, stream)
) WITH (fillfactor = 85);
COMMENT ON TABLE ledger.streams IS 'The version of each stream, and its first position.';

CREATE TABLE ledger.idempotency (
    key      uuid   PRIMARY KEY,
    request  bytea  NOT NULL,
    position bigint NOT NULL,
    events   int    NOT NULL
);
COMMENT ON TABLE ledger.idempotency IS 'The first event appended under each key. Kept for ever, so that a duplicate is always recognised.';
COMMENT ON COLUMN ledger.idempotency.key IS
    'The first half of the SHA-256 of tenant and key: short, because only its index is written at random places '
    'by an append.';
COMMENT ON COLUMN ledger.idempotency.request IS 'SHA-256 of the scrubbed request; the same key with another request is refused.';
COMMENT ON COLUMN ledger.idempotency.position IS 'The position of the first event appended under the key.';

CREATE TABLE ledger.reference_keys (
    tenant   text   NOT NULL,
    key      text   NOT NULL,
    stream   text   NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (tenant, key)
);
COMMENT ON TABLE ledger.reference_keys IS 'References of streams. A reference belongs to one stream for ever.';
COMMENT ON COLUMN ledger.reference_keys.position IS 'The position of the event that claimed the reference.';

CREATE TABLE ledger.tiles (
    level  smallint NOT NULL CHECK (level >= 0),
    index  bigint   NOT NULL CHECK (index >= 0),
    root   bytea    NOT NULL CHECK (octet_length(root) = 32),
    hashes bytea    NOT NULL CHECK (octet_length(hashes) = 8192),
    PRIMARY KEY (level, index)
);
ALTER TABLE ledger.tiles ALTER hashes SET STORAGE EXTERNAL;
COMMENT ON TABLE ledger.tiles IS 'Full tiles of the Merkle tree: 256 neighbouring hashes of every eighth level.';
COMMENT ON COLUMN ledger.tiles.hashes IS 'Leaves on level 0; on other levels, the roots of 256 tiles of the level below.';
COMMENT ON COLUMN ledger.tiles.root IS 'The hash of the subtree over the tile, which is one hash in a tile of the next level.';

CREATE TABLE ledger.checkpoints (
    size      bigint      PRIMARY KEY CHECK (size > 0),
    root      bytea       NOT NULL CHECK (octet_length(root) = 32),
    note      text        NOT NULL,
    signed_at timestamptz NOT NULL
);
COMMENT ON TABLE ledger.checkpoints IS 'Signed statements of the size of the log and the root of its tree.';
COMMENT ON COLUMN ledger.checkpoints.note IS 'A C2SP tlog-checkpoint as a signed note.';

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.events
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER events_append_only ON ledger.events IS 'Events cannot be changed or removed, not even by the owner.';
CREATE TRIGGER idempotency_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.idempotency
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER idempotency_append_only ON ledger.idempotency IS 'Without its key, a duplicate would be recorded again.';
CREATE TRIGGER reference_keys_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.reference_keys
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER reference_keys_append_only ON ledger.reference_keys IS 'A reference that moved would split a payment.';
CREATE TRIGGER tiles_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.tiles
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER tiles_append_only ON ledger.tiles IS 'A full tile never changes.';
CREATE TRIGGER checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER checkpoints_append_only ON ledger.checkpoints IS 'Signed checkpoints are never changed or removed.';

-- Partitions ----------------------------------------------------------------------------------------------------------

CREATE FUNCTION ledger.add_partition(p_span bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_first bigint;
    v_last  bigint;
    v_name  text;
BEGIN
    -- One at a time; a session that waited sees the partition that the other one made.
    PERFORM pg_advisory_xact_lock(hashtextextended('ledger.partitions', 0));
    SELECT coalesce(max(p.last), 0) + 1 INTO v_first FROM ledger.partitions p;
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
COMMENT ON FUNCTION ledger.add_partition IS
    'Creates the table for the next p_span positions, and returns the last of them. The unique index over stream and '
    'version makes a forked stream impossible within it; across partitions ledger.streams does.';
SELECT ledger.add_partition(1 << 20);
SELECT ledger.add_partition(1 << 20);

-- Appending -----------------------------------------------------------------------------------------------------------

CREATE FUNCTION ledger.append(
    p_position          bigint,
    p_recorded_at       timestamptz,
    p_frontier          bytea,
    p_stream_tenant     text[],
    p_stream            text[],
    p_stream_before     bigint[],
    p_stream_after      bigint[],
    p_stream_first      bigint[],
    p_key               uuid[],
    p_key_request       bytea[],
    p_key_position      bigint[],
    p_key_events        int[],
    p_reference_tenant  text[],
    p_reference_key     text[],
    p_reference_stream  text[],
    p_reference_position bigint[],
    p_event_id          uuid[],
    p_event_tenant      text[],
    p_event_stream      text[],
    p_event_version     bigint[],
    p_event_type        text[],
    p_event_schema      smallint[],
    p_event_occurred_at timestamptz[],
    p_event_actor       text[],
    p_event_correlation text[],
    p_event_causation   uuid[],
    p_event_claims      text[],
    p_event_data        text[],
    p_event_leaf        bytea[],
    p_tile_level        smallint[],
    p_tile_index        bigint[],
    p_tile_root         bytea[],
    p_tile_hashes       bytea[],
    p_base_frontier     bytea
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
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
    IF cardinality(p_key) > 0 THEN
        INSERT INTO ledger.idempotency (key, request, position, events)
        SELECT * FROM unnest(p_key, p_key_request, p_key_position, p_key_events);
    END IF;
    IF cardinality(p_reference_key) > 0 THEN
        INSERT INTO ledger.reference_keys (tenant, key, stream, position)
        SELECT * FROM unnest(p_reference_tenant, p_reference_key, p_reference_stream, p_reference_position);
    END IF;

    INSERT INTO ledger.streams AS s (tenant, stream, version, first_position)
    SELECT n.tenant, n.stream, n.after, n.first
      FROM unnest(p_stream_tenant, p_stream, p_stream_before, p_stream_after, p_stream_first)
        AS n (tenant, stream, before, after, first)
     WHERE n.before = 0;
    IF EXISTS (SELECT FROM unnest(p_stream_before) AS b WHERE b > 0) THEN
        UPDATE ledger.streams s SET version = n.after
          FROM unnest(p_stream_tenant, p_stream, p_stream_before, p_stream_after)
            AS n (tenant, stream, before, after)
         WHERE n.before > 0 AND s.tenant = n.tenant AND s.stream = n.stream AND s.version = n.before;
        GET DIAGNOSTICS v_touched = ROW_COUNT;
        IF v_touched <> (SELECT count(*) FROM unnest(p_stream_before) AS b WHERE b > 0) THEN
            RAISE EXCEPTION 'a stream has another version' USING ERRCODE = 'DB001';
        END IF;
    END IF;

    INSERT INTO ledger.events (position, recorded_at, id, tenant, stream, version, type, schema, occurred_at, actor,
                               correlation, causation, claims, data, leaf)
    SELECT p_position + e.ordinal, p_recorded_at, e.id, e.tenant, e.stream, e.version, e.type, e.schema, e.occurred_at,
           e.actor, e.correlation, e.causation, e.claims, e.data::json, e.leaf
      FROM unnest(p_event_id, p_event_tenant, p_event_stream, p_event_version, p_event_type, p_event_schema,
                  p_event_occurred_at, p_event_actor, p_event_correlation, p_event_causation, p_event_claims,
                  p_event_data, p_event_leaf) WITH ORDINALITY
        AS e (id, tenant, stream, version, type, schema, occurred_at, actor, correlation, causation, claims, data, leaf,
              ordinal);

    IF cardinality(p_tile_index) > 0 THEN
        INSERT INTO ledger.tiles (level, index, root, hashes)
        SELECT * FROM unnest(p_tile_level, p_tile_index, p_tile_root, p_tile_hashes);
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION ledger.append IS
    'Writes a batch that the caller has computed for the log at p_position, with versions, keys, leaves, tiles and '
    'frontier. Returns false, and does nothing, if the log ends elsewhere. Fails as a whole if a key is claimed '
    'already (unique_violation) or a stream has another version than expected (DB001).';
