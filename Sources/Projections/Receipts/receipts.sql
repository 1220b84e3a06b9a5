-- One row for each payment that has something to show on paper.
CREATE TABLE states (
    tenant            text        NOT NULL,
    stream            text        NOT NULL,
    state             json        NOT NULL,
    first_position    bigint      NOT NULL,
    first_occurred_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, stream)
);
COMMENT ON TABLE states IS 'The folded state of each payment.';

CREATE TABLE receipts (
    tenant  text   NOT NULL,
    id      uuid   NOT NULL,
    version bigint NOT NULL,
    receipt json   NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE receipts IS 'The receipt of each payment, as of its newest event.';
