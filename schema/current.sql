CREATE SCHEMA access;

COMMENT ON SCHEMA access IS 'Tenants and their API keys.';

CREATE SCHEMA ledger;

COMMENT ON SCHEMA ledger IS 'The event log and what is kept beside it in the same transaction. Nothing here is derived.';

CREATE SCHEMA projection;

COMMENT ON SCHEMA projection IS 'Bookkeeping of the read models. Everything they hold can be rebuilt from the log.';

CREATE FUNCTION ledger.append(p_now timestamp with time zone, p_item_tenant text[], p_item_stream text[], p_item_expected bigint[], p_idempotency_item integer[], p_idempotency_key bytea[], p_idempotency_hash bytea[], p_reference_item integer[], p_reference_key text[], p_event_item integer[], p_event_id uuid[], p_event_type text[], p_event_schema smallint[], p_event_occurred_at timestamp with time zone[], p_event_actor text[], p_event_correlation text[], p_event_causation uuid[], p_event_data text[]) RETURNS TABLE(item integer, status text, stream text, version bigint, first_position bigint, event_count integer)
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_position    bigint;
    v_recorded_at timestamptz;
BEGIN
    -- Waits for every earlier append to end. What follows runs with a snapshot taken after that.
    SELECT h.position, greatest(h.recorded_at, p_now) INTO STRICT v_position, v_recorded_at
      FROM ledger.head h FOR UPDATE;

    -- OFFSET 0 makes every look-up one by its index: joined as a whole, a batch would read all of the table. What is
    -- filtered by is a boolean of its own, of which the planner expects half to hold; of other conditions it expects
    -- next to nothing, and would join the batch with itself row by row.
    RETURN QUERY
    WITH item AS (
        SELECT i.item::int AS item, i.tenant, i.stream, i.expected, coalesce(s.version, 0) AS version
          FROM unnest(p_item_tenant, p_item_stream, p_item_expected) WITH ORDINALITY AS i (tenant, stream, expected, item)
          LEFT JOIN LATERAL (
              SELECT s.version FROM ledger.streams s WHERE s.tenant = i.tenant AND s.stream = i.stream OFFSET 0
          ) s ON true
    ), idempotency AS (
        -- An item may name a key twice; two requests under one key within an item are the caller's mistake.
        SELECT DISTINCT d.item, i.tenant, d.key, d.hash, k.request, k.stream, k.first_position, k.event_count,
               k.request IS NULL AS is_new
          FROM unnest(p_idempotency_item, p_idempotency_key, p_idempotency_hash) AS d (item, key, hash)
          JOIN item i ON i.item = d.item
          LEFT JOIN LATERAL (
              SELECT k.request, k.stream, k.first_position, k.event_count FROM ledger.idempotency k
               WHERE k.tenant = i.tenant AND k.key = d.key OFFSET 0
          ) k ON true
    ), earlier AS (
        -- What an item repeats; a key that stands for another request counts first.
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
        -- A repeat under a further key is remembered under that key, too.
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

COMMENT ON FUNCTION ledger.append(p_now timestamp with time zone, p_item_tenant text[], p_item_stream text[], p_item_expected bigint[], p_idempotency_item integer[], p_idempotency_key bytea[], p_idempotency_hash bytea[], p_reference_item integer[], p_reference_key text[], p_event_item integer[], p_event_id uuid[], p_event_type text[], p_event_schema smallint[], p_event_occurred_at timestamp with time zone[], p_event_actor text[], p_event_correlation text[], p_event_causation uuid[], p_event_data text[]) IS 'Appends a batch of items in one go and answers a status for each: appended, duplicate (with the first position), mismatch (the key stands for another request), claimed (a reference key belongs to another stream), conflict (with the version the stream has). An expected version of null is met by every stream. No item makes another one fail. Within one call the streams, idempotency keys and reference keys of different items must be disjoint, and every item must have an event.';

CREATE FUNCTION ledger.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

COMMENT ON FUNCTION ledger.refuse_change() IS 'Refuses whatever it is called for.';

CREATE TABLE access.api_keys (
    id text NOT NULL,
    tenant text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_hash_check CHECK ((octet_length(hash) = 32))
);

COMMENT ON TABLE access.api_keys IS 'API keys. The key itself is shown once and never stored.';

COMMENT ON COLUMN access.api_keys.id IS 'What the audit trail calls the key.';

COMMENT ON COLUMN access.api_keys.hash IS 'SHA-256 of the key, which is random enough (178 bits) to need no salt.';

CREATE TABLE access.tenants (
    id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT tenants_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text))
);

COMMENT ON TABLE access.tenants IS 'One merchant organisation each; nothing is visible across tenants.';

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
    data json NOT NULL,
    CONSTRAINT events_position_check CHECK (("position" > 0)),
    CONSTRAINT events_schema_check CHECK ((schema > 0)),
    CONSTRAINT events_version_check CHECK ((version > 0))
);

COMMENT ON TABLE ledger.events IS 'What happened, in the order it was recorded. Rows are never changed.';

COMMENT ON COLUMN ledger.events.version IS 'Counts 1, 2, 3 within the stream.';

