import Matching
import Postgres
import Projections

/// Compares the payouts of processors with the transfers on bank accounts, as far as a change affects them; does
/// nothing when neither payouts nor transfers have changed. The result depends only on payouts, transfers and rules.
///
/// Works in temporary tables of one transaction, beside those of `Matcher`, and adds to its exceptions.
struct DepositMatcher {
    let tenant: String
    let rules: MatchingRules
    /// Compare only if something has changed after this position; 0 to compare in any case.
    let since: Int64
    /// The day of this run, and the day of the previous one.
    let today: String
    let lastDay: String?

    private var ladder: [DepositSQL] {
        rules.deposits.enumerated().map { DepositSQL(index: $0.offset, rule: $0.element) }
    }

    /// Fills the tables with the matches, and adds exceptions for unmatched payouts and transfers to `raised`.
    ///
    /// - Parameter lines: The extent of the comparison of lines, which has found what posting rules explain.
    /// - Returns: The extent of the comparison.
    func match(
        besides lines: Matcher.Extent.Lines,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Matcher.Extent.Lines {
        try await transaction.script(EmbeddedFiles.deposits_sql)
        guard try await isChanged(in: transaction) else { return .nothing }
        let scope = DepositScope(
            tenant: tenant,
            rules: rules.deposits,
            since: since,
            explainedTypes: rules.explainedTypes
        )
        let isWhole = try await !scope.fill(in: transaction)
        try await fill(isWhole, lines, in: transaction)
        try await climb(in: transaction)
        try await explain(isWhole, in: transaction)
        return isWhole ? .everything : .changes
    }

    /// A line with a day after the previous run can advance the bank's newest day without being new.
    private func isChanged(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        guard since > 0, let lastDay else { return true }
        return try await transaction.query(
            EmbeddedFiles.depositsChanged_sql,
            [.text(tenant), .int64(since), .text(lastDay)]
        ).first?.bool(0) ?? false
    }

    // MARK: Comparison

    /// A line counts once a file that contains it is completely imported.
    private static let isImported = """
        (f.status = 'imported' OR EXISTS (
            SELECT FROM read_statements.placements p
            JOIN read_statements.statements o ON o.tenant = p.tenant AND o.id = p.statement
            WHERE p.tenant = l.tenant AND p.line = l.id AND o.status = 'imported'
        ))
        """

    /// The id of a payout, else of the line: another transfer may be among the lines of a payout.
    private static let payout =
        "CASE WHEN \(DepositQuery.isPayout) THEN coalesce(l.payout, l.processor_id) ELSE l.processor_id END"

    /// A transfer that is no payout and that no posting rule explains. A balance that is carried over is none.
    private func isOtherTransfer(_ lines: Matcher.Extent.Lines) -> String {
        // Lines that this run did not compare keep what was recorded about them.
        let recorded = """
             AND NOT EXISTS (
                SELECT FROM read_reconciliation.postings k WHERE k.tenant = l.tenant AND k.line = l.id AND k.until IS NULL
                    AND NOT EXISTS (SELECT FROM scope_lines c WHERE c.line = l.id)
            )
            """
        return """
            (l.type IN (\(MatchingRules.answeredTypes(without: rules.explainedTypes)))
            AND NOT (l.type = 'transfer' AND f.format IN (\(CarriedBalances.formats)))
            AND NOT EXISTS (SELECT FROM posting k WHERE k.line = l.id)\(lines == .everything ? "" : recorded))
            """
    }

    private func fill(
        _ isWhole: Bool,
        _ lines: Matcher.Extent.Lines,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let scope = isWhole ? "" : "JOIN scope_deposits s ON s.line = l.id"
        _ = try await transaction.execute(
            """
            INSERT INTO p0
            SELECT row_number() OVER (), l.id, l.currency, -l.amount::numeric,
                coalesce((l.view ->> 'valueDay')::date, l.day), f.format, \(Self.payout), upper(\(Self.payout)),
                l.bank_reference, l.account, l.merchant, upper(l.merchant), upper(l.batch), l.revision,
                \(DepositQuery.isPayout)
            FROM read_statements.lines l \(scope)
            JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement
            WHERE l.tenant = $1 AND l.side = 'processor' AND \(DepositQuery.isTransfer)
                AND (\(DepositQuery.isPayout) OR \(isOtherTransfer(lines)))
                AND (l.amount <> 0 OR l.revision IS NOT NULL) AND l.role <> 'part' AND \(Self.isImported)
            """,
            [.text(tenant)]
        )
        _ = try await transaction.execute(
            """
            INSERT INTO d0
            SELECT row_number() OVER (), l.id, l.currency, l.amount::numeric, l.day, l.bank_reference, l.end_to_end,
                l.invoice, l.account, l.party, NULL, l.words
            FROM read_statements.lines l \(scope)
            JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement
            WHERE l.tenant = $1 AND l.side = 'bank' AND l.type IN ('deposit', 'withdrawal') AND l.amount <> 0
                AND l.role <> 'part' AND \(Self.isImported)
            """,
            [.text(tenant)]
        )
        _ = try await transaction.execute(
            """
            INSERT INTO paid_merchants
            SELECT DISTINCT upper(l.merchant), l.merchant, l.account FROM read_statements.lines l
            JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement
            WHERE l.tenant = $1 AND l.type IN ('payout', 'payout-return') AND l.side = 'processor' AND l.amount <> 0
                AND l.role <> 'part' AND (l.merchant IS NOT NULL OR l.account IS NOT NULL)
                AND \(Self.isImported)
            """,
            [.text(tenant)]
        )
        // A payout that is reported again when it changes counts once, in its newest revision. A failed one has the
        // amount zero and does not count.
        try await transaction.script(
            """
            DELETE FROM p0 o USING p0 newer
                WHERE newer.payout = o.payout AND (newer.revision, newer.id) > (o.revision, o.id);
            DELETE FROM p0 WHERE amount = 0;
            CREATE TEMPORARY TABLE payouts_left ON COMMIT DROP AS SELECT * FROM p0 WHERE is_payout;
            CREATE TEMPORARY TABLE others_left ON COMMIT DROP AS SELECT * FROM p0 WHERE NOT is_payout;
            ANALYZE payouts_left, others_left
            """
        )
        try await transaction.script(
            EmbeddedFiles.payoutsInRemittance_sql
        )
    }

    // MARK: Matches

    /// Applies the rules in order, first to payouts and then to other transfers: each rule sees what the earlier ones
    /// left unmatched.
    private func climb(in transaction: borrowing PostgresTransaction) async throws {
        var (payouts, others, deposits) = ("payouts_left", "others_left", "d0")
        let steps = ladder.map { (isPayout: true, rule: $0) } + ladder.map { (isPayout: false, rule: $0) }
        for (generation, step) in steps.enumerated() {
            let paid = step.isPayout ? payouts : others
            guard try await transaction.execute(step.rule.match(paid, deposits), []) > 0 else { continue }
            try await transaction.script(
                """
                ANALYZE deposit_link;
                CREATE TEMPORARY TABLE payouts_left_\(generation) ON COMMIT DROP AS
                    SELECT * FROM \(paid) p WHERE NOT EXISTS (SELECT FROM deposit_link k WHERE k.p = p.n);
                CREATE TEMPORARY TABLE deposits_left_\(generation) ON COMMIT DROP AS
                    SELECT * FROM \(deposits) d WHERE NOT EXISTS (SELECT FROM deposit_link k WHERE k.d = d.n);
                ANALYZE payouts_left_\(generation), deposits_left_\(generation)
                """
            )
            deposits = "deposits_left_\(generation)"
            if step.isPayout { payouts = "payouts_left_\(generation)" } else { others = "payouts_left_\(generation)" }
        }
        try await transaction.script(
            """
            CREATE TEMPORARY TABLE payouts_open ON COMMIT DROP AS
                SELECT * FROM \(payouts) UNION ALL SELECT * FROM \(others);
            CREATE TEMPORARY TABLE deposits_open ON COMMIT DROP AS SELECT * FROM \(deposits);
            CREATE INDEX ON payouts_open (currency, amount);
            CREATE INDEX ON deposits_open (currency, amount);
            CREATE INDEX ON deposit_link (p);
            CREATE INDEX ON deposit_link (d);
            ANALYZE payouts_open, deposits_open, deposit_link
            """
        )
    }

    // MARK: Exceptions

    private func explain(_ isWhole: Bool, in transaction: borrowing PostgresTransaction) async throws {
        for rule in ladder {
            _ = try await transaction.execute(rule.near("payouts_open", "d0"), [])
            _ = try await transaction.execute(rule.near("p0", "deposits_open"), [])
        }
        try await transaction.script(
            "CREATE INDEX ON deposit_near (p); CREATE INDEX ON deposit_near (d); ANALYZE deposit_near"
        )
        try await transaction.script(
            """
            INSERT INTO payers
                SELECT DISTINCT d.party, coalesce(d.account, ''), p.merchant
                FROM deposit_link k JOIN d0 d ON d.n = k.d JOIN p0 p ON p.n = k.p AND p.is_payout
            """
        )
        // Transfers outside the scope remain matched, so their payers count too.
        if !isWhole { _ = try await transaction.execute(Self.otherPayers, [.text(tenant)]) }
        _ = try await transaction.execute(EmbeddedFiles.unexplainedDeposits_sql, [.textArray(rules.depositAccounts)])
        let graceDays = min(max(0, rules.graceDays), 36_500)
        _ = try await transaction.execute(
            """
            INSERT INTO deposit_found (p)
            SELECT p.n FROM payouts_open p
            JOIN (
                SELECT currency, least(max(day), $2::text::date) AS newest FROM read_statements.lines l
                WHERE tenant = $1 AND side = 'bank' AND day IS NOT NULL AND \(CountedLines.condition("l"))
                GROUP BY currency
            ) b ON b.currency = p.currency
            WHERE p.is_payout AND (p.day IS NULL OR p.day <= b.newest - \(graceDays))
            """,
            [.text(tenant), .text(today)]
        )
        // A transfer that is no payout is not waited for.
        try await transaction.script("INSERT INTO deposit_found (p) SELECT n FROM payouts_open WHERE NOT is_payout")
        try await transaction.script(EmbeddedFiles.carriedDebts_sql)
        try await transaction.script(
            """
            CREATE INDEX ON deposit_words (d);
            CREATE INDEX ON paid_merchants (word);
            CREATE INDEX ON paid_merchants (account);
            CREATE INDEX ON payers (account);
            ANALYZE deposit_words, paid_merchants, payers
            """
        )
        let days = rules.deposits.compactMap(\.days).max() ?? 0
        _ = try await transaction.execute(
            Self.telling,
            [
                .text(tenant), .textArray(rules.deposits.map(\.name)), .int32(Int32(min(max(0, days), 36_500))),
            ]
        )
    }

    private static let otherPayers = """
        INSERT INTO payers
        SELECT DISTINCT l.party, coalesce(l.account, ''), p.merchant FROM read_reconciliation.deposit_links k
        JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.deposit
        JOIN read_statements.lines p ON p.tenant = k.tenant AND p.id = k.payout AND p.type IN ('payout', 'payout-return')
        WHERE k.tenant = $1 AND k.until IS NULL AND NOT EXISTS (SELECT FROM scope_deposits s WHERE s.line = k.deposit)
        """

    /// The only merchant paid to an account, according to the payouts and to the matches on the account. NULL if any
    /// of those has no merchant, because it may belong to any merchant.
    private static func onlyMerchant(of account: String) -> String {
        """
        (
            SELECT min(a.merchant) FROM (
                SELECT merchant FROM paid_merchants WHERE account = \(account)
                UNION ALL SELECT merchant FROM payers WHERE account = \(account)
            ) a HAVING count(DISTINCT a.merchant) = 1 AND count(*) = count(a.merchant)
        )
        """
    }

    /// The only merchant among all payouts that the transfer `d` names.
    private static let namedMerchant = """
        (
            SELECT min(a.merchant) FROM deposit_words w JOIN paid_merchants a ON a.word = w.word
            WHERE w.d = d.n HAVING count(DISTINCT a.merchant) = 1
        )
        """

    /// Each exception with its subject, its merchant and its candidates: by name, else by equal amount. A transfer
    /// that names several merchants has no merchant, whatever its account.
    private static let telling = """
        INSERT INTO raised (id, class, line, details)
        SELECT x.id, 'unmatched-deposit', f.line,
            json_strip_nulls(json_build_object(
                'id', x.id, 'class', 'unmatched-deposit', 'line', f.line, 'side', f.side, 'merchant', f.merchant,
                'currency', f.currency,
                'amount', CASE WHEN abs(f.amount) <= 9223372036854775807 THEN f.amount END,
                'expected', CASE WHEN abs(f.expected) <= 9223372036854775807 THEN f.expected END,
                'lineAmount', CASE WHEN abs(f.amount) <= 9223372036854775807 THEN f.amount END,
                'day', f.day, 'candidates', c.lines
            ))::text
        FROM (
            SELECT f.p, NULL::bigint AS d, p.id AS line, 'processor' AS side, p.currency, -p.amount AS amount,
                p.amount AS expected, p.day, coalesce(p.merchant, \(onlyMerchant(of: "p.account"))) AS merchant
            FROM deposit_found f JOIN p0 p ON p.n = f.p
            UNION ALL
            SELECT NULL, f.d, d.id, 'bank', d.currency, d.amount, 0, d.day, CASE
                    WHEN EXISTS (
                        SELECT FROM deposit_words w JOIN paid_merchants a ON a.word = w.word WHERE w.d = d.n
                    ) THEN \(namedMerchant)
                    ELSE \(onlyMerchant(of: "d.account"))
                END
            FROM deposit_found f JOIN d0 d ON d.n = f.d
        ) f
        CROSS JOIN LATERAL (SELECT md5(concat_ws('|', $1::text, 'unmatched-deposit', f.line))::uuid AS id) x
        CROSS JOIN LATERAL (
            SELECT json_agg(json_strip_nulls(json_build_object(
                'line', t.id, 'rule', ($2::text[])[t.rule + 1], 'amount', t.amount, 'currency', t.currency, 'day', t.day,
                'taken', t.taken
            )) ORDER BY t.place, t.rule, t.id) AS lines
            FROM (
                SELECT min(a.place) AS place, a.id, min(a.rule) AS rule, a.amount, a.currency, a.day, bool_or(a.taken) AS taken
                FROM (
                    SELECT 0 AS place, o.id, min(n.rule) AS rule, o.amount, o.currency, o.day,
                        CASE WHEN EXISTS (SELECT FROM deposit_link k WHERE k.d = o.n) THEN true END AS taken
                    FROM deposit_near n JOIN d0 o ON o.n = n.d WHERE n.p = f.p
                    GROUP BY o.n, o.id, o.amount, o.currency, o.day
                    UNION ALL
                    SELECT 0, o.id, min(n.rule), o.amount, o.currency, o.day,
                        CASE WHEN EXISTS (SELECT FROM deposit_link k WHERE k.p = o.n) THEN true END
                    FROM deposit_near n JOIN p0 o ON o.n = n.p WHERE n.d = f.d
                    GROUP BY o.n, o.id, o.amount, o.currency, o.day
                    UNION ALL
                    SELECT 1, o.id, NULL, o.amount, o.currency, o.day, NULL
                    FROM deposits_open o WHERE f.p IS NOT NULL AND o.currency = f.currency AND o.amount = f.expected
                        AND o.day BETWEEN f.day - $3::int AND f.day + $3::int
                    UNION ALL
                    SELECT 1, o.id, NULL, o.amount, o.currency, o.day, NULL
                    FROM payouts_open o WHERE f.d IS NOT NULL AND o.currency = f.currency AND o.amount = f.amount
                        AND o.day BETWEEN f.day - $3::int AND f.day + $3::int
                ) a GROUP BY a.id, a.amount, a.currency, a.day ORDER BY min(a.place), min(a.rule), a.id LIMIT 5
            ) t
        ) c
        """
}
