-- One row for each payment that has something to show on paper.
CREATE TABLE receipts (
    tenant  text   NOT NULL,
    id      uuid   NOT NULL,
    version bigint NOT NULL,
    receipt json   NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE receipts IS 'The receipt of each payment, as of its newest event.';
