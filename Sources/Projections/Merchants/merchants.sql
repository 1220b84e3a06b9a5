-- What was said about merchants last.
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
COMMENT ON TABLE merchants IS 'Where each merchant''s clocks are, and when its business day begins.';
COMMENT ON COLUMN merchants.position IS 'Of the event that said so last.';
