-- The newest description of each merchant, and the names that payments have reported together.
CREATE TABLE merchants (
    tenant      text        NOT NULL,
    merchant    text        COLLATE "C" NOT NULL,
    zone        text        NOT NULL,
    cutoff      text        NOT NULL,
    reason      text        NOT NULL,
    position    bigint      NOT NULL,
    described_by text       NOT NULL,
    described_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, merchant)
);
COMMENT ON TABLE merchants IS 'Each merchant''s time zone and the start of its business day.';
COMMENT ON COLUMN merchants.position IS 'The position of the newest event that describes the merchant.';

CREATE TABLE linked_names (
    tenant     text   NOT NULL,
    vendor     text   NOT NULL,
    name       text   COLLATE "C" NOT NULL,
    role       text   NOT NULL,
    owner      text   COLLATE "C" NOT NULL,
    owner_role text   NOT NULL,
    since      bigint NOT NULL,
    PRIMARY KEY (tenant, name, role, owner, owner_role, vendor)
);
COMMENT ON TABLE linked_names IS 'The names of merchants and their terminals: one row for each pair that one payment names together, one for each name of a merchant, and one for each terminal with a payment that names no merchant. No row is changed or removed.';
COMMENT ON COLUMN linked_names.vendor IS 'The payment''s vendor; empty if it is unknown.';
COMMENT ON COLUMN linked_names.role IS 'sender, processor, account or terminal.';
COMMENT ON COLUMN linked_names.owner IS 'The name of a better role; the name itself in the row of the name or terminal.';
COMMENT ON COLUMN linked_names.since IS 'The position of the event that completed the first such pair.';
CREATE INDEX linked_names_by_owner ON linked_names (tenant, owner);
CREATE INDEX linked_names_by_position ON linked_names (since);
