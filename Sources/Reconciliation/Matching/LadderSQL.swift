import Matching

/// The ladder as SQL. Only column names and numbers are interpolated.
///
/// The matches of a rule depend only on what the earlier rules left unmatched, and never on the order of rows: the
/// same lines and movements are matched in the same way, in whatever order they arrived.
struct LadderSQL {
    /// The rule's index in the ladder.
    let index: Int
    let rule: MatchingRule

    private var lineColumns: [String] { rule.keys.map(\.lineColumn) }
    private var ledgerColumns: [String] { rule.keys.map(\.ledgerColumn) }

    private func list(_ columns: [String], of table: String = "") -> String {
        columns.map { table.isEmpty ? $0 : "\(table).\($0)" }.joined(separator: ", ")
    }

    private func there(_ columns: [String], in table: String = "") -> String {
        columns.map { "\(table.isEmpty ? "" : "\(table).")\($0) IS NOT NULL" }.joined(separator: " AND ")
    }

    /// The condition that the keys of two tables are equal.
    func equalKeys(_ l: String, _ m: String) -> String {
        zip(lineColumns, ledgerColumns).map { "\(l).\($0) = \(m).\($1)" }.joined(separator: " AND ")
    }

    /// The columns of `link`. They include the ids of both ends, so that a million links need no further lookup.
    static let columns = "l, m, rule, match, line, transaction, movement, days"

    private var withinDays: String {
        rule.days.map { " AND l.day BETWEEN m.day - \(max(0, $0)) AND m.day + \(max(0, $0))" } ?? ""
    }

    /// Adds the matches of the rule to `link`.
    ///
    /// - Parameters:
    ///   - l: The table of the unmatched lines.
    ///   - m: The table of the unmatched movements.
    func match(_ l: String, _ m: String) -> String {
        switch rule.choice {
        case .inOrder: inOrder(l, m)
        case .unique: unique(l, m)
        case .sum: sums(l, m)
        case .total: totals(m)
        }
    }

    /// Matches the earliest line with the earliest movement. If the rule has a number of days, keys that recur after
    /// a longer gap are different keys: each stretch without such a gap is matched separately. Nearly all keys occur once on
    /// each side, and are compared without looking for gaps.
    private func inOrder(_ l: String, _ m: String) -> String {
        let (lines, movements) = (list(lineColumns), list(ledgerColumns))
        guard let days = rule.days.map({ max(0, $0) }) else {
            return """
                INSERT INTO link (\(Self.columns))
                SELECT l.n, m.n, \(index), l.id, l.id, m.transaction, m.line, l.day - m.day
                FROM (
                    SELECT n, id, day, \(lines), currency, amount,
                        row_number() OVER (PARTITION BY \(lines), currency, amount ORDER BY day, id) AS place
                    FROM \(l) WHERE \(there(lineColumns))
                ) l
                JOIN (
                    SELECT n, transaction, line, day, \(movements), currency, amount,
                        row_number() OVER (PARTITION BY \(movements), currency, amount ORDER BY day, transaction, line) AS place
                    FROM \(m) WHERE \(there(ledgerColumns))
                ) m ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount AND l.place = m.place
                """
        }
        return """
            INSERT INTO link (\(Self.columns))
            WITH lines AS (
                SELECT n, id, day, \(lines), currency, amount, auth_code AS code,
                    count(*) OVER (PARTITION BY \(lines), currency, amount) AS equal
                FROM \(l) WHERE \(there(lineColumns))
            ), movements AS (
                SELECT n, transaction, line, day, \(movements), currency, amount, auth_code AS code,
                    count(*) OVER (PARTITION BY \(movements), currency, amount) AS equal
                FROM \(m) WHERE \(there(ledgerColumns))
            ), recurring AS (
                SELECT \(lines), currency, amount FROM lines WHERE equal > 1
                UNION SELECT \(movements), currency, amount FROM movements WHERE equal > 1
            ), recurring_lines AS (
                SELECT l.* FROM lines l JOIN recurring r ON \(recurs("l", lineColumns))
            ), recurring_movements AS (
                SELECT m.* FROM movements m JOIN recurring r ON \(recurs("m", ledgerColumns))
            ), \(stretches("recurring_lines", "recurring_movements", among: ["amount"], days)), placed AS (
                SELECT *, row_number() OVER (
                    PARTITION BY \(list(names)), currency, amount, stretch, m IS NULL ORDER BY day NULLS FIRST, name, part
                ) AS place FROM stretches
            ), paired AS (
                SELECT l.l, m.m, l.name AS line, m.name AS transaction, m.part, l.day - m.day AS days
                FROM placed l JOIN placed m ON m.m IS NOT NULL AND \(sameStretch("l", "m")) AND l.amount = m.amount
                    AND l.place = m.place AND \(isNear("l", "m", days))
                WHERE l.l IS NOT NULL
            )
            SELECT l.n, m.n, \(index), l.id, l.id, m.transaction, m.line, l.day - m.day
            FROM lines l JOIN movements m
                ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount
            WHERE l.equal = 1 AND m.equal = 1 AND (\(isNear("l", "m", days))\(isSame("code")))
            UNION ALL
            SELECT l, m, \(index), line, line, transaction, part, days FROM paired
            \(hasNames ? confirmed : "")
            """
    }

