-- One row for each payment: its JSON and the columns for searches.
CREATE TABLE transactions (
    tenant              text        NOT NULL,
    id                  uuid        NOT NULL,
    version             bigint      NOT NULL,
    first_position      bigint      NOT NULL,
    last_position       bigint      NOT NULL,
    occurred_at         timestamptz NOT NULL,
    local_at            timestamp,
    recorded_at         timestamptz NOT NULL,
    status              text        NOT NULL,
    operation           text,
    vendor              text,
    merchant            text,
    terminal            text,
    device              text,
    reader              text,
    reference           text,
    currency            text,
    amount              bigint,
    card_brand          text,
    last_four           text,
    authorization_code  text,
    retrieval_reference text,
    invoice             text,
    gateway_transaction text,
    batch_numbers       text[]      NOT NULL,
    identifiers         text[]      NOT NULL,
    in_doubt            boolean     NOT NULL,
    anomalous           boolean     NOT NULL,
    awaits_reversal     boolean     NOT NULL,
    awaits_answer       boolean     NOT NULL,
    test                boolean     NOT NULL,
    address_check       text,
    code_check          text,
    reader_vendor       text,
    reader_name         text,
    outcome             text,
    clerk               text,
    signature           text,
    pin                 text,
    health_care         boolean     NOT NULL,
    voice_authorized    boolean     NOT NULL,
    card_present        boolean,
    commercial          boolean,
    tax_indicator       text,
    stored_result       boolean     NOT NULL,
    view                json        NOT NULL,
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE transactions IS 'Every payment, as of its newest event.';
COMMENT ON COLUMN transactions.view IS 'The API''s response, byte for byte.';
COMMENT ON COLUMN transactions.reader IS 'The serial number of the reader that reported last.';
COMMENT ON COLUMN transactions.reader_vendor IS 'The vendor of that reader.';
COMMENT ON COLUMN transactions.reader_name IS 'The serial number of that reader, as in the name of its stream.';
COMMENT ON COLUMN transactions.signature IS 'The last report about the signature; null if none was asked for.';
COMMENT ON COLUMN transactions.pin IS 'requested or bypassed; null if nothing shows that a PIN was asked for.';
COMMENT ON COLUMN transactions.identifiers IS
    'Every name and number by which a search finds the payment, in lower case; batch numbers also unchanged. Includes the streams of other payments that its keys lead to.';
COMMENT ON COLUMN transactions.awaits_reversal IS
    'The host approved a payment that the terminal did not complete, and the approval has not been reversed.';
COMMENT ON COLUMN transactions.awaits_answer IS
    'A request was sent, for the payment or a follow-up on it, and its outcome is not known. After the time of the rule wait.silence it is in doubt.';
COMMENT ON COLUMN transactions.test IS 'The payment was made at the vendor''s test system: no money moves.';
COMMENT ON COLUMN transactions.address_check IS 'The vendor''s code of the check of the billing address.';
COMMENT ON COLUMN transactions.code_check IS 'The vendor''s code of the check of the card verification value.';
COMMENT ON COLUMN transactions.health_care IS 'The request states portions for health care.';
COMMENT ON COLUMN transactions.voice_authorized IS 'The request has the code of an authorization given outside of the network.';
COMMENT ON COLUMN transactions.card_present IS 'Whether the request states that the card was present; null if it states neither.';
COMMENT ON COLUMN transactions.commercial IS 'Whether the answer reports a commercial card; null if it reports neither.';
COMMENT ON COLUMN transactions.tax_indicator IS 'provided, not-provided or exempt; another text is the vendor''s own.';
COMMENT ON COLUMN transactions.stored_result IS 'An outcome that a reader had stored was reported.';
COMMENT ON COLUMN transactions.reference IS 'The app''s own name for the payment.';
COMMENT ON COLUMN transactions.occurred_at IS 'The time of the first event, by the sender''s clock.';
COMMENT ON COLUMN transactions.local_at IS 'The earliest local time that the terminal or vendor printed, without a zone: the business day is derived from it.';
COMMENT ON COLUMN transactions.amount IS 'The captured or credited amount, else the authorised one, else the requested one; minor units.';
CREATE INDEX transactions_by_position ON transactions (tenant, first_position DESC);
CREATE INDEX transactions_by_status ON transactions (tenant, status, first_position DESC);
CREATE INDEX transactions_by_vendor ON transactions (tenant, vendor, first_position DESC);
CREATE INDEX transactions_by_currency ON transactions (tenant, currency, first_position DESC);
CREATE INDEX transactions_by_type ON transactions (tenant, operation, first_position DESC);
CREATE INDEX transactions_by_gateway ON transactions (tenant, gateway_transaction) WHERE gateway_transaction IS NOT NULL;
CREATE INDEX transactions_by_invoice ON transactions (tenant, invoice) WHERE invoice IS NOT NULL;
CREATE INDEX transactions_by_code ON transactions (tenant, authorization_code) WHERE authorization_code IS NOT NULL;
CREATE INDEX transactions_by_card ON transactions (tenant, last_four, amount, occurred_at) WHERE last_four IS NOT NULL;
CREATE INDEX transactions_by_merchant ON transactions (tenant, merchant, first_position DESC)
    WHERE merchant IS NOT NULL;
CREATE INDEX transactions_by_terminal ON transactions (tenant, terminal, first_position DESC)
    WHERE terminal IS NOT NULL;
CREATE INDEX transactions_by_amount ON transactions (tenant, amount);
CREATE INDEX transactions_in_doubt ON transactions (tenant, first_position) WHERE in_doubt OR awaits_reversal;
CREATE INDEX transactions_awaiting_answer ON transactions (recorded_at) WHERE awaits_answer AND NOT test;
-- The orders of the worklist. A page reads only its own rows, however many payments are in doubt.
CREATE INDEX transactions_in_doubt_by_time ON transactions (tenant, occurred_at, first_position)
    WHERE in_doubt OR awaits_reversal;
CREATE INDEX transactions_in_doubt_by_value ON transactions (tenant, (-coalesce(amount, -1)), first_position)
    WHERE in_doubt OR awaits_reversal;
CREATE INDEX transactions_by_reference ON transactions (tenant, retrieval_reference)
    WHERE retrieval_reference IS NOT NULL;
CREATE INDEX transactions_by_app_reference ON transactions (tenant, reference) WHERE reference IS NOT NULL;
CREATE INDEX transactions_by_time ON transactions (tenant, occurred_at DESC, first_position DESC);
CREATE INDEX transactions_by_local_time ON transactions (tenant, local_at) WHERE local_at IS NOT NULL;
CREATE INDEX transactions_anomalous ON transactions (tenant, first_position DESC) WHERE anomalous;
CREATE INDEX transactions_by_reader ON transactions (tenant, reader, first_position DESC) WHERE reader IS NOT NULL;
CREATE INDEX transactions_by_address_check ON transactions (tenant, address_check, first_position DESC)
    WHERE address_check IS NOT NULL;
CREATE INDEX transactions_by_code_check ON transactions (tenant, code_check, first_position DESC)
    WHERE code_check IS NOT NULL;
CREATE INDEX transactions_health_care ON transactions (tenant, first_position DESC) WHERE health_care;
CREATE INDEX transactions_voice_authorized ON transactions (tenant, first_position DESC) WHERE voice_authorized;
CREATE INDEX transactions_commercial ON transactions (tenant, first_position DESC) WHERE commercial;
CREATE INDEX transactions_card_not_present ON transactions (tenant, first_position DESC) WHERE NOT card_present;
CREATE INDEX transactions_card_present ON transactions (tenant, first_position DESC) WHERE card_present;
CREATE INDEX transactions_by_tax_indicator ON transactions (tenant, tax_indicator, first_position DESC)
    WHERE tax_indicator IS NOT NULL;
CREATE INDEX transactions_with_stored_result ON transactions (tenant, reader_vendor, occurred_at DESC) WHERE stored_result;
CREATE INDEX transactions_test ON transactions (tenant, first_position DESC) WHERE test;
CREATE INDEX transactions_by_brand ON transactions (tenant, lower(card_brand), first_position DESC)
    WHERE card_brand IS NOT NULL;
-- The number of hexadecimal digits of the distance between first and last position. It finds the payments that span a
-- position.
CREATE INDEX transactions_by_span ON transactions
    (tenant, octet_length(to_hex(last_position - first_position)), first_position DESC);
CREATE INDEX transactions_by_identifier ON transactions USING gin (identifiers);
