-- One row for each card reader or terminal.
CREATE TABLE readers (
    tenant         text        NOT NULL,
    vendor         text        NOT NULL,
    serial         text        NOT NULL,
    first_position bigint      NOT NULL,
    last_position  bigint      NOT NULL,
    last_seen      timestamptz NOT NULL,
    battery        integer,
    charging       boolean,
    holds_result   boolean,
    payment        uuid,
    update_due     boolean     NOT NULL,
    mandatory_due  boolean     NOT NULL,
    errors         text[]      NOT NULL,
    view           json        NOT NULL,
    PRIMARY KEY (tenant, vendor, serial)
);
COMMENT ON TABLE readers IS 'Every reader, as of its newest event.';
COMMENT ON COLUMN readers.serial IS 'The serial number, as in the name of the reader''s stream.';
COMMENT ON COLUMN readers.payment IS 'The payment in progress on the reader.';
COMMENT ON COLUMN readers.holds_result IS 'The reader holds the result of a payment that the app has not fetched; null if it never reported that.';
COMMENT ON COLUMN readers.mandatory_due IS 'A mandatory update was found and not installed.';
COMMENT ON COLUMN readers.errors IS 'The kinds of errors it reported.';
COMMENT ON COLUMN readers.view IS 'The reader as JSON.';
CREATE UNIQUE INDEX readers_by_position ON readers (tenant, first_position DESC, vendor, serial);
CREATE INDEX readers_by_payment ON readers (payment) WHERE payment IS NOT NULL;

-- The other names of readers.
CREATE TABLE names (
    tenant text NOT NULL,
    vendor text NOT NULL,
    name   text NOT NULL,
    serial text NOT NULL,
    PRIMARY KEY (tenant, vendor, name)
);
COMMENT ON TABLE names IS 'One row for each further name of a reader, in the form of a stream''s name.';
COMMENT ON COLUMN names.serial IS 'The reader''s name in the table readers.';
CREATE INDEX names_by_reader ON names (tenant, vendor, serial);
