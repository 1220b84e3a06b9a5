-- American Express reports a debt as a payment below zero, and then reduces a payment by it: a transfer of the opposite
-- amount. The nth such payment and the nth transfer of an amount explain each other.
DELETE FROM deposit_found f USING (
    SELECT o.n, o.place, count(*) FILTER (WHERE o.is_payout) OVER amounts AS debts,
        count(*) FILTER (WHERE NOT o.is_payout) OVER amounts AS transfers
    FROM (
        SELECT p.n, p.is_payout, p.merchant, p.currency, abs(p.amount) AS amount, row_number() OVER (
                PARTITION BY p.is_payout, p.merchant, p.currency, abs(p.amount) ORDER BY p.day, p.id
            ) AS place
        FROM payouts_open p
        WHERE p.sender IN ('amex-epraw', 'amex-grrcn') AND p.is_payout = (p.amount < 0)
    ) o
    WINDOW amounts AS (PARTITION BY o.merchant, o.currency, o.amount)
) c WHERE f.p = c.n AND c.place <= least(c.debts, c.transfers)
