-- Moves the live checkpoints of those of the named read models that have this version of the rules and are at this
-- position, and returns their names. A rebuild locks the live checkpoint for a while, and the others must not wait for it.
-- The order of the names is the order of the locks, so that two processes never wait for each other.
UPDATE projection.checkpoints c
   SET position = $4, fault = NULL, fault_position = NULL, updated_at = now()
  FROM (SELECT k.name
          FROM projection.checkpoints k
          JOIN unnest($1, $2) AS w (name, version) ON w.name = k.name AND w.version = k.version
         WHERE k.is_live AND k.position = $3
           AND NOT EXISTS (SELECT FROM projection.checkpoints r WHERE r.name = k.name AND NOT r.is_live)
         ORDER BY k.name
           FOR UPDATE OF k) due
 WHERE c.name = due.name AND c.is_live
RETURNING c.name
