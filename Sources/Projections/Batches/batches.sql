-- Settlement batches, and what is in them.
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
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE batches IS 'One row for each batch a document has named, and one per account for what is in no named batch yet.';
COMMENT ON COLUMN batches.number IS 'Null for what the gateway has not put into a named batch yet.';
CREATE INDEX batches_by_position ON batches (tenant, first_position DESC);

CREATE TABLE members (
    tenant      text    NOT NULL,
    transaction uuid    NOT NULL,
    line        text    NOT NULL,
    batch       uuid    NOT NULL,
    type        text    NOT NULL,
    currency    text    NOT NULL,
    amount      bigint  NOT NULL,
    tip         bigint  NOT NULL,
    voided      bigint  NOT NULL,
    brand       text,
    tender      text,
    PRIMARY KEY (tenant, transaction, line)
);
COMMENT ON TABLE members IS 'Each capture, refund and credit in a batch.';
COMMENT ON COLUMN members.type IS 'sale, capture, refund or credit.';
COMMENT ON COLUMN members.voided IS 'How much of the amount was taken back; it is listed and not counted.';
CREATE INDEX members_by_batch ON members (tenant, batch, transaction, line);
