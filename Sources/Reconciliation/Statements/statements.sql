-- Statements of processors and banks.
CREATE TABLE statements (
    tenant          text        NOT NULL,
    id              uuid        NOT NULL,
    format          text        NOT NULL,
    side            text        NOT NULL,
    name            text,
    digest          text        NOT NULL,
    status          text        NOT NULL,
    bytes           bigint      NOT NULL,
    lines           bigint      NOT NULL,
    repeated        bigint      NOT NULL DEFAULT 0,
    controls        bigint      NOT NULL,
    failed_controls bigint      NOT NULL,
    notes           bigint      NOT NULL,
    first_day       date,
    last_day        date,
    first_position  bigint      NOT NULL,
    last_position   bigint      NOT NULL,
    imported        bigint,
    withdrawn       bigint,
    began_at        timestamptz NOT NULL,
    imported_at     timestamptz,
    imported_by     text        NOT NULL,
    withdrawn_at    timestamptz,
    withdrawn_by    text,
    withdrawal      text,
    view            json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE statements IS 'One row for each statement file.';
COMMENT ON COLUMN statements.status IS
    'importing until every part of the file is recorded, then imported; withdrawn once an operator has withdrawn it.';
COMMENT ON COLUMN statements.repeated IS 'The number of lines that were in an earlier file that was not withdrawn.';
COMMENT ON COLUMN statements.imported IS 'The position from which its lines count.';
COMMENT ON COLUMN statements.withdrawn IS 'The position from which its lines no longer count.';
COMMENT ON COLUMN statements.withdrawal IS 'The reason for the withdrawal.';
COMMENT ON COLUMN statements.view IS 'The facts about the file after it was read, as JSON.';
CREATE INDEX statements_by_position ON statements (tenant, first_position DESC);
CREATE INDEX statements_by_format ON statements (tenant, format, first_position DESC);
CREATE INDEX statements_withdrawn ON statements (tenant) WHERE status = 'withdrawn';

CREATE TABLE lines (
    tenant         text        NOT NULL,
    id             uuid        NOT NULL,
    statement      uuid        NOT NULL,
    number         bigint      NOT NULL,
    position       bigint      NOT NULL,
    side           text        NOT NULL,
    type           text        NOT NULL,
    role       text        NOT NULL,
    line_group     text,
    currency       text        NOT NULL,
    gross          bigint,
    fees           bigint,
    net            bigint,
    amount         bigint,
    paid           bigint,
    paid_currency  text,
    occurred_at    timestamptz,
    day            date,
    processor_id   text,
    related_id     text,
    rrn            text,
    auth_code      text,
    trace          text,
    arn            text,
    invoice        text,
    merchant       text,
    terminal       text,
    batch          text,
    last_four      text,
    brand          text,
    payout         text,
    bank_reference text,
    account        text,
    end_to_end     text,
    party          text,
    names          text[],
    words          text[],
    revision       bigint,
    view           json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE lines IS 'Each line once, whatever the number of files with it: its id is derived from its content.';
COMMENT ON COLUMN lines.statement IS 'The first file with the line that was not withdrawn.';
COMMENT ON COLUMN lines.line_group IS 'The group in that file; number is the line number in that file.';
COMMENT ON COLUMN lines.position IS 'The position of the event that first reported the line.';
COMMENT ON COLUMN lines.amount IS 'The amount moved on the line''s account, in minor units; positive when the merchant receives the money.';
COMMENT ON COLUMN lines.party IS 'The payer or payee of a bank transfer, in upper case.';
COMMENT ON COLUMN lines.names IS
    'The ids and references by which the other side may name a payout or a transfer, in upper case.';
COMMENT ON COLUMN lines.revision IS 'The revision of a payout that is reported again when it changes: the highest one holds.';
COMMENT ON COLUMN lines.words IS 'The words in the text and references of a bank transfer, in upper case.';
COMMENT ON COLUMN lines.day IS 'The day of the transaction, else of its booking, else its value date.';
CREATE INDEX lines_by_processor_id ON lines (tenant, processor_id) WHERE processor_id IS NOT NULL;
CREATE INDEX lines_by_rrn ON lines (tenant, rrn) WHERE rrn IS NOT NULL;
CREATE INDEX lines_by_code ON lines (tenant, auth_code) WHERE auth_code IS NOT NULL;
CREATE INDEX lines_by_invoice ON lines (tenant, invoice) WHERE invoice IS NOT NULL;
CREATE INDEX lines_by_related_id ON lines (tenant, related_id) WHERE related_id IS NOT NULL;
CREATE INDEX lines_by_trace ON lines (tenant, trace) WHERE trace IS NOT NULL;
CREATE INDEX lines_by_terminal ON lines (tenant, terminal) WHERE terminal IS NOT NULL;
CREATE INDEX lines_by_batch ON lines (tenant, batch, id) WHERE batch IS NOT NULL;
CREATE INDEX lines_by_position ON lines (tenant, position);
CREATE INDEX lines_by_day ON lines (tenant, side, day);
CREATE INDEX lines_of_payouts ON lines (tenant, day) WHERE type IN ('payout', 'payout-return');
CREATE INDEX lines_by_payout ON lines (tenant, payout, id) WHERE payout IS NOT NULL;

-- Balances that are carried over are compared by their amounts without fees.
CREATE INDEX lines_carried ON lines (tenant, currency, (coalesce(amount, 0)::numeric - coalesce(fees, 0)))
    WHERE side = 'processor' AND type = 'transfer';

-- Payouts and bank transfers are few among the lines.
CREATE INDEX lines_transfers ON lines (tenant, position, id)
    WHERE side = 'bank' OR type IN ('payout', 'payout-return', 'deposit', 'withdrawal', 'transfer');

-- The words by which a payout and a transfer are compared.
CREATE INDEX lines_by_name ON lines USING gin (names) WHERE names IS NOT NULL;
CREATE INDEX lines_by_word ON lines USING gin (words) WHERE words IS NOT NULL;
CREATE INDEX lines_transfers_by_amount ON lines (tenant, currency, amount) WHERE names IS NOT NULL;

CREATE TABLE placements (
    tenant    text   NOT NULL,
    statement uuid   NOT NULL,
    number    bigint NOT NULL,
    line      uuid   NOT NULL,
    line_group text,
    PRIMARY KEY (tenant, statement, number)
);
COMMENT ON TABLE placements IS 'The lines of each file.';
COMMENT ON COLUMN placements.number IS 'The line number within the file, counted from 1.';
COMMENT ON COLUMN placements.line_group IS
    'The group of a total and its parts in this file; another file may have the total alone.';
CREATE INDEX placements_by_line ON placements (tenant, line);
CREATE INDEX placements_by_group ON placements (tenant, statement, line_group) WHERE line_group IS NOT NULL;

CREATE TABLE reach (
    tenant    text NOT NULL,
    statement uuid NOT NULL,
    merchant  text NOT NULL,
    day       date NOT NULL,
    PRIMARY KEY (tenant, statement, merchant)
);
COMMENT ON TABLE reach IS 'The newest day of a processor file''s lines, by the merchant that they name.';
COMMENT ON COLUMN reach.merchant IS 'Empty for lines that name no merchant.';

CREATE TABLE controls (
    tenant    text   NOT NULL,
    statement uuid   NOT NULL,
    position  bigint NOT NULL,
    place     bigint NOT NULL,
    kind      text   NOT NULL,
    name      text   NOT NULL,
    scope     text   NOT NULL,
    stated    bigint NOT NULL,
    computed  bigint,
    currency  text,
    line      bigint NOT NULL,
    holds     boolean NOT NULL,
    PRIMARY KEY (tenant, statement, position, place)
);
COMMENT ON TABLE controls IS 'Totals, counts and balances stated in a file, and the same figures computed from its parts.';
COMMENT ON COLUMN controls.place IS 'The place within the event at the position.';
CREATE INDEX controls_failed ON controls (tenant, statement) WHERE NOT holds;

CREATE TABLE notes (
    tenant    text   NOT NULL,
    statement uuid   NOT NULL,
    position  bigint NOT NULL,
    place     bigint NOT NULL,
    code      text   NOT NULL,
    line      bigint NOT NULL,
    detail    text   NOT NULL,
    PRIMARY KEY (tenant, statement, position, place)
);
COMMENT ON TABLE notes IS 'Notes about ambiguous or unrecognised content.';
