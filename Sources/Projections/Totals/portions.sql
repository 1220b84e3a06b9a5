-- The taxes and health-care portions of lines of money.
CREATE TABLE portions (
    tenant      text   NOT NULL,
    transaction uuid   NOT NULL,
    line        text   NOT NULL,
    kind        text   NOT NULL,
    label       text   NOT NULL,
    since       bigint NOT NULL,
    until       bigint,
    amount      bigint NOT NULL,
    PRIMARY KEY (tenant, transaction, line, kind, label, since)
);
COMMENT ON TABLE portions IS 'Every version of each portion of a capture. Voids do not change it.';
COMMENT ON COLUMN portions.line IS 'The line of the read model batches that contains it.';
COMMENT ON COLUMN portions.kind IS 'tax or health-care.';
COMMENT ON COLUMN portions.label IS 'As the merchant or vendor named it; empty for the part of a tax without a label.';
COMMENT ON COLUMN portions.since IS 'The position of the event that created this version.';
COMMENT ON COLUMN portions.until IS 'The position of the event that ended this version; null for the current one.';
COMMENT ON COLUMN portions.amount IS 'Minor units of the payment''s currency.';
