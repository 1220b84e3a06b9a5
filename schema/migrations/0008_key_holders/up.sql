-- The holders of keys: two keys of one operator are not two operators.

ALTER TABLE access.api_keys ADD COLUMN holder text CHECK (octet_length(holder) BETWEEN 1 AND 200);
COMMENT ON COLUMN access.api_keys.holder IS 'The operator to whom it belongs; NULL for a machine, or if unknown.';
GRANT SELECT (holder) ON access.api_keys TO daybook_service;

-- The columns that a function returns cannot be extended, so the functions are replaced. Older servers name the columns
-- that they need.
DROP FUNCTION access.find_key(bytea);
CREATE FUNCTION access.find_key(p_hash bytea)
RETURNS TABLE (id text, tenant text, scopes text[], hash bytea, expires_at timestamptz, holder text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.id, k.tenant, k.scopes, k.hash, k.expires_at, k.holder FROM access.api_keys k
     WHERE k.hash = p_hash AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION access.find_key IS
    'The key with this hash, unless it is revoked. The service may look up one key, but not read the hashes.';

DROP FUNCTION access.find_session(bytea, timestamptz, timestamptz, boolean);
CREATE FUNCTION access.find_session(
    p_token_hash bytea,
    p_now        timestamptz,
    p_idle_since timestamptz,
    p_is_use     boolean
) RETURNS TABLE (
    key_id text, tenant text, scopes text[], name text, token_hash bytea, expires_at timestamptz, holder text
)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE access.sessions s SET seen_at = p_now
     WHERE p_is_use AND s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND s.seen_at < p_now - interval '1 minute';
    SELECT k.id, k.tenant, k.scopes, k.name, s.token_hash, s.expires_at, k.holder
      FROM access.sessions s JOIN access.api_keys k ON k.id = s.key_id
     WHERE s.token_hash = p_token_hash AND s.expires_at > p_now AND s.seen_at > p_idle_since
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_now)
$$;
COMMENT ON FUNCTION access.find_session IS
    'The session with this hash and the scopes of its key; nothing if either has ended. A use keeps it from becoming idle.';

ALTER FUNCTION access.find_key OWNER TO daybook_owner;
ALTER FUNCTION access.find_session OWNER TO daybook_owner;
REVOKE ALL ON FUNCTION access.find_key, access.find_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access.find_key, access.find_session TO daybook_service;
