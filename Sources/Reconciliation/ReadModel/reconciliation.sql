-- Matches and exceptions, now and at every earlier position.
CREATE TABLE rules (
    tenant   text        NOT NULL,
    position bigint      NOT NULL,
    version  bigint      NOT NULL,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    details     json        NOT NULL,
    PRIMARY KEY (tenant, position)
);
COMMENT ON TABLE rules IS 'The matching rules of tenants: one row for each change.';
COMMENT ON COLUMN rules.version IS 'The number of changes up to this one.';

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
    posted       bigint,
    unposted     bigint,
    failed       bigint,
    failed_at    timestamptz,
    failure      text,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE runs IS 'One row for each run.';
COMMENT ON COLUMN runs.position IS 'The position of the event with which the run began.';
COMMENT ON COLUMN runs.covers IS 'The position up to which a completed run has examined all events.';
COMMENT ON COLUMN runs.completed IS 'The position of the event that completed the run.';
COMMENT ON COLUMN runs.failed IS 'The position of the event that recorded the failure of the run.';
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
COMMENT ON COLUMN links.match IS 'The id shared by links that add up together: the smallest id of their lines.';
COMMENT ON COLUMN links.position IS 'The position of the event that reported the link.';
COMMENT ON COLUMN links.until IS 'The position of the event that ended the link; NULL while it holds.';
-- Ids of payments are compared faster than tenants, and a run adds its links in another order than this.
CREATE INDEX links_by_transaction ON links (transaction, tenant);
CREATE INDEX links_by_position ON links (tenant, position);
-- The links that a run ended.
CREATE INDEX links_ended ON links (tenant, until) WHERE until IS NOT NULL;

CREATE TABLE postings (
    tenant   text   NOT NULL,
    line     uuid   NOT NULL,
    rule     text   NOT NULL,
    account  text   NOT NULL,
    part     text   NOT NULL,
    position bigint NOT NULL,
    until    bigint,
    PRIMARY KEY (tenant, line, position)
);
COMMENT ON TABLE postings IS 'Lines that are no payments, and the account to which a posting rule assigns them.';
COMMENT ON COLUMN postings.until IS 'The position of the event that ended the posting; NULL while it holds.';

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
COMMENT ON TABLE exceptions IS 'Every exception that was raised, with its current status.';
COMMENT ON COLUMN exceptions.id IS 'Derived from the exception''s class and subject.';
COMMENT ON COLUMN exceptions.amount IS 'Unexplained minor units, positive when the merchant receives the money.';
COMMENT ON COLUMN exceptions.first IS 'The position at which the exception was first raised.';
COMMENT ON COLUMN exceptions.raised IS 'The position at which the exception was last raised with other evidence.';
COMMENT ON COLUMN exceptions.changed IS 'The position of its newest step.';
COMMENT ON COLUMN exceptions.version IS 'The version of the exception''s own stream.';
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
-- Resolutions by manual matching.
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
COMMENT ON TABLE steps IS 'Every step in the history of an exception.';
COMMENT ON COLUMN steps.status IS 'The status of the exception after the step.';
COMMENT ON COLUMN steps.details IS 'The evidence of a raised exception, or the data of an operator''s action.';
-- The operators' decisions since a position.
CREATE INDEX steps_decided ON steps (tenant, position) WHERE kind IN ('ExceptionResolved', 'ExceptionReopened');
-- The exceptions that a run raised or cleared.
CREATE INDEX steps_by_run ON steps (tenant, position) WHERE kind IN ('ExceptionsRaised', 'ExceptionsCleared');
