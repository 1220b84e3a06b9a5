-- What explains what, and what nothing explains.
CREATE TABLE runs (
    tenant       text        NOT NULL,
    id           uuid        NOT NULL,
    position     bigint      NOT NULL,
    covers       bigint      NOT NULL,
    since        bigint      NOT NULL,
    rules        text        NOT NULL,
    horizon      date,
    began_at     timestamptz NOT NULL,
    began_by     text        NOT NULL,
    completed    bigint,
    completed_at timestamptz,
    matched      bigint,
    unmatched    bigint,
    raised       bigint,
    cleared      bigint,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE runs IS 'One row for each run.';
COMMENT ON COLUMN runs.position IS 'Of the event with which it began.';
COMMENT ON COLUMN runs.covers IS 'Every event up to here has been looked at when it is completed.';
COMMENT ON COLUMN runs.completed IS 'The position of the event with which it ended.';
CREATE INDEX runs_by_position ON runs (tenant, position DESC);

CREATE TABLE links (
    tenant      text   NOT NULL,
    line        uuid   NOT NULL,
    transaction uuid   NOT NULL,
    movement    text   NOT NULL,
    match       uuid   NOT NULL,
    rule        text   NOT NULL,
    position    bigint NOT NULL,
    PRIMARY KEY (tenant, line, transaction, movement)
);
COMMENT ON TABLE links IS 'Lines of statements and the movements of the ledger that explain them.';
COMMENT ON COLUMN links.match IS 'Links with the same one add up together: the smallest of their lines.';
COMMENT ON COLUMN links.position IS 'Of the event that told it.';
CREATE INDEX links_by_transaction ON links (tenant, transaction);

CREATE TABLE exceptions (
    tenant      text        NOT NULL,
    id          uuid        NOT NULL,
    class       text        NOT NULL,
    line        uuid,
    transaction uuid,
    movement    text,
    currency    text,
    amount      bigint,
    day         date,
    first       bigint      NOT NULL,
    raised      bigint      NOT NULL,
    raised_at   timestamptz NOT NULL,
    cleared     bigint,
    cleared_at  timestamptz,
    told        json        NOT NULL,
    state       text        NOT NULL GENERATED ALWAYS AS (
        CASE WHEN cleared IS NOT NULL THEN 'cleared' ELSE 'open' END
    ) STORED,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE exceptions IS 'Every exception that was raised, and what became of it.';
COMMENT ON COLUMN exceptions.id IS 'Follows from its class and what it is about.';
COMMENT ON COLUMN exceptions.amount IS 'Minor units that nobody has explained, above zero to the merchant.';
COMMENT ON COLUMN exceptions.first IS 'The position at which it was raised first.';
COMMENT ON COLUMN exceptions.raised IS 'The position at which it was last told with other evidence.';
CREATE INDEX exceptions_by_position ON exceptions (tenant, first DESC);
CREATE INDEX exceptions_by_state ON exceptions (tenant, state, first DESC);
CREATE INDEX exceptions_by_class ON exceptions (tenant, class, first DESC);
CREATE INDEX exceptions_by_line ON exceptions (tenant, line) WHERE line IS NOT NULL;
CREATE INDEX exceptions_by_transaction ON exceptions (tenant, transaction) WHERE transaction IS NOT NULL;
