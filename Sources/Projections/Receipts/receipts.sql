-- One row for each payment with a printable receipt.
CREATE TABLE receipts (
    tenant  text   NOT NULL,
    id      uuid   NOT NULL,
    version bigint NOT NULL,
    receipt json   NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE receipts IS 'The receipt of each payment, as of its newest event.';
