-- The transfers without another half: a balance below zero was carried over by a transfer to the account, one above zero
-- by a transfer from it.
INSERT INTO found (class, l, expected)
SELECT CASE WHEN l.amount > 0 THEN 'negative-balance' ELSE 'unexplained-line' END, l.n, 0 FROM l0 l
WHERE l.kind = 'carried' AND NOT EXISTS (SELECT FROM posting p WHERE p.l = l.n)
