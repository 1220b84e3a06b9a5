-- The newest description of each merchant.
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
