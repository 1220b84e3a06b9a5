-- Whether a transaction that moves a checkpoint runs and waits for no lock. Every role can read pg_locks.
SELECT EXISTS (
    SELECT FROM pg_locks l
    WHERE l.locktype = 'relation' AND l.relation = 'projection.checkpoints'::regclass AND l.mode = 'RowExclusiveLock'
        AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND NOT EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
)
