-- The progress of the read models. Their tables are in separate schemas, which the service creates.

CREATE SCHEMA projection;
COMMENT ON SCHEMA projection IS 'The progress of the read models, which can be rebuilt from the log.';

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
COMMENT ON TABLE projection.checkpoints IS 'One row for each live read model, and one for each running rebuild.';
COMMENT ON COLUMN projection.checkpoints.version IS 'The version of the rules by which the rows were computed.';
COMMENT ON COLUMN projection.checkpoints.position IS 'The last applied position; moved in the transaction that writes the rows.';
COMMENT ON COLUMN projection.checkpoints.fault IS 'The reason why the read model has halted; null while it runs.';

CREATE TABLE projection.processes (
    name       text        PRIMARY KEY,
    position   bigint      NOT NULL CHECK (position >= 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE projection.processes IS
    'The progress of each process that follows the log and appends further events. Their idempotency keys are '
    'computed from the followed event, so that a repeated step appends once.';