    /// Whether a key names one payment. The clock of a terminal may be wrong: such a name with the same authorization
    /// is the same payment at any distance.
    private var hasNames: Bool { !rule.keys.allSatisfy(\.comesAgain) }

    /// No id of this length is given twice: UUIDs, and ids that contain a terminal and a moment, have 32 characters and more;
    /// numbers that begin again have at most 12.
    private static let uniqueLength = 20

    /// What shows that two rows with equal keys are about one payment however far apart they are, as an alternative.
    ///
    /// - Parameter code: The column with the authorization code.
    private func isSame(_ code: String) -> String {
        guard hasNames else { return "" }
        let names = rule.keys.filter { !$0.comesAgain }
        return " OR l.\(code) = m.\(code)"
            + names.map { " OR length(l.\($0.lineColumn)) >= \(Self.uniqueLength)" }.joined()
    }

    /// The recurring rows that no stretch has paired and that have the same authorization.
    private var confirmed: String {
        func left(_ rows: String, _ number: String, _ keys: [String], by order: String) -> String {
            """
            SELECT r.*,
                row_number() OVER (PARTITION BY \(list(keys)), currency, amount, code ORDER BY \(order)) AS place
            FROM \(rows) r WHERE code IS NOT NULL AND NOT EXISTS (SELECT FROM paired p WHERE p.\(number) = r.n)
            """
        }
        return """
            UNION ALL
            SELECT l.n, m.n, \(index), l.id, l.id, m.transaction, m.line, l.day - m.day
            FROM (\(left("recurring_lines", "l", lineColumns, by: "day, id"))) l
            JOIN (\(left("recurring_movements", "m", ledgerColumns, by: "day, transaction, line"))) m
                ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount AND l.code = m.code
                AND l.place = m.place
            """
    }

    /// The condition that a row has the keys, currency and amount of the row `r` of `recurring`.
    private func recurs(_ row: String, _ columns: [String]) -> String {
        zip(columns + ["currency", "amount"], lineColumns + ["currency", "amount"])
            .map { "\(row).\($0) = r.\($1)" }.joined(separator: " AND ")
    }

    /// The names of the keys in `stretches`.
    private var names: [String] { lineColumns.indices.map { "k\($0)" } }

    /// The condition that two rows of `stretches` have equal keys and are in the same stretch.
    private func sameStretch(_ a: String, _ b: String) -> String {
        (names + ["currency", "stretch"]).map { "\(a).\($0) = \(b).\($0)" }.joined(separator: " AND ")
    }

