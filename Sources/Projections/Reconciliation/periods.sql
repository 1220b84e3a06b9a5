-- Business days of merchants that were closed.
CREATE TABLE periods (
    tenant   text        NOT NULL,
    id       uuid        NOT NULL,
    merchant text        NOT NULL,
    day      date        NOT NULL,
    status   text        NOT NULL,
    first    bigint      NOT NULL,
    position bigint      NOT NULL,
    until    bigint,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    reason   text        NOT NULL,
    details     json        NOT NULL,
    PRIMARY KEY (tenant, id, position)
);
COMMENT ON TABLE periods IS 'What was believed of a day when it was last closed: one row for each step.';
COMMENT ON COLUMN periods.status IS 'closed or reopened.';
COMMENT ON COLUMN periods.first IS 'The position at which it was closed first.';
COMMENT ON COLUMN periods.position IS 'Of the event that told the step.';
COMMENT ON COLUMN periods.until IS 'Of the next step; NULL for the newest.';
COMMENT ON COLUMN periods.at IS 'When it was closed or opened again.';
CREATE INDEX periods_by_position ON periods (tenant, first DESC);
CREATE INDEX periods_by_merchant ON periods (tenant, merchant, day);
