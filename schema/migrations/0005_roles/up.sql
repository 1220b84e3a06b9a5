-- Roles and their rights. Four roles of the server without login; logins are members of them. All ledgers of a server
-- share them, so another database may create them at the same moment.

DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['daybook_owner', 'daybook_service', 'daybook_reader', 'daybook_archiver'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN
                    NULL;
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the login that migrates may not make the role %', v_role USING ERRCODE = 'DB002';
            END;
        END IF;
        -- Superusers are members of every role. Another login becomes a member, to hand over the objects that it owns.
        WHILE NOT pg_has_role(current_user, v_role, 'USAGE') LOOP
            BEGIN
                EXECUTE format('GRANT %I TO %I', v_role, current_user);
                EXIT;
            EXCEPTION
                WHEN unique_violation THEN
                    NULL;
                WHEN internal_error THEN
                    -- "tuple concurrently updated": the same grant from another database.
                    NULL;
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the login that migrates is no member of the role %', v_role
                        USING ERRCODE = 'DB002';
            END;
        END LOOP;
    END LOOP;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO daybook_service', current_database());
    IF NOT has_database_privilege('daybook_service', current_database(), 'CREATE') THEN
        RAISE EXCEPTION 'the login that migrates does not own the database' USING ERRCODE = 'DB002';
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the login that migrates does not own the database' USING ERRCODE = 'DB002';
END $$;

-- Keys ----------------------------------------------------------------------------------------------------------------

CREATE FUNCTION access.find_key(p_hash bytea)
RETURNS TABLE (id text, tenant text, scopes text[], hash bytea, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.id, k.tenant, k.scopes, k.hash, k.expires_at FROM access.api_keys k
     WHERE k.hash = p_hash AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION access.find_key IS
    'The key with this hash, unless it is revoked. The service may look up one key, but not read the hashes.';

-- Partitions ----------------------------------------------------------------------------------------------------------

ALTER TABLE ledger.partitions ADD COLUMN index_digest bytea CHECK (octet_length(index_digest) = 32);
ALTER TABLE ledger.partitions ADD COLUMN dropped_at timestamptz;
ALTER TABLE ledger.partitions ADD CHECK ((archived_at IS NULL) = (index_digest IS NULL));
ALTER TABLE ledger.partitions ADD CHECK (dropped_at IS NULL OR detached_at IS NOT NULL);
COMMENT ON COLUMN ledger.partitions.index_digest IS 'SHA-256 of the index file beside the archive, which is computed from the archive.';
COMMENT ON COLUMN ledger.partitions.dropped_at IS 'The time at which the detached table was dropped.';

DROP FUNCTION ledger.add_partition(bigint);
CREATE FUNCTION ledger.add_partition(p_span bigint, p_until bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON FUNCTION ledger.add_partition IS
    'Creates the table for the next p_span positions, a multiple of 256, unless there are tables up to p_until already; '
    'returns the last position that has a table. The unique index over stream and version makes a forked stream '
    'impossible within a table; across tables ledger.streams does.';

CREATE FUNCTION ledger.record_archive(p_first bigint, p_file text, p_digest bytea, p_index_digest bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON FUNCTION ledger.record_archive IS
    'Records that a partition is archived: the oldest one that is not, full, and covered by a checkpoint.';

CREATE FUNCTION ledger.detach_partition(p_first bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
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
COMMENT ON FUNCTION ledger.detach_partition IS
    'Detaches the oldest partition, which must be archived. Fails with lock_not_available instead of blocking '
    'appends behind a long read.';

CREATE FUNCTION ledger.drop_partition(p_first bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON FUNCTION ledger.drop_partition IS 'Drops the table of a detached partition: its events are in the archive.';

-- Owners --------------------------------------------------------------------------------------------------------------

DO $$
DECLARE
    v_statement  text;
    v_statements text[];
BEGIN
    -- Schemas first, because the new owner of a table must be allowed to create tables in its schema. All statements are
    -- collected before the first is run, because a table cannot be altered while it is read.
    WITH schema AS (
        SELECT n.oid, n.nspname, 'daybook_owner' AS owner FROM pg_namespace n
         WHERE n.nspname IN ('ledger', 'access', 'projection')
        UNION ALL
        SELECT DISTINCT n.oid, n.nspname, 'daybook_service' FROM pg_namespace n
          JOIN projection.checkpoints c
            ON n.nspname IN ('read_' || c.name, 'read_' || c.name || '_rebuild', 'read_' || c.name || '_retired')
    ), statement AS (
        SELECT 1 AS step, format('ALTER SCHEMA %I OWNER TO %I', s.nspname, s.owner) AS statement FROM schema s
        UNION ALL
        SELECT 2, format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, s.owner)
          FROM schema s JOIN pg_class c ON c.relnamespace = s.oid WHERE c.relkind IN ('r', 'p')
        UNION ALL
        SELECT 3, format('ALTER FUNCTION %s OWNER TO %I', p.oid::regprocedure, s.owner)
          FROM schema s JOIN pg_proc p ON p.pronamespace = s.oid
        UNION ALL
        SELECT 4, format('GRANT USAGE ON SCHEMA %I TO daybook_reader', s.nspname)
          FROM schema s WHERE s.owner = 'daybook_service'
        UNION ALL
        SELECT 5, format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO daybook_reader', s.nspname)
          FROM schema s WHERE s.owner = 'daybook_service'
    )
    SELECT array_agg(s.statement ORDER BY s.step, s.statement) INTO v_statements FROM statement s;
    FOREACH v_statement IN ARRAY v_statements LOOP
        EXECUTE v_statement;
    END LOOP;
END $$;

-- Rights --------------------------------------------------------------------------------------------------------------

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ledger, access, projection FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE daybook_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

GRANT SELECT ON schema_migrations TO daybook_service, daybook_reader, daybook_archiver;
GRANT USAGE ON SCHEMA ledger, projection TO daybook_service, daybook_reader, daybook_archiver;
GRANT SELECT ON ALL TABLES IN SCHEMA ledger, projection TO daybook_service, daybook_reader, daybook_archiver;
ALTER DEFAULT PRIVILEGES FOR ROLE daybook_owner IN SCHEMA ledger
    GRANT SELECT ON TABLES TO daybook_service, daybook_reader, daybook_archiver;

GRANT INSERT ON ledger.events, ledger.streams, ledger.idempotency, ledger.reference_keys, ledger.tiles,
    ledger.checkpoints TO daybook_service;
GRANT UPDATE (position, recorded_at, frontier) ON ledger.head TO daybook_service;
GRANT UPDATE (version) ON ledger.streams TO daybook_service;
GRANT EXECUTE ON FUNCTION ledger.append, ledger.add_partition TO daybook_service;
GRANT EXECUTE ON FUNCTION ledger.record_archive, ledger.detach_partition, ledger.drop_partition TO daybook_archiver;

GRANT USAGE ON SCHEMA access TO daybook_service;
GRANT SELECT, INSERT ON access.tenants TO daybook_service;
GRANT SELECT (id, tenant, scopes, name, created_at, expires_at, revoked_at), INSERT, UPDATE (revoked_at)
    ON access.api_keys TO daybook_service;
GRANT EXECUTE ON FUNCTION access.find_key TO daybook_service;

GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA projection TO daybook_service;
-- The service creates and swaps the schemas of the read models.
ALTER DEFAULT PRIVILEGES FOR ROLE daybook_service GRANT USAGE ON SCHEMAS TO daybook_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE daybook_service GRANT SELECT ON TABLES TO daybook_reader;
