-- The kinds of witness that the log has been compared with. A process that lacks the witness appends nothing.

CREATE TABLE ledger.witnesses (
    kind      text PRIMARY KEY CHECK (kind IN ('file', 'remote')),
    listed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE ledger.witnesses OWNER TO daybook_owner;
COMMENT ON TABLE ledger.witnesses IS
    'Every process that appends is given a remote witness if one is listed, else a witness file if one is listed. '
    'An adoption of the log lists the witnesses anew.';

GRANT SELECT ON ledger.witnesses TO daybook_service, daybook_reader, daybook_archiver;
GRANT INSERT (kind) ON ledger.witnesses TO daybook_service;
