-- What the documents and events of a key must name.

ALTER TABLE access.api_keys ADD COLUMN bound text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN access.api_keys.bound IS
    'What its documents and events must name, each as name=value; empty if the key is not bound.';
GRANT SELECT (bound) ON access.api_keys TO daybook_service;

-- The columns that a function returns cannot be extended, so the function is replaced. Older servers name the columns
-- that they need; they do not check what a key is bound to. Sessions send no documents and no events.
DROP FUNCTION access.find_key(bytea);
CREATE FUNCTION access.find_key(p_hash bytea)
RETURNS TABLE (id text, tenant text, scopes text[], hash bytea, expires_at timestamptz, holder text, bound text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.id, k.tenant, k.scopes, k.hash, k.expires_at, k.holder, k.bound FROM access.api_keys k
     WHERE k.hash = p_hash AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION access.find_key IS
    'The key with this hash, unless it is revoked. The service may look up one key, but not read the hashes.';

ALTER FUNCTION access.find_key OWNER TO daybook_owner;
REVOKE ALL ON FUNCTION access.find_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access.find_key TO daybook_service;
