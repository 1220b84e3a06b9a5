-- Double entry: where every cent is that the log reports.
CREATE TABLE entries (
    tenant      text   NOT NULL,
    position    bigint NOT NULL,
    leg         int    NOT NULL,
    account     text   NOT NULL,
    part        text   NOT NULL,
    currency    text   NOT NULL,
    amount      numeric NOT NULL,
    day         date   NOT NULL,
    adjusts     date,
    merchant    text,
    terminal    text,
    transaction uuid,
    line        text,
    statement_line uuid,
    event       uuid   NOT NULL,
    PRIMARY KEY (tenant, position, leg)
);
COMMENT ON TABLE entries IS 'The legs of all entries. No row is changed or removed; the legs of a position add up to zero in each currency.';
COMMENT ON COLUMN entries.position IS 'The position of the event that the entry follows from.';
COMMENT ON COLUMN entries.part IS 'The part of the account: a processor, tender, recipient of tips, tax authority or component of fees; empty if it has none or it is not known.';
COMMENT ON COLUMN entries.amount IS 'Minor units: a debit if positive, a credit if negative. Sums of lines may exceed 64 bits.';
COMMENT ON COLUMN entries.day IS 'The business day, by the merchant''s zone and cut-off as they were described up to the position.';
COMMENT ON COLUMN entries.adjusts IS 'The closed business day to which the entry belongs, if it was posted after that was closed.';
COMMENT ON COLUMN entries.line IS 'The line of money within the payment, as in the members of batches.';
CREATE INDEX entries_by_account ON entries (tenant, account, position, leg);
CREATE INDEX entries_by_transaction ON entries (transaction, position, leg) WHERE transaction IS NOT NULL;
CREATE INDEX entries_adjusting ON entries (tenant, account, position) WHERE adjusts IS NOT NULL;

CREATE TABLE balances (
    tenant   text    NOT NULL,
    day      date    NOT NULL,
    merchant text    NOT NULL,
    account  text    NOT NULL,
    part     text    NOT NULL,
    currency text    NOT NULL,
    amount   numeric NOT NULL,
    PRIMARY KEY (tenant, day, merchant, account, part, currency)
);
COMMENT ON TABLE balances IS 'The sums of all entries.';
COMMENT ON COLUMN balances.merchant IS 'Empty for entries without a merchant.';

CREATE TABLE zone_links (
    tenant     text   NOT NULL,
    vendor     text   NOT NULL,
    name       text   COLLATE "C" NOT NULL,
    role       text   NOT NULL,
    owner      text   COLLATE "C" NOT NULL,
    owner_role text   NOT NULL,
    since      bigint NOT NULL,
    PRIMARY KEY (tenant, name, role, owner, owner_role, vendor)
);
COMMENT ON TABLE zone_links IS 'The names of merchants and terminals that payments and readers have reported together, as in the read model merchants, whose position may be another one.';
COMMENT ON COLUMN zone_links.since IS 'The position of the event that completed the first such pair.';
CREATE INDEX zone_links_by_owner ON zone_links (tenant, owner);

CREATE TABLE zones (
    tenant   text   NOT NULL,
    merchant text   COLLATE "C" NOT NULL,
    zone     text   NOT NULL,
    cutoff   text   NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (tenant, merchant)
);
COMMENT ON COLUMN zones.position IS 'The position of the event with the description.';
COMMENT ON TABLE zones IS 'The newest description of each merchant''s business day, for the entries to come.';
