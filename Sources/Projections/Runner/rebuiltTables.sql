SELECT c.relname::text,
       (SELECT array_agg(a.attname::text ORDER BY k.place)
          FROM pg_index i
          CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
         WHERE i.indrelid = c.oid AND i.indisprimary),
       (SELECT array_agg(a.attname::text) FROM pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.relname
