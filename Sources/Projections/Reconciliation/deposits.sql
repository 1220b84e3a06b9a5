-- What a processor paid, and where it came to.
CREATE TABLE deposit_links (
    tenant   text   NOT NULL,
    payout   uuid   NOT NULL,
    deposit  uuid   NOT NULL,
    match    uuid   NOT NULL,
    rule     text   NOT NULL,
    position bigint NOT NULL,
    until    bigint,
    PRIMARY KEY (tenant, payout, deposit, position)
);
COMMENT ON TABLE deposit_links IS 'Payouts and the transfers on bank accounts that explain each other, also those that did once.';
COMMENT ON COLUMN deposit_links.payout IS 'A line of a processor.';
COMMENT ON COLUMN deposit_links.deposit IS 'A line of a bank.';
COMMENT ON COLUMN deposit_links.match IS 'Links with the same one add up together: the smallest of their payouts.';
COMMENT ON COLUMN deposit_links.position IS 'Of the event that told it.';
COMMENT ON COLUMN deposit_links.until IS 'Of the event that ended it; NULL while it holds.';
CREATE INDEX deposit_links_by_deposit ON deposit_links (tenant, deposit);
CREATE INDEX deposit_links_by_match ON deposit_links (tenant, match);
CREATE INDEX deposit_links_by_position ON deposit_links (tenant, position);
