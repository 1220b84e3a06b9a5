-- What explains what, and what nothing explains: now, and at every position before.
CREATE TABLE rules (
    tenant   text        NOT NULL,
    position bigint      NOT NULL,
    version  bigint      NOT NULL,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    details     json        NOT NULL,
    PRIMARY KEY (tenant, position)
);
COMMENT ON TABLE rules IS 'By which rules tenants are reconciled: one row for each change.';
COMMENT ON COLUMN rules.version IS 'How often they have changed with it.';

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
    deposits_matched   bigint,
    deposits_unmatched bigint,
    failed       bigint,
    failed_at    timestamptz,
    failure      text,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE runs IS 'One row for each run.';
COMMENT ON COLUMN runs.position IS 'Of the event with which it began.';
COMMENT ON COLUMN runs.covers IS 'Every event up to here has been looked at when it is completed.';
COMMENT ON COLUMN runs.completed IS 'The position of the event with which it ended.';
COMMENT ON COLUMN runs.failed IS 'The position of the event that told that it did not come to its end.';
CREATE INDEX runs_by_position ON runs (tenant, position DESC);
CREATE INDEX runs_unended ON runs (tenant) WHERE completed IS NULL AND failed IS NULL;

CREATE TABLE links (
    tenant      text   NOT NULL,
    line        uuid   NOT NULL,
    transaction uuid   NOT NULL,
    movement    text   NOT NULL,
    match       uuid   NOT NULL,
    rule        text   NOT NULL,
    position    bigint NOT NULL,
    until       bigint,
    PRIMARY KEY (tenant, line, transaction, movement, position)
);
COMMENT ON TABLE links IS 'Lines of statements and the movements of the ledger that explain them.';
COMMENT ON COLUMN links.match IS 'Links with the same one add up together: the smallest of their lines.';
COMMENT ON COLUMN links.position IS 'Of the event that told it.';
COMMENT ON COLUMN links.until IS 'Of the event since which it does not hold any more; null while it does.';
CREATE INDEX links_by_transaction ON links (tenant, transaction);
CREATE INDEX links_by_position ON links (tenant, position, line, transaction, movement);
-- What a run has ended.
CREATE INDEX links_ended ON links (tenant, until) WHERE until IS NOT NULL;

CREATE TABLE exceptions (
    tenant      text        NOT NULL,
    id          uuid        NOT NULL,
    class       text        NOT NULL,
    line        uuid,
    transaction uuid,
    movement    text,
    merchant    text,
    terminal    text,
    currency    text,
    amount      bigint,
    day         date,
    first       bigint      NOT NULL,
    first_at    timestamptz NOT NULL,
    raised      bigint      NOT NULL,
    raised_at   timestamptz NOT NULL,
    cleared     bigint,
    changed     bigint      NOT NULL,
    status      text        NOT NULL,
    assignee    text,
    proposal    json,
    proposed_by text,
    resolution  json,
    reopenings  int         NOT NULL DEFAULT 0,
    version     bigint      NOT NULL DEFAULT 0,
    details        json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE exceptions IS 'Every exception that was raised, and what became of it.';
COMMENT ON COLUMN exceptions.id IS 'Follows from its class and what it is about.';
COMMENT ON COLUMN exceptions.amount IS 'Minor units that nobody has explained, above zero to the merchant.';
COMMENT ON COLUMN exceptions.first IS 'The position at which it was raised first.';
COMMENT ON COLUMN exceptions.raised IS 'The position at which it was last told with other evidence.';
COMMENT ON COLUMN exceptions.changed IS 'The position of its newest step.';
COMMENT ON COLUMN exceptions.version IS 'Of its own stream.';
CREATE INDEX exceptions_by_position ON exceptions (tenant, first DESC, id DESC);
CREATE INDEX exceptions_by_status ON exceptions (tenant, status, first DESC, id DESC);
CREATE INDEX exceptions_by_class ON exceptions (tenant, class, first DESC, id DESC);
CREATE INDEX exceptions_by_assignee ON exceptions (tenant, assignee, first DESC, id DESC) WHERE assignee IS NOT NULL;
CREATE INDEX exceptions_by_merchant ON exceptions (tenant, merchant, first DESC, id DESC) WHERE merchant IS NOT NULL;
CREATE INDEX exceptions_by_terminal ON exceptions (tenant, terminal, first DESC, id DESC) WHERE terminal IS NOT NULL;
CREATE INDEX exceptions_by_change ON exceptions (tenant, changed);
CREATE INDEX exceptions_by_day ON exceptions (tenant, day);
CREATE INDEX exceptions_by_line ON exceptions (tenant, line) WHERE line IS NOT NULL;
CREATE INDEX exceptions_by_transaction ON exceptions (tenant, transaction) WHERE transaction IS NOT NULL;
-- What people have matched by hand.
CREATE INDEX exceptions_by_hand ON exceptions (tenant, changed)
    WHERE status = 'resolved' AND resolution ->> 'kind' = 'matched';

CREATE TABLE steps (
    tenant    text        NOT NULL,
    exception uuid        NOT NULL,
    position  bigint      NOT NULL,
    kind      text        NOT NULL,
    at        timestamptz NOT NULL,
    actor     text        NOT NULL,
    status    text        NOT NULL,
    assignee  text,
    details      json,
    PRIMARY KEY (tenant, exception, position)
);
COMMENT ON TABLE steps IS 'Whatever happened to an exception.';
COMMENT ON COLUMN steps.status IS 'Where the exception stands after it.';
COMMENT ON COLUMN steps.details IS 'Of what was raised, the evidence; of what people did, what they said.';
-- What people have decided since a position.
CREATE INDEX steps_decided ON steps (tenant, position) WHERE kind IN ('ExceptionResolved', 'ExceptionReopened');
-- What a run has raised or cleared.
CREATE INDEX steps_by_run ON steps (tenant, position) WHERE kind IN ('ExceptionsRaised', 'ExceptionsCleared');
