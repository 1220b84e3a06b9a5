import Matching
import Projections

/// The exceptions as SQL over the tables of `sides.sql`. Each statement examines only what the earlier ones left.
struct ExceptionSQL {
    let rules: MatchingRules
    /// The newest day of any processor line.
    let horizon: String?
    let places: KnownPlaces

    /// The indices of the rules that identify one payment.
    private var strong: String { places { $0.choice == .inOrder } }

    /// The indices of those rules that relate a line to the payment itself, and not to a later transaction on it.
    private var direct: String { places { $0.choice == .inOrder && !$0.keys.contains(.relatedID) } }

    private func places(_ isMeant: (MatchingRule) -> Bool) -> String {
        rules.ladder.enumerated().filter { isMeant($0.element) }.map { String($0.offset) }.joined(separator: ", ")
    }

    /// The condition that the rule uses an id that is unique to one payment.
    private var isOwnID: String {
        let own = rules.ladder.enumerated().filter { rule in
            rule.element.keys.contains { [.gatewayID, .hostID, .vendorID].contains($0) }
        }
        return own.isEmpty ? "false" : "n.rule IN (\(own.map { String($0.offset) }.joined(separator: ", ")))"
    }

    private func isDue(_ days: Int) -> String {
        horizon.map { "m.day <= DATE '\($0)' - \(days)" } ?? "false"
    }

    var statements: [String] {
        let status = direct.isEmpty ? [] : [otherStatus]
        return (strong.isEmpty ? [] : [differing, repeatedLines] + status + [voided, repeatedMovements])
            + [
                unknownLines, covering, totals, missing, expired, chargebacks, DisputeSQL.exceptions, unexplained,
                CarriedBalances.exceptions, RepeatedFees.exceptions, late, partsOfTotals,
            ]
            + (rules.fees.isEmpty ? [] : [free]) + rules.fees.map(fee)
    }

