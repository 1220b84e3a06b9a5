-- The input and the results of one run. Dropped with the transaction.
CREATE TEMPORARY TABLE scope_transactions (transaction uuid PRIMARY KEY, round int NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE scope_lines (line uuid PRIMARY KEY, round int NOT NULL) ON COMMIT DROP;

-- The names of merchants that have a better one, which replaces them in the following tables.
CREATE TEMPORARY TABLE merchant_names (
    name text COLLATE "C" PRIMARY KEY, best text COLLATE "C" NOT NULL
) ON COMMIT DROP;

-- The names of merchants and terminals that payments use; of merchants only the best ones, with their role.
CREATE TEMPORARY TABLE known_merchants (name text COLLATE "C" PRIMARY KEY, role text NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE known_terminals (name text COLLATE "C" PRIMARY KEY) ON COMMIT DROP;

-- The progress of the accounts that may explain a merchant's money, in this run and in the previous one. The row
-- without a merchant is for merchants that no line names.
CREATE TEMPORARY TABLE reached (merchant text COLLATE "C", day date, before date) ON COMMIT DROP;

-- The ledger's side, from the read model movements. `n` numbers the rows: an identity takes half the time of a window.
-- `named` is the merchant's name in the movement if it is not the best one, as for lines.
CREATE TEMPORARY TABLE m0 (
    n bigint GENERATED ALWAYS AS IDENTITY (CACHE 1000),
    transaction uuid, line text COLLATE "C", type text, status text, currency text COLLATE "C", amount bigint,
    day date, gateway_id text COLLATE "C", host_id text COLLATE "C", vendor_id text COLLATE "C", origin_id text COLLATE "C",
    rrn text COLLATE "C", auth_code text COLLATE "C", invoice text COLLATE "C", reference text COLLATE "C",
    merchant text COLLATE "C", terminal text COLLATE "C", batch text COLLATE "C", last_four text COLLATE "C", brand text,
    tender text, named text COLLATE "C", terminals text[] COLLATE "C"
) ON COMMIT DROP;
-- Payments that moved no money are few, and so are lines that are not money: their statements read no other rows.
CREATE INDEX ON m0 (status) WHERE type = 'none';

-- The processor's side. kind: money; nothing (a void, an authorization, or a line that moves no money); chargeback;
-- total; unexplained (no payment: a posting rule, a contract or another line explains it); carried (a balance that is
-- carried over); fee (one that another file may report, too).
CREATE TEMPORARY TABLE l0 (
    n bigint GENERATED ALWAYS AS IDENTITY (CACHE 1000),
    id uuid, type text, kind text, currency text COLLATE "C", amount bigint, day date,
    processor_id text COLLATE "C", related_id text COLLATE "C", rrn text COLLATE "C", auth_code text COLLATE "C",
    trace text COLLATE "C", invoice text COLLATE "C", merchant text COLLATE "C", terminal text COLLATE "C",
    batch text COLLATE "C", last_four text COLLATE "C", brand text, fees bigint, gross bigint, line_currency text,
    has_parts boolean, named text COLLATE "C"
) ON COMMIT DROP;
CREATE INDEX ON l0 (kind) WHERE kind <> 'money';

CREATE TEMPORARY TABLE link (
    l bigint, m bigint, rule int, match uuid, line uuid, transaction uuid, movement text COLLATE "C", days int
) ON COMMIT DROP;

-- The lines that the posting rule with this index explains; the index after the last one is that of carried balances.
CREATE TEMPORARY TABLE posting (l bigint, line uuid, rule int) ON COMMIT DROP;
CREATE INDEX ON posting (l);

-- The lines about chargebacks of one payment, and those that the payment has recorded.
CREATE TEMPORARY TABLE dispute (
    n bigint, id uuid, m bigint, transaction uuid, type text, currency text, amount bigint, day date, names text,
    is_repeated boolean NOT NULL DEFAULT false
) ON COMMIT DROP;
CREATE TEMPORARY TABLE chargeback_link (line uuid, transaction uuid, movement text) ON COMMIT DROP;

-- Fees that an earlier file reports, too.
CREATE TEMPORARY TABLE repeated (l bigint, earlier bigint) ON COMMIT DROP;
CREATE INDEX ON repeated (l);

-- The halves of exchanges whose other half is there.
CREATE TEMPORARY TABLE exchange (l bigint) ON COMMIT DROP;
CREATE INDEX ON exchange (l);

-- The unmatched lines and movements.
CREATE TEMPORARY TABLE lo (LIKE l0) ON COMMIT DROP;
CREATE TEMPORARY TABLE mo (LIKE m0) ON COMMIT DROP;

-- Pairs with equal keys of a rule.
CREATE TEMPORARY TABLE near (l bigint, m bigint, rule int) ON COMMIT DROP;

-- The exceptions found; expected is the other side's amount in minor units.
CREATE TEMPORARY TABLE found (class text, l bigint, m bigint, expected numeric, rule int) ON COMMIT DROP;
CREATE INDEX ON found (l);
CREATE INDEX ON found (m);
-- The lines without a fee whose fee is compared all the same.
CREATE TEMPORARY TABLE free (n bigint) ON COMMIT DROP;
-- The movements counted in a total that differs from their sum.
CREATE TEMPORARY TABLE covered (m bigint, t bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE raised (
    id uuid, class text, line uuid, transaction uuid, movement text COLLATE "C", details text
) ON COMMIT DROP;
