-- The versions of each tenant's chart of accounts.
CREATE TABLE charts (
    tenant   text        NOT NULL,
    version  bigint      NOT NULL,
    position bigint      NOT NULL,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    details  json        NOT NULL,
    PRIMARY KEY (tenant, version)
);
COMMENT ON TABLE charts IS 'The versions of each tenant''s chart of accounts.';
COMMENT ON COLUMN charts.position IS 'The position of the event.';
COMMENT ON COLUMN charts.details IS 'The data of the event: each account with its root, name and number.';