    /// Common table expressions over both sides; the last one adds the `stretch` of a row. Rows with equal keys are
    /// in different stretches when more than `days` days without such a row are between them. `l` or `m` is the row's
    /// number; `name` and `part` are its name.
    ///
    /// - Parameter columns: The columns that are equal within a stretch, besides the keys and the currency.
    private func stretches(_ l: String, _ m: String, among columns: [String] = [], _ days: Int) -> String {
        func named(_ columns: [String]) -> String {
            zip(columns, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        }
        let partition = "PARTITION BY \(list(names + ["currency"] + columns))"
        return """
            details AS (
                SELECT n AS l, NULL::bigint AS m, id AS name, '' AS part, day, currency, amount, \(named(lineColumns))
                FROM \(l) WHERE \(there(lineColumns))
                UNION ALL
                SELECT NULL, n, transaction, line, day, currency, amount, \(named(ledgerColumns))
                FROM \(m) WHERE \(there(ledgerColumns))
            ), apart AS (
                SELECT *, CASE WHEN day - lag(day) OVER (\(partition) ORDER BY day NULLS FIRST) > \(days) THEN 1 ELSE 0 END AS gap
                FROM details
            ), stretches AS (
                SELECT *, sum(gap) OVER (\(partition) ORDER BY day NULLS FIRST) AS stretch FROM apart
            )
            """
    }

    /// The condition that two rows are at most `days` apart, if their days are known.
    private func isNear(_ l: String, _ m: String, _ days: Int) -> String {
        "coalesce(\(l).day BETWEEN \(m).day - \(days) AND \(m).day + \(days), true)"
    }

    private func unique(_ l: String, _ m: String) -> String {
        // Only converted amounts may differ, by their rounding.
        let amounts =
            rule.tolerance > 0
            ? """
            (l.amount = m.amount
                OR upper(l.line_currency) <> upper(l.currency) AND abs(l.amount::numeric - m.amount) <= \(rule.tolerance))
            """ : "l.amount = m.amount"
        return """
            INSERT INTO link (\(Self.columns))
            SELECT l, m, \(index), id, id, transaction, line, days
            FROM (
                SELECT l.n AS l, m.n AS m, l.id, m.transaction, m.line, l.day - m.day AS days, count(*) OVER (PARTITION BY l.n) AS movements,
                    count(*) OVER (PARTITION BY m.n) AS lines
                FROM \(l) l JOIN \(m) m
                    ON \(equalKeys("l", "m")) AND l.currency = m.currency AND \(amounts)\(withinDays)
                WHERE \(there(lineColumns, in: "l"))
            ) pair WHERE movements = 1 AND lines = 1
            """
    }

    /// Matches all rows with equal keys on one side with the one row of the other side that equals their sum. If the
    /// rule has a number of days, each stretch is added up separately.
    private func sums(_ l: String, _ m: String) -> String {
        if let days = rule.days.map({ max(0, $0) }) { return sums(l, m, days) }
        let (lines, movements) = (list(lineColumns), list(ledgerColumns))
        return """
            INSERT INTO link (\(Self.columns))
            SELECT l.n, m.n, \(index), ls.match, l.id, m.transaction, m.line, l.day - m.day
            FROM (
                SELECT \(lines), currency, sum(amount) AS amount, count(*) AS count, min(id::text)::uuid AS match
                FROM \(l) WHERE \(there(lineColumns)) GROUP BY \(lines), currency
            ) ls
            JOIN (
                SELECT \(movements), currency, sum(amount) AS amount, count(*) AS count
                FROM \(m) WHERE \(there(ledgerColumns)) GROUP BY \(movements), currency
            ) ms ON \(equalKeys("ls", "ms")) AND ls.currency = ms.currency AND ls.amount = ms.amount
                AND (ls.count = 1 OR ms.count = 1) AND ls.count + ms.count > 2
            JOIN \(l) l ON \(zip(lineColumns, lineColumns).map { "l.\($0) = ls.\($1)" }.joined(separator: " AND "))
                AND l.currency = ls.currency
            JOIN \(m) m ON \(equalKeys("l", "m")) AND l.currency = m.currency
            """
    }

    private func sums(_ l: String, _ m: String, _ days: Int) -> String {
        func sum(_ side: String) -> String {
            """
            SELECT \(list(names)), currency, stretch, sum(amount) AS amount, count(*) AS count, min(name::text)::uuid AS match
            FROM stretches WHERE \(side) IS NOT NULL GROUP BY \(list(names)), currency, stretch
            """
        }
        return """
            INSERT INTO link (\(Self.columns))
            WITH \(stretches(l, m, days)), ls AS (\(sum("l"))), ms AS (\(sum("m"))), matched AS (
                SELECT ls.* FROM ls JOIN ms ON \(sameStretch("ls", "ms")) AND ls.amount = ms.amount
                    AND (ls.count = 1 OR ms.count = 1) AND ls.count + ms.count > 2
            )
            SELECT l.l, m.m, \(index), s.match, l.name, m.name, m.part, l.day - m.day
            FROM matched s
            JOIN stretches l ON l.l IS NOT NULL AND \(sameStretch("l", "s"))
            JOIN stretches m ON m.m IS NOT NULL AND \(sameStretch("m", "s"))
            """
    }

    /// Totals of one batch on one day are added up, because a terminal reports one for each of its applications. A
    /// movement that fits two such sums belongs to neither. Unless the terminal is a key, a total is of no terminal that
    /// has payments in a batch of its number: other ones are not that terminal's.
    private func totals(_ m: String) -> String {
        let lines = list(lineColumns)
        let isOfTerminal = rule.keys.contains(.terminal) || !rule.keys.contains(.batch)
        let unnamed =
            isOfTerminal
            ? "" : "AND NOT EXISTS (SELECT FROM m0 o WHERE o.terminal = l0.terminal AND o.batch = l0.batch)"
        let near = rule.days.map { " AND \(isNear("t", "m", max(0, $0)))" } ?? ""
        let same = zip(lineColumns, lineColumns).map { "l.\($0) = t.\($1)" }.joined(separator: " AND ")
        return """
            INSERT INTO link (\(Self.columns))
            WITH l AS (
                SELECT n, id, day, currency, amount, \(lines),
                    row_number() OVER (PARTITION BY \(lines), currency, day ORDER BY id) AS place
                FROM l0 WHERE kind = 'total' AND NOT has_parts AND \(there(lineColumns))
                    AND NOT EXISTS (SELECT FROM link WHERE link.l = l0.n) \(unnamed)
            ), t AS (
                SELECT \(lines), currency, day, sum(amount) AS amount, min(id::text)::uuid AS match
                FROM l GROUP BY \(lines), currency, day
            ), counted AS (
                SELECT m.n, m.transaction, m.line, m.day AS moved, m.amount AS part, t.*,
                    count(*) OVER (PARTITION BY m.n) AS sums
                FROM t JOIN \(m) m ON \(equalKeys("t", "m")) AND t.currency = m.currency\(near)
            ), balanced AS (
                SELECT *, sum(part) OVER batch AS counted, max(sums) OVER batch AS shared,
                    row_number() OVER (batch ORDER BY transaction, line) AS place
                FROM counted WINDOW batch AS (PARTITION BY match)
            )
            SELECT l.n, t.n, \(index), t.match, l.id, t.transaction, t.line, l.day - t.moved
            FROM balanced t JOIN l ON \(same) AND l.currency = t.currency AND l.day IS NOT DISTINCT FROM t.day
                -- Each is in one link at least, and none says what another one says.
                AND (l.place = 1 OR t.place = 1)
            WHERE t.counted = t.amount AND t.shared = 1
            """
    }

    /// Adds pairs of the two tables with equal keys to `near`. Without a value on one side, the other is not read.
    func near(_ l: String, _ m: String) -> String {
        guard rule.choice != .total else { return "SELECT" }
        // A key that is unique only for some days proves nothing for rows further apart. A chargeback is the
        // exception: it comes months after its sale.
        let isName = rule.choice == .inOrder || rule.choice == .sum
        // Whatever the key is, the same authorization shows that it is the same payment's.
        let isCode = rule.keys.contains(.authorizationCode)
        let same = hasNames ? isSame("auth_code") : isCode ? "" : " OR l.auth_code = m.auth_code"
        let days = rule.days.map { " AND (l.kind = 'chargeback' OR \(isNear("l", "m", max(0, $0)))\(same))" }
        return """
            INSERT INTO near (l, m, rule)
            SELECT l.n, m.n, \(index) FROM \(l) l JOIN \(m) m ON \(equalKeys("l", "m"))\(isName ? days ?? "" : "")
            WHERE \(there(lineColumns, in: "l")) AND \(there(ledgerColumns, in: "m"))
            """
    }

    // MARK: Scope of a change

    /// Adds the payments with the same keys as the lines of a round to the scope, and the lines with the same keys as
    /// its payments. `$2` is the round and `$1` the tenant.
    var spread: [String] {
        // These tables have the names of merchants that lines and payments have.
        let equal = rule.keys.map { key in
            let (line, movement) = ("l.\(key.lineColumn)", "m.\(key.ledgerColumn)")
            guard key == .merchant else { return "\(line) = \(movement)" }
            return "\(MerchantNames.best(line)) = \(MerchantNames.best(movement))"
        }.joined(separator: " AND ")
        // A total covers a whole batch: a change of one of its payments affects the total, and the other way round.
        let kinds = rule.choice == .total ? " AND l.role = 'total'" : ""
        return [
            """
            INSERT INTO scope_transactions
            SELECT DISTINCT m.transaction, $2::int + 1
            FROM scope_lines s
            JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line
            JOIN read_movements.movements m ON m.tenant = $1 AND \(equal)
            WHERE s.round = $2::int\(kinds)
            ON CONFLICT DO NOTHING
            """,
            """
            INSERT INTO scope_lines
            SELECT DISTINCT l.id, $2::int + 1
            FROM scope_transactions s
            JOIN read_movements.movements m ON m.tenant = $1 AND m.transaction = s.transaction
            JOIN read_statements.lines l ON l.tenant = $1 AND \(equal) AND l.side = 'processor'
            WHERE s.round = $2::int\(kinds)
            ON CONFLICT DO NOTHING
            """,
        ]
    }
}
