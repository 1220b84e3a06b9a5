-- Payouts and bank accounts for the comparison of one run. Dropped with the transaction.

-- The lines affected by a change: empty when everything is compared.
CREATE TEMPORARY TABLE scope_deposits (line uuid PRIMARY KEY, is_payout boolean NOT NULL, round int NOT NULL)
    ON COMMIT DROP;

-- paid_merchants: the merchants of all payouts, and the accounts that the payouts name. payers: the party, account
-- and merchant of matched payouts, including payouts outside the scope.
CREATE TEMPORARY TABLE paid_merchants (
    word text COLLATE "C", merchant text COLLATE "C", account text COLLATE "C"
) ON COMMIT DROP;
CREATE TEMPORARY TABLE payers (
    party text COLLATE "C", account text COLLATE "C", merchant text COLLATE "C"
) ON COMMIT DROP;

-- Payouts reported by processors, and other transfers that a bank's line may answer; the amount is positive when the bank
-- account receives it.
CREATE TEMPORARY TABLE p0 (
    n bigint, id uuid, currency text COLLATE "C", amount numeric, day date, sender text COLLATE "C",
    payout text COLLATE "C", payout_word text COLLATE "C", trace text COLLATE "C", account text COLLATE "C",
    merchant text COLLATE "C", merchant_word text COLLATE "C", batch_word text COLLATE "C", revision bigint,
    is_payout boolean
) ON COMMIT DROP;

-- Transfers on bank accounts. named: the payout among the words of the entry, if there is exactly one.
CREATE TEMPORARY TABLE d0 (
    n bigint, id uuid, currency text COLLATE "C", amount numeric, day date, bank_reference text COLLATE "C",
    end_to_end text COLLATE "C", reference text COLLATE "C", account text COLLATE "C", party text COLLATE "C",
    named text COLLATE "C", words text[]
) ON COMMIT DROP;
CREATE TEMPORARY TABLE deposit_words (d bigint, word text COLLATE "C") ON COMMIT DROP;

CREATE TEMPORARY TABLE deposit_link (p bigint, d bigint, rule int, match uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE deposit_near (p bigint, d bigint, rule int) ON COMMIT DROP;

-- Payouts and transfers without an explanation.
CREATE TEMPORARY TABLE deposit_found (p bigint, d bigint) ON COMMIT DROP;
