import Postgres
import Statements

/// What changes of statement lines post, as SQL.
///
/// A line's legs follow from its row alone, as a payment's follow from its state: a change of the row posts the legs
/// after it and the reversed legs before it.
enum LinePosting {
    private static let payments = "'sale', 'capture', 'refund', 'refund-reversal', 'batch'"
    /// A balance that is carried over: the other half explains it.
    private static let isCarried = "l.type = 'transfer' AND l.processor IN (\(carryingFormats))"
    private static let carryingFormats = StatementFormat.carryingBalances.map { "'\($0.rawValue)'" }
        .joined(separator: ", ")
    /// Lines against whose money the ledger may have its own, or that nothing explains.
    private static let isExplained =
        "(l.type IN (\(payments), 'adjustment', 'other', 'chargeback', 'chargeback-reversal') OR \(isCarried))"

    /// A fee that a posting rule explains: all of it is in the rule's account, whatever its components.
    private static let isRuled = "(l.type = 'fee' AND l.links > 0 AND l.listed = 0)"

    /// The columns that every part of `legs` begins with.
    private static let line = "l.sign, l.id, l.type, l.day, l.merchant, l.terminal, l.processor, l.brand, l.gross"

    /// The legs of the rows `changed`, each with the sign of its row.
    private static let legs = """
        -- Fees, by their components.
        SELECT \(line), 'fees' AS account, k.key AS part, l.currency, -k.value::numeric AS amount
        FROM changed l CROSS JOIN LATERAL json_each_text(l.fee) k
        WHERE l.side = 'processor' AND NOT \(isRuled)
        UNION ALL SELECT \(line), 'processor-receivable', l.processor, l.currency, l.amount - l.gross
        FROM changed l WHERE l.side = 'processor' AND l.amount <> l.gross
        UNION ALL
        -- Money that is no payment: to the account of its type, or that of the posting rule which explains it.
        SELECT \(line), CASE WHEN n.sign < 0 AND l.links > 0 THEN l.link_account ELSE n.account END,
            CASE WHEN n.sign < 0 AND l.links > 0 THEN l.link_part WHEN n.part = 'processor' THEN l.processor ELSE n.part END,
            l.currency, n.sign * CASE WHEN n.sign < 0 AND \(isRuled) THEN l.amount ELSE l.gross END
        FROM changed l JOIN (VALUES
            ('fee', 'fees', 'other', -1), ('reserve', 'reserve', 'processor', -1),
            ('reserve-release', 'reserve', 'processor', -1), ('payout', 'cash-in-transit', '', -1),
            ('payout-return', 'cash-in-transit', '', -1), ('transfer', 'cash-in-transit', '', -1),
            ('deposit', 'cash-in-transit', '', -1), ('withdrawal', 'cash-in-transit', '', -1),
            ('conversion', 'currency-clearing', '', -1), ('fee', 'processor-receivable', 'processor', 1),
            ('reserve', 'processor-receivable', 'processor', 1), ('reserve-release', 'processor-receivable', 'processor', 1),
            ('payout', 'processor-receivable', 'processor', 1), ('payout-return', 'processor-receivable', 'processor', 1),
            ('transfer', 'processor-receivable', 'processor', 1), ('deposit', 'processor-receivable', 'processor', 1),
            ('withdrawal', 'processor-receivable', 'processor', 1), ('conversion', 'processor-receivable', 'processor', 1)
        ) n (type, account, part, sign) ON n.type = l.type
        WHERE l.side = 'processor' AND l.listed = 0 AND NOT (\(isCarried))
        UNION ALL
        -- The cardholder paid in another currency.
        SELECT \(line), n.account, n.part, n.currency, n.amount
        FROM changed l CROSS JOIN LATERAL (VALUES
            ('processor-receivable', l.processor, l.currency, l.gross), ('currency-clearing', '', l.currency, -l.gross),
            ('currency-clearing', '', l.paid_currency, l.paid),
            ('processor-receivable', l.processor, l.paid_currency, -l.paid)
        ) n (account, part, currency, amount)
        WHERE l.side = 'processor' AND \(isExplained)
            AND (l.paid_currency <> l.currency OR l.paid <> l.gross)
        UNION ALL
        -- A payment, or something that must be explained: its processor's, and against what the ledger has of it.
        SELECT \(line), 'processor-receivable', l.processor, coalesce(l.paid_currency, l.currency), coalesce(l.paid, l.gross)
        FROM changed l WHERE l.side = 'processor' AND \(isExplained) AND l.listed = 0
        UNION ALL SELECT \(line),
            CASE WHEN l.links > 0 THEN l.link_account WHEN l.exceptions > 0 THEN l.exception_account ELSE 'suspense' END,
            CASE WHEN l.links > 0 THEN l.link_part WHEN l.exceptions > 0 THEN l.exception_part ELSE '' END,
            coalesce(l.paid_currency, l.currency), CASE WHEN l.shares IS NULL THEN 0 ELSE (
                SELECT sum(s.amount) FROM jsonb_to_recordset(l.shares) AS s (amount numeric)
            ) END - coalesce(l.paid, l.gross)
        FROM changed l WHERE l.side = 'processor' AND \(isExplained) AND l.listed = 0
        UNION ALL SELECT \(line), s.account, s.part, coalesce(l.paid_currency, l.currency), -s.amount
        FROM changed l CROSS JOIN LATERAL jsonb_to_recordset(l.shares) AS s (account text, part text, amount numeric)
        WHERE l.shares IS NOT NULL AND l.side = 'processor' AND \(isExplained) AND l.listed = 0
        UNION ALL
        -- A transfer to a bank account that payouts explain. An account has other business, too.
        SELECT \(line), n.account, '', l.currency, n.sign * l.amount
        FROM changed l CROSS JOIN (VALUES ('bank', 1), ('cash-in-transit', -1)) n (account, sign)
        WHERE l.side = 'bank' AND l.links > 0
        """