    /// A line and a movement with equal keys and different money.
    private var differing: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT CASE WHEN is_foreign THEN 'currency-differs' ELSE 'amount-differs' END, l, m, amount, rule
        FROM (
            SELECT *,
                row_number() OVER (PARTITION BY l ORDER BY is_foreign, rule, distance, transaction, line) AS of_line,
                row_number() OVER (PARTITION BY m ORDER BY is_foreign, rule, distance, id) AS of_movement
            FROM (
                SELECT n.l, n.m, min(n.rule) AS rule, l.id, m.transaction, m.line, m.amount,
                    l.currency <> m.currency AS is_foreign, abs(l.amount::numeric - m.amount) AS distance
                FROM near n JOIN lo l ON l.n = n.l JOIN mo m ON m.n = n.m
                WHERE n.rule IN (\(strong)) AND sign(l.amount) = sign(m.amount)
                    AND (l.amount <> m.amount OR l.currency <> m.currency)
                GROUP BY n.l, n.m, l.id, m.transaction, m.line, m.amount, l.currency, m.currency, l.amount
            ) pair
        ) ranked WHERE of_line = 1 AND of_movement = 1
        """
    }

    /// A second line for money that another line explains.
    private var repeatedLines: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT DISTINCT ON (l.id) 'duplicate-at-processor', l.n, m.n, 0, n.rule
        FROM near n JOIN lo l ON l.n = n.l JOIN m0 m ON m.n = n.m
        WHERE n.rule IN (\(strong)) AND l.amount = m.amount AND l.currency = m.currency
            AND EXISTS (SELECT FROM link k WHERE k.m = m.n)
            AND NOT EXISTS (SELECT FROM found f WHERE f.l = l.n)
        ORDER BY l.id, n.rule, m.transaction, m.line
        """
    }

    /// Money for a payment that moved none according to the ledger, or whose outcome is unknown. A retrieval
    /// reference is not unique for ever: it recurs in other years and on other terminals. So a line with only such a
    /// name resolves a doubt only if it has the requested amount. A line with the payment's own id may include a tip.
    /// A line that names the payment only as the origin of a refund is no evidence of the payment's outcome.
    private var otherStatus: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT DISTINCT ON (l.id)
            CASE
                WHEN m.status IN ('in-doubt', 'requested') AND (m.amount = 0 OR l.currency = m.currency
                    AND (\(isOwnID) OR abs(l.amount::numeric) = abs(m.amount::numeric))) THEN 'in-doubt-resolved'
                ELSE 'status-differs'
            END,
            l.n, m.n, 0, n.rule
        FROM near n JOIN lo l ON l.n = n.l JOIN m0 m ON m.n = n.m AND m.type = 'none'
        WHERE n.rule IN (\(direct)) AND NOT EXISTS (SELECT FROM found f WHERE f.l = l.n)
        ORDER BY l.id, n.rule, m.transaction, m.line
        """
    }

    /// Money in the ledger that was voided according to the processor.
    private var voided: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT DISTINCT ON (m.transaction, m.line) 'status-differs', l.n, m.n, m.amount, n.rule
        FROM near n JOIN l0 l ON l.n = n.l AND l.type = 'void' JOIN mo m ON m.n = n.m
        WHERE n.rule IN (\(strong)) AND NOT EXISTS (SELECT FROM found f WHERE f.m = m.n)
        ORDER BY m.transaction, m.line, n.rule, l.id
        """
    }

    /// A second movement for a line that another movement explains.
    private var repeatedMovements: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT DISTINCT ON (m.transaction, m.line) 'duplicate-in-ledger', l.n, m.n, 0, n.rule
        FROM near n JOIN l0 l ON l.n = n.l JOIN mo m ON m.n = n.m
        WHERE n.rule IN (\(strong)) AND l.amount = m.amount AND l.currency = m.currency
            AND EXISTS (SELECT FROM link k WHERE k.l = l.n)
            AND NOT EXISTS (SELECT FROM found f WHERE f.m = m.n)
        ORDER BY m.transaction, m.line, n.rule, l.id
        """
    }

    private var unknownLines: String {
        """
        INSERT INTO found (class, l, expected)
        SELECT 'missing-in-ledger', l.n, 0 FROM lo l WHERE NOT EXISTS (SELECT FROM found f WHERE f.l = l.n)
        """
    }

    /// A movement counted in a total is explained only by the exception of the total. One of a tender that no acquirer
    /// settles is not expected in its statement.
    private var missing: String {
        """
        INSERT INTO found (class, m, expected)
        SELECT 'missing-at-processor', m.n, m.amount FROM mo m \(HorizonSQL.join)
        WHERE m.day <= \(HorizonSQL.day) - \(rules.graceDays) AND NOT EXISTS (SELECT FROM found f WHERE f.m = m.n)
            AND NOT EXISTS (SELECT FROM covered c WHERE c.m = m.n)
            AND coalesce(m.tender, '') <> ALL ('{\(Self.withoutAcquirer.joined(separator: ","))}'::text[])
        """
    }

    /// Cards of the merchant, state benefits, bank accounts and cash.
    static let withoutAcquirer = [
        "gift", "loyalty", "ebt-cash", "ebt-food", "ebt_cash", "ebt_food", "bank-account-checking",
        "bank-account-savings", "check", "cash",
    ]

    private var expired: String {
        """
        INSERT INTO found (class, m, expected)
        SELECT 'expired-authorization', m.n, m.amount FROM m0 m
        WHERE m.type = 'none' AND m.status IN ('authorized', 'partially-approved') AND \(isDue(rules.expiryDays))
            AND NOT EXISTS (SELECT FROM found f WHERE f.m = m.n)
        """
    }

    private var chargebacks: String {
        """
        INSERT INTO found (class, l, expected)
        SELECT 'chargeback-without-sale', l.n, 0 FROM l0 l
        WHERE l.kind = 'chargeback' AND NOT EXISTS (SELECT FROM dispute d WHERE d.n = l.n)
            AND NOT EXISTS (SELECT FROM near n JOIN m0 m ON m.n = n.m AND m.type <> 'none' WHERE n.l = l.n)
        """
    }

    /// Lines that are no payments, and that neither a rule nor a contract nor another line explains. Transfers are
    /// compared with those on bank accounts instead (`DepositMatcher`).
    private var unexplained: String {
        """
        INSERT INTO found (class, l, expected)
        SELECT 'unexplained-line', l.n, 0 FROM l0 l
        WHERE l.kind IN ('unexplained', 'fee') AND l.type IN (\(rules.unexplainedTypes)) AND l.amount <> 0
            AND NOT EXISTS (SELECT FROM link k WHERE k.l = l.n)
            AND NOT EXISTS (SELECT FROM posting p WHERE p.l = l.n)
            AND NOT EXISTS (SELECT FROM exchange x WHERE x.l = l.n)
            AND NOT EXISTS (SELECT FROM repeated r WHERE r.l = l.n)
            AND NOT \(ContractedFees.condition(rules.contracts))
        """
    }

    private var late: String {
        """
        INSERT INTO found (class, l, m, expected, rule)
        SELECT DISTINCT ON (l.id) 'late', l.n, m.n, l.amount, k.rule
        FROM link k JOIN l0 l ON l.n = k.l JOIN m0 m ON m.n = k.m
        WHERE k.days > \(rules.lateDays) ORDER BY l.id, m.transaction, m.line
        """
    }

    /// A total whose parts are listed in files differs from its parts. Among several files, the one with the nearest
    /// sum counts.
    private var partsOfTotals: String {
        """
        INSERT INTO found (class, l, expected)
        SELECT 'batch-out-of-balance', t.n, p.amount
        FROM l0 t
        CROSS JOIN LATERAL (
            SELECT sum(coalesce(part.gross, part.amount)) AS amount
            FROM \(CountedLines.parts(of: "t.id", tenant: "$1"))
            GROUP BY own.statement ORDER BY abs(sum(coalesce(part.gross, part.amount)) - t.amount), 1 LIMIT 1
        ) p
        WHERE t.kind = 'total' AND t.has_parts AND p.amount <> t.amount
        """
    }

    /// Unmatched totals without parts.
    private static let openTotals = """
        t.kind = 'total' AND NOT t.has_parts AND t.amount <> 0 AND NOT EXISTS (SELECT FROM link k WHERE k.l = t.n)
        """

    /// The remaining movements of the ledger's batch belong to the batch's total. If several totals have that batch
    /// number, the nearest one counts, and among those of one day the first by id.
    private var covering: String {
        """
        INSERT INTO covered (m, t)
        SELECT DISTINCT ON (m.n) m.n, t.n
        FROM l0 t JOIN mo m ON m.batch = t.batch AND m.currency = t.currency
            AND (t.terminal IS NULL OR m.terminal = t.terminal)
            AND (t.merchant IS NULL OR t.terminal IS NOT NULL OR m.merchant = t.merchant)\(batchDays)
            AND \(places.areOne(terminal: "t.terminal", merchant: "t.merchant", "m", merchant: "m.merchant"))
        WHERE \(Self.openTotals) AND NOT EXISTS (SELECT FROM found f WHERE f.m = m.n)
        ORDER BY m.n, abs(m.day - t.day), t.id
        """
    }

    /// The most days between a batch's payments and its total, by the widest rule.
    private var batchDays: String {
        guard let most = rules.batchDays else { return "" }
        return " AND coalesce(m.day BETWEEN t.day - \(most) AND t.day + \(most), true)"
    }

    /// A total that differs from the sum of its movements.
    private var totals: String {
        """
        INSERT INTO found (class, l, expected)
        SELECT CASE WHEN b.t IS NULL THEN 'missing-in-ledger' ELSE 'batch-out-of-balance' END, t.n, coalesce(b.amount, 0)
        FROM l0 t LEFT JOIN (
            SELECT c.t, sum(m.amount) AS amount FROM covered c JOIN mo m ON m.n = c.m GROUP BY c.t
        ) b ON b.t = t.n
        WHERE \(Self.openTotals)
        """
    }

    private func fee(_ fee: ExpectedFee) -> String {
        func quoted(_ text: String) -> String { "'" + text.lowercased().replacing("'", with: "''") + "'" }
        let brands = rules.fees.filter { $0.currency == fee.currency }.compactMap(\.brand).map(quoted)
            .joined(separator: ", ")
        let others = brands.isEmpty ? "true" : "coalesce(lower(l.brand), '') NOT IN (\(brands))"
        let brand = fee.brand.map { "lower(l.brand) = \(quoted($0))" } ?? others
        return """
            INSERT INTO found (class, l, m, expected)
            SELECT DISTINCT ON (l.id) 'fee-differs', l.n, k.m, x.fee
            FROM link k JOIN l0 l ON l.n = k.l
            CROSS JOIN LATERAL (
                SELECT -(div(l.gross::numeric * \(fee.basisPoints) + 5000, 10000) + \(fee.fixed)) AS fee
            ) x
            WHERE (l.fees IS NOT NULL OR l.n IN (SELECT n FROM free))
                AND l.gross > 0 AND upper(l.line_currency) = upper(\(quoted(fee.currency)))
                AND \(brand) AND \(differs(fee))
            ORDER BY l.id, k.m
            """
    }

    /// The lines without a fee in files with fees: such a file kept none of their money. Another file may have the same
    /// sale without fees.
    private var free: String {
        """
        INSERT INTO free (n)
        WITH telling AS MATERIALIZED (
            SELECT s.statement FROM (
                SELECT DISTINCT p.statement FROM l0 l
                JOIN read_statements.placements p ON p.tenant = $1 AND p.line = l.id
                JOIN read_statements.statements f ON f.tenant = p.tenant AND f.id = p.statement
                    AND \(CountedLines.holds("f"))
                WHERE l.kind = 'money' AND l.fees IS NULL AND l.gross > 0
            ) s
            WHERE EXISTS (
                -- From line to line up to the first with a fee, which is rarely far.
                SELECT FROM read_statements.placements p
                CROSS JOIN LATERAL (
                    SELECT FROM read_statements.lines o
                    WHERE o.tenant = $1 AND o.id = p.line AND o.fees <> 0 AND o.type IN ('sale', 'capture') OFFSET 0
                ) o
                WHERE p.tenant = $1 AND p.statement = s.statement OFFSET 0
            )
        )
        SELECT DISTINCT l.n FROM telling s
        JOIN read_statements.placements p ON p.tenant = $1 AND p.statement = s.statement
        JOIN l0 l ON l.id = p.line AND l.kind = 'money' AND l.fees IS NULL
        """
    }

    /// The condition that the fee of a line differs from the expected one, `x.fee`. Amounts whose arithmetic cannot
    /// overflow are compared as integers, which takes half the time.
    private func differs(_ fee: ExpectedFee) -> String {
        let exact = "abs(coalesce(l.fees, 0)::numeric - x.fee) > \(fee.tolerance)"
        let most = Int64.max / 4
        guard fee.fixed.magnitude <= most.magnitude, fee.basisPoints > 0 else { return exact }
        return """
            CASE WHEN l.gross BETWEEN 0 AND \((most - 5000) / fee.basisPoints) AND coalesce(l.fees, 0) BETWEEN \(-most) AND \(most)
                THEN abs(coalesce(l.fees, 0) + (l.gross * \(fee.basisPoints) + 5000) / 10000 + \(fee.fixed)) > \(fee.tolerance)
                ELSE \(exact)
            END
            """
    }
}
