-- The event log: one order, append only.

CREATE SCHEMA ledger;
COMMENT ON SCHEMA ledger IS 'The event log and its indexes, written in one transaction. Nothing here is a read model.';

CREATE TABLE ledger.head (
    singleton   boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    position    bigint      NOT NULL CHECK (position >= 0),
    recorded_at timestamptz NOT NULL
);
COMMENT ON TABLE ledger.head IS 'The end of the log. Appending locks this row, so positions are gapless and equal commit order.';
COMMENT ON COLUMN ledger.head.position IS 'Position of the newest event; 0 while the log is empty.';
COMMENT ON COLUMN ledger.head.recorded_at IS 'The time of the newest event; the next event is never recorded earlier.';
INSERT INTO ledger.head (position, recorded_at) VALUES (0, 'epoch');

CREATE TABLE ledger.events (
    position    bigint      PRIMARY KEY CHECK (position > 0),
    id          uuid        NOT NULL,
    tenant      text        NOT NULL,
    stream      text        NOT NULL,
    version     bigint      NOT NULL CHECK (version > 0),
    type        text        NOT NULL,
    schema      smallint    NOT NULL CHECK (schema > 0),
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    actor       text        NOT NULL,
    correlation text        NOT NULL,
    causation   uuid,
    data        json        NOT NULL
);
COMMENT ON TABLE ledger.events IS 'The events in the order in which they were recorded. Rows are never changed.';
COMMENT ON COLUMN ledger.events.version IS 'Counts 1, 2, 3 within the stream.';
COMMENT ON COLUMN ledger.events.schema IS 'Version of the shape of data for this type.';
COMMENT ON COLUMN ledger.events.occurred_at IS 'The clock of the device or vendor; may be wrong.';
COMMENT ON COLUMN ledger.events.recorded_at IS 'The clock of the ledger; never decreases along positions.';
COMMENT ON COLUMN ledger.events.correlation IS 'The request that recorded the event.';
COMMENT ON COLUMN ledger.events.causation IS 'The event from which this one follows.';
COMMENT ON COLUMN ledger.events.data IS 'The payload, byte for byte as appended: json, not jsonb, because jsonb rewrites it.';
CREATE UNIQUE INDEX events_by_stream ON ledger.events (tenant, stream, version);
COMMENT ON INDEX ledger.events_by_stream IS 'Reads one stream in order, and makes a forked stream impossible.';
CREATE INDEX events_by_type ON ledger.events (tenant, type, position);
COMMENT ON INDEX ledger.events_by_type IS 'Reads the audit feed of one type in order.';
CREATE INDEX events_by_tenant ON ledger.events (tenant, position);
COMMENT ON INDEX ledger.events_by_tenant IS 'Reads the audit feed of a tenant in order, without the events of other tenants.';

CREATE TABLE ledger.streams (
    tenant  text   NOT NULL,
    stream  text   NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (tenant, stream)
);
COMMENT ON TABLE ledger.streams IS 'The version each stream has reached.';

CREATE TABLE ledger.idempotency (
    tenant         text   NOT NULL,
    key            bytea  NOT NULL,
    request        bytea  NOT NULL,
    stream         text   NOT NULL,
    first_position bigint NOT NULL,
    event_count    int    NOT NULL,
    PRIMARY KEY (tenant, key)
);
COMMENT ON TABLE ledger.idempotency IS 'The first event appended under each key. Kept for ever, so that a duplicate is always recognised.';
COMMENT ON COLUMN ledger.idempotency.key IS 'SHA-256 of the key, because senders may put secrets into it.';
COMMENT ON COLUMN ledger.idempotency.request IS 'SHA-256 of the scrubbed request; the same key with another request is refused.';

