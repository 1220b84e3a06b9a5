-- The lines that one posting rule explains: $1 is the tenant, $2 the index of the rule, $3 its type, $4 the type in the
-- file's words, $5 the format.
INSERT INTO posting (l, line, rule)
SELECT l.n, l.id, $2::int FROM l0 l
JOIN read_statements.lines s ON s.tenant = $1 AND s.id = l.id
JOIN read_statements.statements f ON f.tenant = s.tenant AND f.id = s.statement
WHERE l.kind IN ('unexplained', 'fee') AND l.type = $3 AND NOT EXISTS (SELECT FROM posting p WHERE p.l = l.n)
    AND NOT EXISTS (SELECT FROM link k WHERE k.l = l.n)
    AND ($4::text IS NULL OR lower(s.view ->> 'rawType') = lower($4)) AND ($5::text IS NULL OR f.format = $5)
