-- How far the read models have come. Their tables live in schemas of their own, made by their owners.

CREATE SCHEMA projection;
COMMENT ON SCHEMA projection IS 'Bookkeeping of the read models. Everything they hold can be rebuilt from the log.';

CREATE TABLE projection.checkpoints (
    name           text        NOT NULL,
    is_live        boolean     NOT NULL,
    version        int         NOT NULL,
    position       bigint      NOT NULL CHECK (position >= 0),
    fault          text,
    fault_position bigint,
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, is_live)
);
COMMENT ON TABLE projection.checkpoints IS 'One row for each live read model, and one for each that is being rebuilt beside it.';
COMMENT ON COLUMN projection.checkpoints.version IS 'Version of the rules the rows were made by.';
COMMENT ON COLUMN projection.checkpoints.position IS 'Everything up to here is in the rows; moved in the transaction that writes them.';
COMMENT ON COLUMN projection.checkpoints.fault IS 'Why the read model has halted; null while it runs.';

CREATE TABLE projection.processes (
    name       text        PRIMARY KEY,
    position   bigint      NOT NULL CHECK (position >= 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE projection.processes IS
    'How far each process has followed the log that answers events with further events. What it appends carries an '
    'idempotency key made of the event it answers, so that a step taken twice appends once.';
