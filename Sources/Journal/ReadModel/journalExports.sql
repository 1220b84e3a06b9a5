-- The exports of the journal. Their files are written again from the entries.
CREATE TABLE exports (
    tenant   text        NOT NULL,
    id       uuid        NOT NULL,
    format   text        NOT NULL,
    position bigint      NOT NULL,
    at       timestamptz NOT NULL,
    actor    text        NOT NULL,
    details  json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE exports IS 'The exports of the journal.';
COMMENT ON COLUMN exports.position IS 'The position of the event.';
COMMENT ON COLUMN exports.details IS 'The data of the event: the positions of the file, its size and digest.';
CREATE INDEX exports_by_position ON exports (tenant, position);
