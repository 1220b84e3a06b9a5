-- Fees by processor, brand and component.
CREATE TABLE fee_entries (
    tenant    text    NOT NULL,
    position  bigint  NOT NULL,
    number    int     NOT NULL,
    day       date    NOT NULL,
    adjusts   date,
    merchant  text    NOT NULL,
    processor text    NOT NULL,
    brand     text    NOT NULL,
    component text    NOT NULL,
    currency  text    NOT NULL,
    source    text    NOT NULL,
    amount    numeric NOT NULL,
    lines     bigint  NOT NULL,
    volume    numeric NOT NULL,
    PRIMARY KEY (tenant, position, number)
);
COMMENT ON TABLE fee_entries IS 'The legs of the account fees by what their lines name. At each position they add up to the legs, by day, merchant, component and currency.';
COMMENT ON COLUMN fee_entries.merchant IS 'Empty, as processor, brand and component, if it is not known.';
COMMENT ON COLUMN fee_entries.adjusts IS 'The closed business day to which the fee belongs, as in the entries.';
COMMENT ON COLUMN fee_entries.source IS 'payments: within lines of payments. lines: other lines. exceptions: exceptions about fees.';
COMMENT ON COLUMN fee_entries.lines IS 'The number of lines with the fee; below zero for those that no longer count.';
COMMENT ON COLUMN fee_entries.volume IS 'The gross of these lines in minor units; zero unless they are payments.';
CREATE INDEX fee_entries_by_day ON fee_entries (tenant, day);
