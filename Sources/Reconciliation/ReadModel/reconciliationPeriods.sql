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
COMMENT ON TABLE periods IS 'One row for each step of a business day, with the state recorded when the day was last closed.';
COMMENT ON COLUMN periods.status IS 'closed or reopened.';
COMMENT ON COLUMN periods.first IS 'The position at which the day was first closed.';
COMMENT ON COLUMN periods.position IS 'The position of the event of the step.';
COMMENT ON COLUMN periods.until IS 'The position of the next step; NULL for the newest.';
COMMENT ON COLUMN periods.at IS 'The time of the closing or reopening.';
CREATE INDEX periods_by_position ON periods (tenant, first DESC);
CREATE INDEX periods_by_merchant ON periods (tenant, merchant, day);
