-- The queue of anomalies.
CREATE TABLE anomalies (
    tenant           text        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    stream           text        NOT NULL,
    kind             text        NOT NULL,
    explanation      text        NOT NULL,
    related          text[],
    in_doubt         text,
    refund           text,
    vendor           text,
    merchant         text,
    terminal         text,
    occurred_at      timestamptz NOT NULL,
    recorded_at      timestamptz NOT NULL,
    acknowledged     bigint,
    acknowledged_by  text,
    acknowledged_at  timestamptz,
    reason           text,
    cleared          bigint,
    state            text        NOT NULL GENERATED ALWAYS AS (
        CASE WHEN cleared IS NOT NULL THEN 'cleared' WHEN acknowledged IS NOT NULL THEN 'acknowledged' ELSE 'open' END
    ) STORED,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE anomalies IS 'Every anomaly that was raised, and whether it was acknowledged or cleared.';
COMMENT ON COLUMN anomalies.id IS 'The id of the event that raised it.';
COMMENT ON COLUMN anomalies.in_doubt IS 'The subject of a follow-up in doubt.';
COMMENT ON COLUMN anomalies.refund IS 'The refund whose void is in doubt; null means any.';
COMMENT ON COLUMN anomalies.merchant IS 'As far as known when the anomaly was raised; the same holds for vendor and terminal.';
COMMENT ON COLUMN anomalies.acknowledged IS 'The position of the event with which an operator acknowledged it.';
COMMENT ON COLUMN anomalies.cleared IS 'The position of the later evidence that explained it.';
CREATE INDEX anomalies_by_position ON anomalies (tenant, position DESC);
CREATE INDEX anomalies_by_state ON anomalies (tenant, state, position DESC);
CREATE INDEX anomalies_by_kind ON anomalies (tenant, kind, position DESC);
CREATE INDEX anomalies_by_vendor ON anomalies (tenant, vendor, position DESC);
CREATE INDEX anomalies_by_merchant ON anomalies (tenant, merchant, position DESC);
CREATE INDEX anomalies_by_time ON anomalies (tenant, occurred_at);
CREATE INDEX anomalies_uncleared ON anomalies (tenant, stream) WHERE cleared IS NULL;
