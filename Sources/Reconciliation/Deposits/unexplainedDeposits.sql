-- Selects the unmatched transfers that a payout should explain. An account has other business too, and transfers
-- unrelated to any payout are left out; `DepositQuery.coverage` counts them.
--
-- - a transfer that names a payout or its merchant;
-- - every transfer on an account that the rules name (`$1`);
-- - a transfer with a party that paid a payout;
-- - incoming money without a party's name on an account that received a payout.
INSERT INTO deposit_found (d)
SELECT d.n FROM deposits_open d
WHERE d.account = ANY ($1::text[])
    OR d.n IN (
        SELECT w.d FROM deposit_words w
        WHERE w.word IN (
            SELECT payout_word FROM p0 UNION SELECT word FROM paid_merchants WHERE word IS NOT NULL
        )
    )
    OR d.party IN (SELECT party FROM payers WHERE party IS NOT NULL)
    OR d.party IS NULL AND d.amount > 0 AND coalesce(d.account, '') IN (SELECT account FROM payers)