CREATE TABLE ledger.reference_keys (
    tenant text NOT NULL,
    key    text NOT NULL,
    stream text NOT NULL,
    PRIMARY KEY (tenant, key)
);
COMMENT ON TABLE ledger.reference_keys IS 'References of streams. A reference belongs to one stream for ever.';

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION ledger.refuse_change() IS 'Refuses every change.';

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.events
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER events_append_only ON ledger.events IS 'Events cannot be changed or removed, not even by the owner.';
CREATE TRIGGER idempotency_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.idempotency
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER idempotency_append_only ON ledger.idempotency IS 'Without its key, a duplicate would be recorded again.';
CREATE TRIGGER reference_keys_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.reference_keys
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
COMMENT ON TRIGGER reference_keys_append_only ON ledger.reference_keys IS 'A reference that moved would split a payment.';

CREATE FUNCTION ledger.append(
    p_now               timestamptz,
    p_item_tenant       text[],
    p_item_stream       text[],
    p_item_expected     bigint[],
    p_idempotency_item  int[],
    p_idempotency_key   bytea[],
    p_idempotency_hash  bytea[],
    p_reference_item    int[],
    p_reference_key     text[],
    p_event_item        int[],
    p_event_id          uuid[],
    p_event_type        text[],
    p_event_schema      smallint[],
    p_event_occurred_at timestamptz[],
    p_event_actor       text[],
    p_event_correlation text[],
    p_event_causation   uuid[],
    p_event_data        text[]
) RETURNS TABLE (
    item           int,
    status         text,
    stream         text,
    version        bigint,
    first_position bigint,
    event_count    int
) LANGUAGE plpgsql AS $$
DECLARE
    v_position    bigint;
    v_recorded_at timestamptz;
