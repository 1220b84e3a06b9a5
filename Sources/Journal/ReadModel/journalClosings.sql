-- The business days that are closed for merchants.
CREATE TABLE closings (
    tenant   text   NOT NULL,
    merchant text   NOT NULL,
    day      date   NOT NULL,
    position bigint NOT NULL,
    until    bigint,
    period   uuid   NOT NULL,
    PRIMARY KEY (tenant, merchant, day, position)
);
COMMENT ON TABLE closings IS 'The closings of business days, one row for each name of the merchant. A closing locks its day and all earlier ones for the entries of later positions.';
COMMENT ON COLUMN closings.until IS 'The position at which the day was opened again; NULL while it is closed.';
COMMENT ON COLUMN closings.period IS 'The id of the stream of the merchant''s day.';
