-- Payouts of processors and the bank transfers that they arrived with.
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
COMMENT ON TABLE deposit_links IS 'Links between payouts and transfers on bank accounts that explain each other, including ended ones.';
COMMENT ON COLUMN deposit_links.payout IS 'The id of a processor''s line.';
COMMENT ON COLUMN deposit_links.deposit IS 'The id of a bank''s line.';
COMMENT ON COLUMN deposit_links.match IS 'The id shared by links that add up together: the smallest id of their payouts.';
COMMENT ON COLUMN deposit_links.position IS 'The position of the event that reported the link.';
COMMENT ON COLUMN deposit_links.until IS 'The position of the event that ended the link; NULL while it holds.';
CREATE INDEX deposit_links_by_deposit ON deposit_links (tenant, deposit);
CREATE INDEX deposit_links_by_match ON deposit_links (tenant, match);
CREATE INDEX deposit_links_by_position ON deposit_links (tenant, position);
