-- Tables for the execution of replay plans. They contain no facts: the queue is computed from the log.

CREATE SCHEMA replay;
COMMENT ON SCHEMA replay IS 'Tables for the execution of replay plans.';

CREATE TABLE replay.queue (
    tenant       text        NOT NULL,
    plan         uuid        NOT NULL,
    item         bigint      NOT NULL,
    tries        integer     NOT NULL DEFAULT 0,
    not_before   timestamptz NOT NULL,
    lease        uuid,
    leased_until timestamptz,
    PRIMARY KEY (tenant, plan, item),
    CHECK ((lease IS NULL) = (leased_until IS NULL))
);
COMMENT ON TABLE replay.queue IS
    'The items of running plans that have not ended, computed from the log. A worker leases an item. A lease only saves '
    'work: the version of the payment''s stream ensures that an item is executed once.';
COMMENT ON COLUMN replay.queue.tries IS 'The number of times that a worker began the item.';
CREATE INDEX queue_by_lease ON replay.queue (tenant, plan, lease) WHERE lease IS NOT NULL;

CREATE TABLE replay.card_tokens (
    tenant      text        NOT NULL,
    transaction uuid        NOT NULL,
    sealed      bytea       NOT NULL CHECK (octet_length(sealed) BETWEEN 29 AND 1024),
    kept_until  timestamptz NOT NULL,
    PRIMARY KEY (tenant, transaction)
);
COMMENT ON TABLE replay.card_tokens IS
    'The token of a payment''s card at its gateway, for resubmissions. Never a card number; '
    'sealed with a key that is not in the database (AES-256-GCM, bound to tenant and payment), and kept for a time.';
CREATE INDEX card_tokens_by_time ON replay.card_tokens (kept_until);

ALTER SCHEMA replay OWNER TO daybook_owner;
ALTER TABLE replay.queue OWNER TO daybook_owner;
ALTER TABLE replay.card_tokens OWNER TO daybook_owner;
GRANT USAGE ON SCHEMA replay TO daybook_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON replay.queue, replay.card_tokens TO daybook_service;
