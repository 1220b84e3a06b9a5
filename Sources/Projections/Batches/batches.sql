-- Settlement batches and their lines.
CREATE TABLE batches (
    tenant         text        NOT NULL,
    id             uuid        NOT NULL,
    vendor         text        NOT NULL,
    account        text,
    number         text,
    status         text        NOT NULL,
    closing        json,
    first_position bigint      NOT NULL,
    last_position  bigint      NOT NULL,
    opened_at      timestamptz NOT NULL,
    closed_at      timestamptz,
    requested      boolean     NOT NULL DEFAULT false,
    answer         json,
    part_of        uuid,
    part_since     bigint,
    part_until     bigint,
    generation     bigint      NOT NULL DEFAULT 1,
    closed_position bigint,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE batches IS 'One row for each batch that a document has named, and one per account for lines that are not in a named batch yet.';
COMMENT ON COLUMN batches.number IS 'Null for the unnamed batch of an account: lines that the gateway has not put into a named batch yet.';
COMMENT ON COLUMN batches.generation IS 'Which use of the number it is, in the order in which their closings were recorded; 1 without a number.';
COMMENT ON COLUMN batches.closed_position IS 'The position of the event that closed it first.';
COMMENT ON COLUMN batches.requested IS 'Whether a request to close it was recorded.';
COMMENT ON COLUMN batches.answer IS 'The last answer to a request to close it, other than its closing.';
COMMENT ON COLUMN batches.part_of IS 'The batch of its account, if documents name the account by another name in this one: its lines are read as that batch''s.';
COMMENT ON COLUMN batches.part_since IS 'The position of the event that linked them.';
COMMENT ON COLUMN batches.part_until IS 'The position of the first event about its own closing; null if there is none.';
CREATE INDEX batches_by_whole ON batches (tenant, part_of) WHERE part_of IS NOT NULL;
CREATE INDEX batches_by_status ON batches (tenant, status, first_position DESC);
CREATE INDEX batches_by_number ON batches (tenant, number) WHERE number IS NOT NULL;
CREATE INDEX batches_by_account ON batches (tenant, account, first_position DESC) WHERE account IS NOT NULL;
CREATE INDEX batches_closed_unnamed ON batches (tenant, vendor)
    WHERE number IS NULL AND closing IS NOT NULL;
CREATE INDEX batches_by_position ON batches (tenant, first_position DESC);

CREATE TABLE members (
    tenant        text        NOT NULL,
    transaction   uuid        NOT NULL,
    line          text        NOT NULL,
    since         bigint      NOT NULL,
    until         bigint,
    batch         uuid,
    type          text        NOT NULL,
    currency      text        NOT NULL,
    amount        bigint      NOT NULL,
    tip           bigint      NOT NULL,
    voided        bigint      NOT NULL,
    brand         text,
    tender        text,
    vendor        text,
    merchant      text,
    terminal      text,
    clerk         text,
    tip_recipient text,
    occurred_at   timestamptz NOT NULL,
    local_at      timestamp,
    evidence      text        NOT NULL,
    unsettled     boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, transaction, line, since)
);
COMMENT ON TABLE members IS 'Every version of each capture, refund and credit, with its batch.';
COMMENT ON COLUMN members.batch IS 'Null while nothing names the vendor of the payment: the line is in no batch, and in the totals.';
COMMENT ON COLUMN members.type IS 'sale, capture, refund or credit.';
COMMENT ON COLUMN members.since IS 'The position of the event that created this version.';
COMMENT ON COLUMN members.until IS 'The position of the event that ended this version; null for the current one.';
COMMENT ON COLUMN members.voided IS 'The voided part of the amount; it is listed and not counted.';
COMMENT ON COLUMN members.evidence IS 'The strongest evidence: reader, relayed, gateway or settlement. Lines with evidence only from a reader were stored offline.';
COMMENT ON COLUMN members.unsettled IS 'Whether the next closing of the line''s unnamed batch settles it.';
COMMENT ON COLUMN members.occurred_at IS 'The time of the event that reported the line. The business day of a line without a local time is derived from it.';
COMMENT ON COLUMN members.local_at IS 'The local time that the terminal or vendor printed, without a zone: the business day is derived from it.';
CREATE INDEX members_by_batch ON members (tenant, batch, transaction, line);
CREATE INDEX members_unsettled ON members (tenant, batch, transaction, line) WHERE unsettled AND until IS NULL;
CREATE INDEX members_by_time ON members (tenant, occurred_at);
CREATE INDEX members_by_local_time ON members (tenant, local_at) WHERE local_at IS NOT NULL;
CREATE INDEX members_by_merchant ON members (tenant, merchant, occurred_at) WHERE merchant IS NOT NULL;
CREATE INDEX members_by_terminal ON members (tenant, terminal, occurred_at) WHERE terminal IS NOT NULL;
