-- What is compared in one run, and what comes of it. Gone with the transaction.
CREATE TEMPORARY TABLE scope_transactions (transaction uuid PRIMARY KEY, round int NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE scope_lines (line uuid PRIMARY KEY, round int NOT NULL) ON COMMIT DROP;

-- How far the accounts at processors have come that may explain a merchant's money, and had in the run before. The row
-- without a merchant is for those that no line names.
CREATE TEMPORARY TABLE reached (merchant text COLLATE "C", day date, before date) ON COMMIT DROP;

-- The ledger's side, as the read model movements has it.
CREATE TEMPORARY TABLE m0 (
    n bigint, transaction uuid, line text COLLATE "C", type text, status text, currency text COLLATE "C", amount bigint,
    day date, gateway_id text COLLATE "C", host_id text COLLATE "C", vendor_id text COLLATE "C", origin_id text COLLATE "C",
    rrn text COLLATE "C", auth_code text COLLATE "C", invoice text COLLATE "C", reference text COLLATE "C",
    merchant text COLLATE "C", terminal text COLLATE "C", batch text COLLATE "C", last_four text COLLATE "C", brand text
) ON COMMIT DROP;

-- The processor's side. Kind: money; nothing (a void, an authorisation, what moves nothing); chargeback; total.
CREATE TEMPORARY TABLE l0 (
    n bigint, id uuid, type text, kind text, currency text COLLATE "C", amount bigint, day date,
    processor_id text COLLATE "C", related_id text COLLATE "C", rrn text COLLATE "C", auth_code text COLLATE "C",
    trace text COLLATE "C", invoice text COLLATE "C", merchant text COLLATE "C", terminal text COLLATE "C",
    batch text COLLATE "C", last_four text COLLATE "C", brand text, fees bigint, gross bigint, line_currency text,
    has_parts boolean
) ON COMMIT DROP;

CREATE TEMPORARY TABLE link (
    l bigint, m bigint, rule int, match uuid, line uuid, transaction uuid, movement text COLLATE "C", days int
) ON COMMIT DROP;

-- The lines and movements that nothing explains.
CREATE TEMPORARY TABLE lo (LIKE l0) ON COMMIT DROP;
CREATE TEMPORARY TABLE mo (LIKE m0) ON COMMIT DROP;

-- Who has the keys of a rule in common with them.
CREATE TEMPORARY TABLE near (l bigint, m bigint, rule int) ON COMMIT DROP;

-- What is wrong with what; expected is what the other side says, in minor units.
CREATE TEMPORARY TABLE found (class text, l bigint, m bigint, expected numeric, rule int) ON COMMIT DROP;
CREATE INDEX ON found (l);
CREATE INDEX ON found (m);
-- The movements that are counted in a total, which is wrong about them.
CREATE TEMPORARY TABLE covered (m bigint, t bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE raised (
    id uuid, class text, line uuid, transaction uuid, movement text COLLATE "C", details text
) ON COMMIT DROP;
