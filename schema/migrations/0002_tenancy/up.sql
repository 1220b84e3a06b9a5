-- Tenants and their keys.

CREATE SCHEMA access;
COMMENT ON SCHEMA access IS 'Tenants and their API keys.';

CREATE TABLE access.tenants (
    id         text        PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE access.tenants IS 'One merchant organisation each; nothing is visible across tenants.';

CREATE TABLE access.api_keys (
    id         text        PRIMARY KEY,
    tenant     text        NOT NULL REFERENCES access.tenants,
    hash       bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    scopes     text[]      NOT NULL,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
);
COMMENT ON TABLE access.api_keys IS 'API keys. The key itself is shown once and never stored.';
COMMENT ON COLUMN access.api_keys.id IS 'The name of the key in the audit trail.';
COMMENT ON COLUMN access.api_keys.hash IS 'SHA-256 of the key, which is random enough (178 bits) to need no salt.';
