CREATE TEMPORARY TABLE known_words ON COMMIT DROP AS
    SELECT payout_word AS word FROM p0 WHERE payout_word IS NOT NULL
    UNION SELECT word FROM paid_merchants WHERE word IS NOT NULL
    UNION SELECT batch_word FROM p0 WHERE batch_word IS NOT NULL;
ANALYZE known_words;
INSERT INTO deposit_words (d, word)
    SELECT d.n, w.word FROM d0 d CROSS JOIN LATERAL unnest(d.words) AS w (word)
    JOIN known_words k ON k.word = w.word COLLATE "C";
ANALYZE p0, d0, deposit_words;
UPDATE d0 SET named = s.word FROM (
    SELECT w.d, min(w.word) AS word FROM deposit_words w
    WHERE w.word IN (SELECT payout_word FROM p0) GROUP BY w.d HAVING count(*) = 1
) s WHERE s.d = d0.n;
ANALYZE d0