COMMENT ON COLUMN ledger.events.schema IS 'Version of the shape of data for this type.';

COMMENT ON COLUMN ledger.events.occurred_at IS 'The clock of the device or vendor; may be wrong.';

COMMENT ON COLUMN ledger.events.recorded_at IS 'The clock of the ledger; never decreases along positions.';

COMMENT ON COLUMN ledger.events.correlation IS 'The request that brought the event in.';

COMMENT ON COLUMN ledger.events.causation IS 'The event this one was read from.';

COMMENT ON COLUMN ledger.events.data IS 'The payload, byte for byte as appended: json, not jsonb, because jsonb rewrites it.';

CREATE TABLE ledger.head (
    singleton boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT head_position_check CHECK (("position" >= 0)),
    CONSTRAINT head_singleton_check CHECK (singleton)
);

COMMENT ON TABLE ledger.head IS 'The end of the log. Appending locks this row, so positions are gapless and equal commit order.';

COMMENT ON COLUMN ledger.head."position" IS 'Position of the newest event; 0 while the log is empty.';

COMMENT ON COLUMN ledger.head.recorded_at IS 'Its time; the next event is never recorded earlier.';

CREATE TABLE ledger.idempotency (
    tenant text NOT NULL,
    key bytea NOT NULL,
    request bytea NOT NULL,
    stream text NOT NULL,
    first_position bigint NOT NULL,
    event_count integer NOT NULL
);

COMMENT ON TABLE ledger.idempotency IS 'What was appended under which key. Kept for ever, so that a repeat is recognised for ever.';

COMMENT ON COLUMN ledger.idempotency.key IS 'SHA-256 of the key: senders put anything into a key, and it must not be stored as it came.';

COMMENT ON COLUMN ledger.idempotency.request IS 'SHA-256 of the scrubbed request; the same key with another request is refused.';

CREATE TABLE ledger.reference_keys (
    tenant text NOT NULL,
    key text NOT NULL,
    stream text NOT NULL
);

COMMENT ON TABLE ledger.reference_keys IS 'The names under which others know a stream. A name leads to one stream for ever.';

CREATE TABLE ledger.streams (
    tenant text NOT NULL,
    stream text NOT NULL,
    version bigint NOT NULL
);

COMMENT ON TABLE ledger.streams IS 'The version each stream has reached.';

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

COMMENT ON TABLE projection.checkpoints IS 'One row for each live read model, and one for each that is being rebuilt beside it.';

COMMENT ON COLUMN projection.checkpoints.version IS 'Version of the rules the rows were made by.';

COMMENT ON COLUMN projection.checkpoints."position" IS 'Everything up to here is in the rows; moved in the transaction that writes them.';

COMMENT ON COLUMN projection.checkpoints.fault IS 'Why the read model has halted; null while it runs.';

CREATE TABLE projection.processes (
    name text NOT NULL,
    "position" bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT processes_position_check CHECK (("position" >= 0))
);

COMMENT ON TABLE projection.processes IS 'How far each process has followed the log that answers events with further events. What it appends carries an idempotency key made of the event it answers, so that a step taken twice appends once.';

CREATE TABLE public.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT schema_migrations_checksum_check CHECK ((octet_length(checksum) = 32)),
    CONSTRAINT schema_migrations_number_check CHECK ((number > 0))
);

COMMENT ON TABLE public.schema_migrations IS 'The steps of the schema applied to this database, with the SHA-256 of their text.';

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY access.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY ledger.events
    ADD CONSTRAINT events_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY ledger.head
    ADD CONSTRAINT head_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY ledger.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (tenant, key);

ALTER TABLE ONLY ledger.reference_keys
    ADD CONSTRAINT reference_keys_pkey PRIMARY KEY (tenant, key);

ALTER TABLE ONLY ledger.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (tenant, stream);

ALTER TABLE ONLY projection.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (name, is_live);

ALTER TABLE ONLY projection.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);

CREATE UNIQUE INDEX events_by_stream ON ledger.events USING btree (tenant, stream, version);

COMMENT ON INDEX ledger.events_by_stream IS 'Reads one stream in order, and makes a forked stream impossible.';

CREATE INDEX events_by_tenant ON ledger.events USING btree (tenant, "position");

COMMENT ON INDEX ledger.events_by_tenant IS 'Reads the audit feed of a tenant in order, past everybody else''s events.';

CREATE INDEX events_by_type ON ledger.events USING btree (tenant, type, "position");

COMMENT ON INDEX ledger.events_by_type IS 'Reads the audit feed of one type in order.';

CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.events FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER events_append_only ON ledger.events IS 'Nobody changes or removes an event, the owner included.';

CREATE TRIGGER idempotency_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.idempotency FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER idempotency_append_only ON ledger.idempotency IS 'A forgotten key would let a repeat in.';

CREATE TRIGGER reference_keys_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.reference_keys FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

COMMENT ON TRIGGER reference_keys_append_only ON ledger.reference_keys IS 'A name that moved would split a payment.';

ALTER TABLE ONLY access.api_keys
    ADD CONSTRAINT api_keys_tenant_fkey FOREIGN KEY (tenant) REFERENCES access.tenants(id);