    /// The account or part of a line's first link or exception, as it is after the change `w`.
    private static func place(_ cause: String, _ column: String, else other: String) -> String {
        """
        CASE WHEN w.\(cause)s > 0 AND l.\(cause)s = 0 THEN coalesce(w.link_\(column), \(other))
            ELSE l.\(cause)_\(column) END AS \(cause)_\(column)
        """
    }

    private static let places = ["link", "exception"].flatMap { cause in
        [
            place(cause, "account", else: "'processor-receivable'"),
            place(
                cause,
                "part",
                else: """
                    CASE WHEN coalesce(w.link_account, 'processor-receivable') = 'processor-receivable' THEN l.processor END, ''
                    """
            ),
        ]
    }.joined(separator: ", ")

    /// The statement that changes rows of `journal_lines` and posts what follows.
    ///
    /// - Parameter wanted: Selects `id`, the differences `files`, `listed`, `newer`, `links` and `exceptions`, the
    ///   `file` that `files` is about, which counts or no longer counts already, and `link_account` and `link_part`: where
    ///   the money is of what the added links or exceptions are about; each line once. `$1` is the tenant, `$2` the
    ///   position, `$3` the event, `$4` the day of its recording.
    static func sql(_ wanted: String) -> String {
        """
        WITH wanted AS MATERIALIZED (\(wanted)), rows AS MATERIALIZED (
            SELECT l.*, coalesce(f.counts::int, 0) AS counts, CASE WHEN w.file = l.statement THEN w.files ELSE 0 END AS began,
                l.files + CASE WHEN w.file = l.statement THEN 0 ELSE w.files END AS new_files,
                l.listed + w.listed AS new_listed, l.newer + w.newer AS new_newer, l.links + w.links AS new_links,
                l.exceptions + w.exceptions AS new_exceptions, place.link_account AS new_account,
                place.link_part AS new_part, place.exception_account AS new_exception_account,
                place.exception_part AS new_exception_part,
                CASE WHEN l.links + w.links > 0 THEN (\(EmbeddedFiles.lineShares_sql)) END AS new_shares
            FROM wanted w JOIN journal_lines l ON l.tenant = $1 AND l.id = w.id
            LEFT JOIN files f ON f.tenant = l.tenant AND f.id = l.statement
            CROSS JOIN LATERAL (SELECT \(places)) place
        ), stored AS (
            UPDATE journal_lines l SET files = r.new_files, listed = r.new_listed, newer = r.new_newer, links = r.new_links,
                exceptions = r.new_exceptions, link_account = r.new_account, link_part = r.new_part,
                exception_account = r.new_exception_account, exception_part = r.new_exception_part, shares = r.new_shares
            FROM rows r WHERE l.tenant = $1 AND l.id = r.id AND
                (r.new_files, r.new_listed, r.new_newer, r.new_links, r.new_exceptions, r.new_account, r.new_part,
                    r.new_exception_account, r.new_exception_part, r.new_shares)
                IS DISTINCT FROM
                (r.files, r.listed, r.newer, r.links, r.exceptions, r.link_account, r.link_part, r.exception_account,
                    r.exception_part, r.shares)
        ), changed AS MATERIALIZED (
            SELECT c.*, r.id, r.side, r.processor, r.type, r.currency, r.gross, r.amount, r.fee, r.paid, r.paid_currency, r.day,
                r.merchant, r.terminal, r.brand
            FROM rows r CROSS JOIN LATERAL (VALUES
                (1, r.new_files + r.counts, r.new_newer, r.new_listed, r.new_links, r.new_exceptions, r.new_account, r.new_part,
                    r.new_exception_account, r.new_exception_part, r.new_shares),
                (-1, r.files + r.counts - r.began, r.newer, r.listed, r.links, r.exceptions, r.link_account, r.link_part,
                    r.exception_account, r.exception_part, r.shares)
            ) c (sign, files, newer, listed, links, exceptions, link_account, link_part, exception_account, exception_part, shares)
            WHERE c.files > 0 AND c.newer = 0
        ), summed AS MATERIALIZED (
            -- A file may list a million payments: they are added up, and fees by processor and brand.
            SELECT CASE WHEN type NOT IN (\(payments)) THEN id END AS statement_line, account, part, currency, day,
                merchant, CASE WHEN type NOT IN (\(payments)) THEN terminal END AS terminal,
                CASE account WHEN 'fees' THEN processor END AS processor,
                CASE account WHEN 'fees' THEN brand END AS brand,
                sum(sign * amount) AS amount, sum(sign) AS lines, sum(sign * gross) AS gross
            FROM (\(legs)) l GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        ), legs AS (
            SELECT statement_line, NULL::uuid AS transaction, account, part, currency, day, merchant, terminal,
                sum(amount) AS amount
            FROM summed GROUP BY 1, 3, 4, 5, 6, 7, 8 HAVING sum(amount) <> 0
        )
        \(EntryPosting.fees(summedFees))
        \(EntryPosting.legs)
        """
    }

    /// The rows of `summed` about fees. A line of payments has no id there.
    private static let summedFees = """
        SELECT day, merchant, processor, brand, part, currency, amount, lines,
            CASE WHEN statement_line IS NULL THEN 'payments' ELSE 'lines' END AS source,
            CASE WHEN statement_line IS NULL THEN gross ELSE 0 END AS volume
        FROM summed WHERE account = 'fees'
        """
}
