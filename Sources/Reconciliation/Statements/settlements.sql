-- Payouts and the lines that they pay, for the comparison of one run. Dropped with the transaction.

-- The payouts affected by a change: empty when everything is compared.
CREATE TEMPORARY TABLE scope_payouts (line uuid PRIMARY KEY, round int NOT NULL) ON COMMIT DROP;

-- What the lines of one payout, or of several together, have in common. In the collation of the lines, whose indexes are
-- used.
CREATE TEMPORARY TABLE settlement (
    n bigint GENERATED ALWAYS AS IDENTITY, basis text, reference text, currency text, merchants text[], format text,
    place uuid
) ON COMMIT DROP;
