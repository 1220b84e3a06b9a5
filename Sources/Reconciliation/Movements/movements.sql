-- The ledger's side of a reconciliation: each amount of money of each payment, and the ids by which a statement may
-- name it.
CREATE TABLE movements (
    tenant      text        NOT NULL,
    transaction uuid        NOT NULL,
    line        text        NOT NULL,
    position    bigint      NOT NULL,
    type        text        NOT NULL,
    status      text        NOT NULL,
    vendor      text,
    currency    text        NOT NULL,
    amount      bigint      NOT NULL,
    occurred_at timestamptz NOT NULL,
    day         date        NOT NULL,
    gateway_id  text,
    host_id     text,
    vendor_id   text,
    origin_id   text,
    rrn         text,
    auth_code   text,
    invoice     text,
    reference   text,
    merchant    text,
    terminal    text,
    batch       text,
    last_four   text,
    brand       text,
    tender      text,
    paid        boolean     NOT NULL DEFAULT false,
    terminals   text[],
    PRIMARY KEY (tenant, transaction, line)
);
COMMENT ON TABLE movements IS 'Each current capture, refund and credit, and one row for each payment without one.';
COMMENT ON COLUMN movements.line IS 'The line''s name within the payment, as in the members of batches; empty for a payment without money.';
COMMENT ON COLUMN movements.position IS 'The position of the payment''s newest event.';
COMMENT ON COLUMN movements.type IS 'sale, capture, refund or credit; none for a payment without money.';
COMMENT ON COLUMN movements.status IS 'The status of the payment.';
COMMENT ON COLUMN movements.amount IS 'Minor units without voided amounts, positive when the merchant receives the money; for a payment without money, the requested amount.';
COMMENT ON COLUMN movements.day IS 'The day of the movement: of its local time if the terminal or vendor printed one, else in UTC.';
COMMENT ON COLUMN movements.tender IS 'The tender in lower case; no acquirer settles gift, loyalty and benefit cards, cash and checks.';
COMMENT ON COLUMN movements.paid IS 'Whether a deposit that was reported for the payment has paid it.';
COMMENT ON COLUMN movements.terminals IS 'The app''s name of the terminal that moved the money, and then the gateway''s; NULL if neither is known, as for a refund that names none.';
COMMENT ON COLUMN movements.gateway_id IS 'The gateway''s id; for a refund, its own id if it has one.';
COMMENT ON COLUMN movements.origin_id IS 'For a refund: the gateway''s id of the refunded payment.';
CREATE TABLE chargebacks (
    tenant          text        NOT NULL,
    transaction     uuid        NOT NULL,
    id              text        NOT NULL,
    place           bigint      NOT NULL,
    currency        text        NOT NULL,
    amount          bigint      NOT NULL,
    reversal        text,
    reversal_line   uuid,
    dispute         uuid        NOT NULL,
    status          text        NOT NULL,
    reported_at     timestamptz NOT NULL,
    merchant        text,
    vendor          text,
    reason_code     text,
    respond_by      text,
    represented_at  timestamptz,
    representations bigint      NOT NULL,
    closed_at       timestamptz,
    version         bigint      NOT NULL,
    paid            boolean     NOT NULL,
    PRIMARY KEY (tenant, transaction, id)
);
COMMENT ON TABLE chargebacks IS 'The chargebacks that payments have recorded, with their disputes.';
COMMENT ON COLUMN chargebacks.dispute IS 'The id of the dispute: a digest of the payment and the chargeback.';
COMMENT ON COLUMN chargebacks.status IS 'open, represented, won, lost or reversed.';
COMMENT ON COLUMN chargebacks.respond_by IS 'The last day on which the merchant can answer: 2026-03-31.';
COMMENT ON COLUMN chargebacks.version IS 'The version of the payment''s stream.';
COMMENT ON COLUMN chargebacks.paid IS 'Whether deposits that were reported for the payment were reduced by it.';
COMMENT ON COLUMN chargebacks.place IS 'The place among the chargebacks of the payment, in the order of their reports.';
COMMENT ON COLUMN chargebacks.reversal_line IS 'The statement line that reports the reversal; NULL if the file of its own line was withdrawn.';
COMMENT ON COLUMN chargebacks.reversal IS 'The evidence that reports it as reversed; NULL while it holds.';
COMMENT ON COLUMN chargebacks.id IS 'The id within the payment: of a chargeback that a statement reported, the id of its line.';

CREATE INDEX chargebacks_by_dispute ON chargebacks (tenant, dispute);
CREATE INDEX chargebacks_by_time ON chargebacks (tenant, reported_at, dispute);
CREATE INDEX movements_by_position ON movements (tenant, position);
CREATE INDEX movements_by_day ON movements (tenant, day);
CREATE INDEX movements_by_gateway ON movements (tenant, gateway_id) WHERE gateway_id IS NOT NULL;
CREATE INDEX movements_by_host ON movements (tenant, host_id) WHERE host_id IS NOT NULL;
CREATE INDEX movements_by_vendor_id ON movements (tenant, vendor_id) WHERE vendor_id IS NOT NULL;
CREATE INDEX movements_by_origin ON movements (tenant, origin_id) WHERE origin_id IS NOT NULL;
CREATE INDEX movements_by_rrn ON movements (tenant, rrn) WHERE rrn IS NOT NULL;
CREATE INDEX movements_by_code ON movements (tenant, auth_code, last_four) WHERE auth_code IS NOT NULL;
CREATE INDEX movements_by_invoice ON movements (tenant, invoice) WHERE invoice IS NOT NULL;
CREATE INDEX movements_by_reference ON movements (tenant, reference) WHERE reference IS NOT NULL;
CREATE INDEX movements_by_batch ON movements (tenant, batch) WHERE batch IS NOT NULL;
