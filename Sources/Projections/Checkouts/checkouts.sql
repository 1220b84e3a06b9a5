-- One row for each wallet checkout.
CREATE TABLE checkouts (
    tenant         text        NOT NULL,
    id             text        NOT NULL,
    vendor         text        NOT NULL,
    status         text        NOT NULL,
    transaction    uuid,
    first_position bigint      NOT NULL,
    last_position  bigint      NOT NULL,
    last_seen      timestamptz NOT NULL,
    view           json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE checkouts IS 'Every checkout, as of its newest event.';
COMMENT ON COLUMN checkouts.id IS 'The digest of its token, as in the name of its stream.';
COMMENT ON COLUMN checkouts.transaction IS 'The newest payment made with it.';
COMMENT ON COLUMN checkouts.view IS 'The checkout as JSON.';
CREATE UNIQUE INDEX checkouts_by_position ON checkouts (tenant, first_position DESC, id);
CREATE INDEX checkouts_by_status ON checkouts (tenant, status, first_position DESC);
CREATE INDEX checkouts_by_transaction ON checkouts (tenant, transaction) WHERE transaction IS NOT NULL;