BEGIN
    -- Waits for every earlier append to end. The statements below have a later snapshot.
    SELECT h.position, greatest(h.recorded_at, p_now) INTO STRICT v_position, v_recorded_at
      FROM ledger.head h FOR UPDATE;

    -- OFFSET 0 makes every lookup use its index; joined as a whole, a batch would read the whole table. The filter is a
    -- separate boolean, of which the planner expects half to be true; of other conditions it expects almost none, and
    -- would join the batch with itself row by row.
    RETURN QUERY
    WITH item AS (
        SELECT i.item::int AS item, i.tenant, i.stream, i.expected, coalesce(s.version, 0) AS version
          FROM unnest(p_item_tenant, p_item_stream, p_item_expected) WITH ORDINALITY AS i (tenant, stream, expected, item)
          LEFT JOIN LATERAL (
              SELECT s.version FROM ledger.streams s WHERE s.tenant = i.tenant AND s.stream = i.stream OFFSET 0
          ) s ON true
    ), idempotency AS (
        -- An item may have a key twice, but not with two requests.
        SELECT DISTINCT d.item, i.tenant, d.key, d.hash, k.request, k.stream, k.first_position, k.event_count,
               k.request IS NULL AS is_new
          FROM unnest(p_idempotency_item, p_idempotency_key, p_idempotency_hash) AS d (item, key, hash)
          JOIN item i ON i.item = d.item
          LEFT JOIN LATERAL (
              SELECT k.request, k.stream, k.first_position, k.event_count FROM ledger.idempotency k
               WHERE k.tenant = i.tenant AND k.key = d.key OFFSET 0
          ) k ON true
    ), earlier AS (
        -- The duplicates; a key of another request takes precedence.
        SELECT DISTINCT ON (d.item) d.item, d.request = d.hash AS is_same, d.stream, d.first_position, d.event_count
          FROM idempotency d WHERE NOT d.is_new
         ORDER BY d.item, (d.request = d.hash), d.first_position
    ), reference AS (
        SELECT DISTINCT r.item, i.tenant, i.stream, r.key, k.stream AS owner, k.stream IS NULL AS is_new
          FROM unnest(p_reference_item, p_reference_key) AS r (item, key)
          JOIN item i ON i.item = r.item
          LEFT JOIN LATERAL (
              SELECT k.stream FROM ledger.reference_keys k WHERE k.tenant = i.tenant AND k.key = r.key OFFSET 0
          ) k ON true
    ), claimed AS (
        SELECT DISTINCT r.item FROM reference r WHERE r.owner <> r.stream
    ), judgement AS (
        SELECT i.item, i.tenant, i.stream, i.version, e.stream AS earlier_stream, e.first_position, e.event_count,
               CASE WHEN NOT e.is_same THEN 'mismatch'
                    WHEN e.is_same THEN 'duplicate'
                    WHEN c.item IS NOT NULL THEN 'claimed'
                    WHEN i.expected <> i.version THEN 'conflict'
                    ELSE 'appended' END AS status
          FROM item i LEFT JOIN earlier e ON e.item = i.item LEFT JOIN claimed c ON c.item = i.item
    ), judged AS (
        SELECT j.*, j.status = 'appended' AS is_appended, j.status IN ('appended', 'duplicate') AS is_kept
          FROM judgement j
    ), event AS (
        SELECT v.*, j.tenant, j.stream,
               v_position + row_number() OVER (ORDER BY v.ordinal) AS position,
               j.version + row_number() OVER (PARTITION BY v.item ORDER BY v.ordinal) AS version
          FROM unnest(p_event_item, p_event_id, p_event_type, p_event_schema, p_event_occurred_at, p_event_actor,
                      p_event_correlation, p_event_causation, p_event_data) WITH ORDINALITY
            AS v (item, id, type, schema, occurred_at, actor, correlation, causation, data, ordinal)
          JOIN judged j ON j.item = v.item AND j.is_appended
    ), placed AS (
        SELECT e.item, e.tenant, e.stream, min(e.position) AS first_position, count(*)::int AS event_count,
               max(e.version) AS version
          FROM event e GROUP BY e.item, e.tenant, e.stream
    ), appended AS (
        INSERT INTO ledger.events
        SELECT e.position, e.id, e.tenant, e.stream, e.version, e.type, e.schema, e.occurred_at, v_recorded_at,
               e.actor, e.correlation, e.causation, e.data::json
          FROM event e ORDER BY e.position
    ), advanced AS (
        INSERT INTO ledger.streams AS s SELECT p.tenant, p.stream, p.version FROM placed p
            ON CONFLICT ON CONSTRAINT streams_pkey DO UPDATE SET version = excluded.version
    ), remembered AS (
        -- The further keys of a duplicate are stored, too.
        INSERT INTO ledger.idempotency
        SELECT d.tenant, d.key, d.hash, coalesce(p.stream, j.earlier_stream),
               coalesce(p.first_position, j.first_position), coalesce(p.event_count, j.event_count)
          FROM idempotency d
          JOIN judged j ON j.item = d.item AND j.is_kept
          LEFT JOIN placed p ON p.item = d.item
         WHERE d.is_new
    ), named AS (
        INSERT INTO ledger.reference_keys
        SELECT r.tenant, r.key, r.stream FROM reference r
          JOIN judged j ON j.item = r.item AND j.is_appended
         WHERE r.is_new
    ), moved AS (
        UPDATE ledger.head h SET position = v_position + n.events, recorded_at = v_recorded_at
          FROM (SELECT count(*) AS events FROM event) n WHERE n.events > 0
    )
    SELECT j.item, j.status,
           CASE j.status WHEN 'duplicate' THEN j.earlier_stream ELSE j.stream END,
           CASE j.status WHEN 'appended' THEN p.version ELSE j.version END,
           coalesce(p.first_position, j.first_position), coalesce(p.event_count, j.event_count)
      FROM judged j LEFT JOIN placed p ON p.item = j.item ORDER BY j.item;
END $$;
COMMENT ON FUNCTION ledger.append IS
    'Appends a batch of items and returns a status for each: appended, duplicate (with the first '
    'position), mismatch (the key belongs to another request), claimed (a reference key belongs to another '
    'stream), conflict (with the version of the stream). An expected version of null matches every version. No '
    'item makes another one fail. Within one call the streams, idempotency keys and reference keys of different '
    'items must be disjoint, and every item must have an event.';
