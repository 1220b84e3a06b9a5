-- What of statements the journal needs to know: lines and exceptions as they are now.
CREATE TABLE files (
    tenant    text NOT NULL,
    id        uuid NOT NULL,
    side      text NOT NULL,
    processor text NOT NULL,
    counts    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE files IS 'The files of statements.';
COMMENT ON COLUMN files.counts IS 'Whether it is imported completely and not withdrawn.';
COMMENT ON COLUMN files.processor IS 'The format of the file, which is its processor''s.';

CREATE TABLE journal_lines (
    tenant        text   NOT NULL,
    id            uuid   NOT NULL,
    statement     uuid,
    side          text   NOT NULL,
    processor     text   NOT NULL,
    type          text   NOT NULL,
    currency      text   NOT NULL,
    gross         numeric NOT NULL,
    amount        bigint NOT NULL,
    fee           json,
    paid          bigint,
    paid_currency text,
    day           date,
    merchant      text,
    terminal      text,
    brand         text,
    payout        text,
    revision      bigint,
    files         int    NOT NULL DEFAULT 0,
    listed        int    NOT NULL DEFAULT 0,
    newer         int    NOT NULL DEFAULT 0,
    links         int    NOT NULL DEFAULT 0,
    link_account  text   NOT NULL DEFAULT 'processor-receivable',
    link_part     text   NOT NULL DEFAULT '',
    shares        jsonb,
    exceptions    int    NOT NULL DEFAULT 0,
    exception_account text NOT NULL DEFAULT 'processor-receivable',
    exception_part text  NOT NULL DEFAULT '',
    match         uuid,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE journal_lines IS 'The lines of statements that move money.';
COMMENT ON COLUMN journal_lines.gross IS 'The amount without fees, in minor units.';
COMMENT ON COLUMN journal_lines.statement IS 'The first file with the line; NULL for a part of a total, which counts only where its total is listed.';
COMMENT ON COLUMN journal_lines.files IS 'The number of counted files with the line, without `statement`: a file that begins to count changes no line that only it has.';
COMMENT ON COLUMN journal_lines.listed IS 'The number of counted files that list the parts of a total of payments: of the total, only its fees count.';
COMMENT ON COLUMN journal_lines.newer IS 'The number of counted lines that report the same payout with a higher revision.';
COMMENT ON COLUMN journal_lines.links IS 'The number of links to movements, or of a bank''s line to payouts.';
COMMENT ON COLUMN journal_lines.link_account IS 'The account in which the ledger had the money of the first linked movement, or that of a posting rule, with link_part.';
COMMENT ON COLUMN journal_lines.shares IS 'What of the money is in other accounts than link_account, as [{"account", "part", "amount"}]: that of other linked movements, and in rounding the difference that a rule accepted.';
COMMENT ON COLUMN journal_lines.exceptions IS 'The number of exceptions about the line that are not cleared.';
COMMENT ON COLUMN journal_lines.exception_account IS 'The account in which the ledger had the money of the payment that the first exception names, with exception_part.';
COMMENT ON COLUMN journal_lines.match IS 'The id that payouts and transfers which explain each other share: the smallest id of the payouts.';
CREATE INDEX journal_lines_revised ON journal_lines (tenant, payout, type) WHERE revision IS NOT NULL;

CREATE TABLE journal_links (
    tenant      text NOT NULL,
    line        uuid NOT NULL,
    transaction uuid NOT NULL,
    movement    text COLLATE "C" NOT NULL,
    pays        boolean NOT NULL,
    account     text,
    part        text,
    amount      numeric,
    PRIMARY KEY (tenant, line, transaction, movement)
);
COMMENT ON TABLE journal_links IS 'The movements that lines are matched with.';
COMMENT ON COLUMN journal_links.pays IS 'Whether the payment took the money, or gave a credit: a refund or chargeback does not show that it was paid out.';
COMMENT ON COLUMN journal_links.account IS 'The account in which the ledger had the money of the movement when it was matched, with part; NULL if it is not known.';
COMMENT ON COLUMN journal_links.amount IS 'The money of the movement in minor units, as it was then.';
CREATE INDEX journal_links_by_payment ON journal_links (tenant, transaction);

CREATE TABLE journal_placements (
    tenant     text NOT NULL,
    statement  uuid NOT NULL,
    line       uuid NOT NULL,
    role       text NOT NULL,
    line_group text,
    PRIMARY KEY (tenant, statement, line)
);
COMMENT ON TABLE journal_placements IS 'The lines of each file.';
CREATE INDEX journal_placements_by_group ON journal_placements (tenant, statement, line_group) WHERE line_group IS NOT NULL;

CREATE TABLE journal_exceptions (
    tenant      text   NOT NULL,
    id          uuid   NOT NULL,
    account     text   NOT NULL,
    part        text   NOT NULL,
    currency    text,
    amount      bigint,
    day         date,
    merchant    text,
    terminal    text,
    line        uuid,
    transaction uuid,
    state       text   NOT NULL,
    raised      bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE journal_exceptions IS 'The exceptions that were raised.';
COMMENT ON COLUMN journal_exceptions.account IS 'The account that has the money without an explanation.';
COMMENT ON COLUMN journal_exceptions.raised IS 'The position at which it was last raised: a decision about earlier evidence does not hold.';
COMMENT ON COLUMN journal_exceptions.state IS 'open, written-off, resolved otherwise, cleared, or closed: resolved and then cleared, so that an operator may open it again.';
