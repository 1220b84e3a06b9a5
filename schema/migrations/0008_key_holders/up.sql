-- Whose keys they are: what needs two people must not be done by two keys of one person.

ALTER TABLE access.api_keys ADD COLUMN holder text CHECK (octet_length(holder) BETWEEN 1 AND 200);
COMMENT ON COLUMN access.api_keys.holder IS 'The person it belongs to; NULL for a machine, or where nobody knows.';
GRANT SELECT (holder) ON access.api_keys TO daybook_service;

-- What a function returns cannot be added to. Servers of before go on with the columns they name.
DROP FUNCTION access.find_key(bytea);
CREATE FUNCTION access.find_key(p_hash bytea)
RETURNS TABLE (id text, tenant text, scopes text[], hash bytea, expires_at timestamptz, holder text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.id, k.tenant, k.scopes, k.hash, k.expires_at, k.holder FROM access.api_keys k
     WHERE k.hash = p_hash AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION access.find_key IS
    'The key with this hash, unless it is withdrawn. The service may ask for one, but not read the hashes.';

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
    'The session with this hash and what its key may do now: nothing once either is over. A use keeps it from going idle.';

ALTER FUNCTION access.find_key OWNER TO daybook_owner;
ALTER FUNCTION access.find_session OWNER TO daybook_owner;
REVOKE ALL ON FUNCTION access.find_key, access.find_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access.find_key, access.find_session TO daybook_service;
