-- Sessions of the console: a browser signs in with a key once.

CREATE TABLE access.sessions (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    key_id     text        NOT NULL REFERENCES access.api_keys,
    created_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX sessions_by_key ON access.sessions (key_id, created_at);
COMMENT ON TABLE access.sessions IS
    'Sessions of the console. A session has the present scopes of its key, which are not stored here.';
COMMENT ON COLUMN access.sessions.token_hash IS
    'SHA-256 of the token in the cookie, which is random enough (256 bits) to need no salt.';
COMMENT ON COLUMN access.sessions.seen_at IS 'The time of its last use, to the minute.';
COMMENT ON COLUMN access.sessions.expires_at IS 'The time at which it ends regardless of its use.';

CREATE FUNCTION access.open_session(
    p_token_hash bytea,
    p_key_id     text,
    p_now        timestamptz,
    p_idle_since timestamptz,
    p_expires_at timestamptz
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON FUNCTION access.open_session IS
    'Begins a session of a key, unless the key is revoked or expired, and removes ended sessions.';

CREATE FUNCTION access.find_session(
    p_token_hash bytea,
    p_now        timestamptz,
    p_idle_since timestamptz,
    p_is_use     boolean
) RETURNS TABLE (key_id text, tenant text, scopes text[], name text, token_hash bytea, expires_at timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE access.sessions s SET seen_at = p_now
     WHERE p_is_use AND s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND s.seen_at < p_now - interval '1 minute';
    SELECT k.id, k.tenant, k.scopes, k.name, s.token_hash, s.expires_at
      FROM access.sessions s JOIN access.api_keys k ON k.id = s.key_id
     WHERE s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_now)
$$;
COMMENT ON FUNCTION access.find_session IS
    'The session with this hash and the scopes of its key; nothing if either has ended. A use keeps it from becoming idle.';

CREATE FUNCTION access.close_session(p_token_hash bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM access.sessions s WHERE s.token_hash = p_token_hash
$$;
COMMENT ON FUNCTION access.close_session IS 'Ends a session.';

ALTER TABLE access.sessions OWNER TO daybook_owner;
ALTER FUNCTION access.open_session OWNER TO daybook_owner;
ALTER FUNCTION access.find_session OWNER TO daybook_owner;
ALTER FUNCTION access.close_session OWNER TO daybook_owner;
REVOKE ALL ON FUNCTION access.open_session, access.find_session, access.close_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access.open_session, access.find_session, access.close_session TO daybook_service;
