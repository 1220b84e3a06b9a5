-- What processors and banks say.
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
    'importing until every part of the file is recorded, then imported, and withdrawn where somebody has taken it back.';
COMMENT ON COLUMN statements.repeated IS 'Lines that stood in a file imported before, which had not been withdrawn.';
COMMENT ON COLUMN statements.imported IS 'The position from which on its lines counted.';
COMMENT ON COLUMN statements.withdrawn IS 'The position since which they do not count any more.';
COMMENT ON COLUMN statements.withdrawal IS 'Why it was withdrawn.';
COMMENT ON COLUMN statements.view IS 'What was known of the file when it had been read, as JSON.';
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
COMMENT ON TABLE lines IS 'Each line once, whatever files it stands in: its id follows from what it says.';
COMMENT ON COLUMN lines.statement IS 'The file it was told in first, of those that were not withdrawn.';
COMMENT ON COLUMN lines.line_group IS 'As that file has it, like its number.';
COMMENT ON COLUMN lines.position IS 'Of the event that told it first.';
COMMENT ON COLUMN lines.amount IS 'What it moves on its account, in minor units; above zero is to the merchant.';
COMMENT ON COLUMN lines.party IS 'Who paid or was paid, in upper case; of transfers at banks.';
COMMENT ON COLUMN lines.names IS
    'What the other side may call a payout or a transfer, in upper case: its id, its references.';
COMMENT ON COLUMN lines.revision IS 'Of a payout that is told again when it changes: the highest one holds.';
COMMENT ON COLUMN lines.words IS 'The words of the text and the references of a transfer at a bank, in upper case.';
COMMENT ON COLUMN lines.day IS 'Of the transaction, else of its booking, else of its value.';
CREATE INDEX lines_by_processor_id ON lines (tenant, processor_id) WHERE processor_id IS NOT NULL;
CREATE INDEX lines_by_rrn ON lines (tenant, rrn) WHERE rrn IS NOT NULL;
CREATE INDEX lines_by_code ON lines (tenant, auth_code) WHERE auth_code IS NOT NULL;
CREATE INDEX lines_by_invoice ON lines (tenant, invoice) WHERE invoice IS NOT NULL;
CREATE INDEX lines_by_related_id ON lines (tenant, related_id) WHERE related_id IS NOT NULL;
CREATE INDEX lines_by_trace ON lines (tenant, trace) WHERE trace IS NOT NULL;
CREATE INDEX lines_by_batch ON lines (tenant, batch, id) WHERE batch IS NOT NULL;
CREATE INDEX lines_by_position ON lines (tenant, position);
CREATE INDEX lines_by_day ON lines (tenant, side, day);
CREATE INDEX lines_of_payouts ON lines (tenant, day) WHERE type IN ('payout', 'payout-return');
CREATE INDEX lines_by_payout ON lines (tenant, payout, id) WHERE payout IS NOT NULL;

-- Payouts and transfers at banks are few among the lines.
CREATE INDEX lines_transfers ON lines (tenant, position, id) WHERE side = 'bank' OR type IN ('payout', 'payout-return');

-- What a payout and a transfer may have in common.
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
COMMENT ON TABLE placements IS 'Which line stands where in which file.';
COMMENT ON COLUMN placements.number IS 'Lines of the file are counted from 1.';
COMMENT ON COLUMN placements.line_group IS
    'What a total and its parts have in common in this file: another one may have the total alone.';
CREATE INDEX placements_by_line ON placements (tenant, line);
CREATE INDEX placements_by_group ON placements (tenant, statement, line_group) WHERE line_group IS NOT NULL;

CREATE TABLE reach (
    tenant    text NOT NULL,
    statement uuid NOT NULL,
    merchant  text NOT NULL,
    day       date NOT NULL,
    PRIMARY KEY (tenant, statement, merchant)
);
COMMENT ON TABLE reach IS 'How far the lines of a processor''s file come, by the merchant they name.';
COMMENT ON COLUMN reach.merchant IS 'Empty for lines that name none.';

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
COMMENT ON TABLE controls IS 'Totals, counts and balances that stand in a file, and what its parts come to.';
COMMENT ON COLUMN controls.place IS 'Within the event at the position.';
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
COMMENT ON TABLE notes IS 'What was read in one of several ways, or not understood.';
