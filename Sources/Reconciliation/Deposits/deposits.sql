-- Payouts and bank accounts, as one run compares them. Gone with the transaction.

-- What a change concerns: empty where everything is compared.
CREATE TEMPORARY TABLE scope_deposits (line uuid PRIMARY KEY, is_payout boolean NOT NULL, round int NOT NULL)
    ON COMMIT DROP;

-- The merchants of all payouts, and the accounts that payouts say they go to; who has paid a payout, to which account, and
-- whose it was: of those that are not compared, too.
CREATE TEMPORARY TABLE paid_merchants (
    word text COLLATE "C", merchant text COLLATE "C", account text COLLATE "C"
) ON COMMIT DROP;
CREATE TEMPORARY TABLE payers (
    party text COLLATE "C", account text COLLATE "C", merchant text COLLATE "C"
) ON COMMIT DROP;

-- What processors say they paid; the amount is what the account gets of it.
CREATE TEMPORARY TABLE p0 (
    n bigint, id uuid, currency text COLLATE "C", amount numeric, day date, sender text COLLATE "C",
    payout text COLLATE "C", payout_word text COLLATE "C", trace text COLLATE "C", account text COLLATE "C",
    merchant text COLLATE "C", merchant_word text COLLATE "C", batch_word text COLLATE "C", revision bigint
) ON COMMIT DROP;

-- Transfers on bank accounts. Named: the one payout that is among the words of the entry, where it is the only one.
CREATE TEMPORARY TABLE d0 (
    n bigint, id uuid, currency text COLLATE "C", amount numeric, day date, bank_reference text COLLATE "C",
    end_to_end text COLLATE "C", reference text COLLATE "C", account text COLLATE "C", party text COLLATE "C",
    named text COLLATE "C", words text[]
) ON COMMIT DROP;
CREATE TEMPORARY TABLE deposit_words (d bigint, word text COLLATE "C") ON COMMIT DROP;

CREATE TEMPORARY TABLE deposit_link (p bigint, d bigint, rule int, match uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE deposit_near (p bigint, d bigint, rule int) ON COMMIT DROP;

-- What nothing explains: a payout or a transfer.
CREATE TEMPORARY TABLE deposit_found (p bigint, d bigint) ON COMMIT DROP;
