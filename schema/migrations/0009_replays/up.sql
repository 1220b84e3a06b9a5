-- What plans of replays are carried out with. Nothing here is a fact: the queue follows from the log.

CREATE SCHEMA replay;
COMMENT ON SCHEMA replay IS 'What replays are carried out with.';

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
    'Items of plans that run and have not ended. Made of the log, and made again where it is empty; who works on an item has '
    'it leased. A lease keeps two from doing the same work, and nothing more: that an item acts once is decided by the '
    'version of the payment''s stream.';
COMMENT ON COLUMN replay.queue.tries IS 'How often somebody has begun with it.';
CREATE INDEX queue_by_lease ON replay.queue (tenant, plan, lease) WHERE lease IS NOT NULL;

CREATE TABLE replay.card_tokens (
    tenant      text        NOT NULL,
    transaction uuid        NOT NULL,
    sealed      bytea       NOT NULL CHECK (octet_length(sealed) BETWEEN 29 AND 1024),
    kept_until  timestamptz NOT NULL,
    PRIMARY KEY (tenant, transaction)
);
COMMENT ON TABLE replay.card_tokens IS
    'What stands for the card of a payment at its gateway, so that the payment can be asked for again. Never a card number; '
    'sealed with a key that is not in the database (AES-256-GCM, bound to tenant and payment), and kept for a time.';
CREATE INDEX card_tokens_by_time ON replay.card_tokens (kept_until);

ALTER SCHEMA replay OWNER TO daybook_owner;
ALTER TABLE replay.queue OWNER TO daybook_owner;
ALTER TABLE replay.card_tokens OWNER TO daybook_owner;
GRANT USAGE ON SCHEMA replay TO daybook_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON replay.queue, replay.card_tokens TO daybook_service;
