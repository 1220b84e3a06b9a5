-- Whether a transaction that moves a checkpoint runs and waits for no lock. Every role can read pg_locks; pg_stat_activity shows
-- the state of sessions of other roles as NULL.
SELECT EXISTS (
    SELECT FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation' AND l.relation = 'projection.checkpoints'::regclass AND l.mode = 'RowExclusiveLock'
        AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND NOT EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
        AND NOT coalesce(a.state LIKE 'idle in transaction%' AND a.state_change < now() - interval '1 minute', false)
)
