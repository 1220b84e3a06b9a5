CREATE TABLE IF NOT EXISTS schema_migrations (
    number integer PRIMARY KEY CHECK (number > 0),
    name text NOT NULL,
    checksum bytea NOT NULL CHECK (octet_length(checksum) = 32),
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE schema_migrations IS
    'The steps of the schema applied to this database, with the SHA-256 of their text.';
