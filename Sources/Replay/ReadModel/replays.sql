-- Plans to resubmit payments and follow-ups to gateways, and the items of each plan.
CREATE TABLE plans (
    tenant         text        NOT NULL,
    id             uuid        NOT NULL,
    first_position bigint      NOT NULL,
    last_position  bigint      NOT NULL,
    version        bigint      NOT NULL,
    status         text        NOT NULL,
    expires_at     timestamptz NOT NULL,
    items          bigint      NOT NULL,
    planned_items           bigint      NOT NULL,
    actionable     bigint      NOT NULL,
    attempted      bigint      NOT NULL,
    posted         bigint      NOT NULL,
    declined       bigint      NOT NULL,
    already_posted bigint      NOT NULL,
    moved_on       bigint      NOT NULL,
    needs_person   bigint      NOT NULL,
    unknown        bigint      NOT NULL,
    planning       json        NOT NULL,
    approval       json,
    approved_at    timestamptz,
    note           text,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE plans IS 'Every plan, as of its newest event.';
COMMENT ON COLUMN plans.items IS 'The number of items that the plan announced; planned_items is the number recorded.';
COMMENT ON COLUMN plans.planning IS 'The data of the planning event, including the rules.';
COMMENT ON COLUMN plans.posted IS 'The number of items that ended in this way; the following columns count the other ways.';
CREATE INDEX plans_by_position ON plans (tenant, first_position DESC);
CREATE INDEX plans_by_status ON plans (tenant, status, first_position DESC);
-- The plans that an executor may have to work on.
CREATE INDEX plans_at_work ON plans (tenant, id) WHERE status IN ('running', 'paused', 'stopped');

CREATE TABLE items (
    tenant      text   NOT NULL,
    plan        uuid   NOT NULL,
    number      bigint NOT NULL,
    transaction uuid   NOT NULL,
    operation   text   NOT NULL,
    disposition text   NOT NULL,
    rule        text   NOT NULL,
    item        json   NOT NULL,
    reference   text,
    attempted   bigint,
    ended       bigint,
    outcome     text,
    ended_rule  text,
    detail      text,
    PRIMARY KEY (tenant, plan, number)
);
COMMENT ON TABLE items IS 'The judgement of each payment, and the outcome of its item.';
COMMENT ON COLUMN items.attempted IS 'The position of the event recorded before the attempt; ended is the position of the item''s end.';
CREATE INDEX items_by_transaction ON items (tenant, transaction);
CREATE INDEX items_by_disposition ON items (tenant, plan, disposition, number);
CREATE INDEX items_by_outcome ON items (tenant, plan, outcome, number) WHERE outcome IS NOT NULL;
