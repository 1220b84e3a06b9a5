-- Business days of merchants that were closed.
CREATE TABLE periods (
    tenant   text        NOT NULL,
    id       uuid        NOT NULL,
    merchant text        NOT NULL,
    day      date        NOT NULL,
    status   text        NOT NULL,
    first    bigint      NOT NULL,
    changed  bigint      NOT NULL,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    reason   text        NOT NULL,
    told     json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE periods IS 'What was believed of a day when it was last closed.';
COMMENT ON COLUMN periods.status IS 'closed or reopened.';
COMMENT ON COLUMN periods.first IS 'The position at which it was closed first.';
COMMENT ON COLUMN periods.at IS 'When it was closed or opened again.';
CREATE INDEX periods_by_position ON periods (tenant, first DESC);
CREATE INDEX periods_by_merchant ON periods (tenant, merchant, day);
