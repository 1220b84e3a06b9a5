import Matching

/// The ladder as SQL. Only names of columns and numbers are put into it.
///
/// Whatever one rule finds depends only on what the rules before it have left, and never on the order of rows: the same
/// lines and movements are matched in the same way, however they came in.
struct LadderSQL {
    /// Its place in the ladder.
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

    /// That the keys of two tables are equal.
    func equalKeys(_ l: String, _ m: String) -> String {
        zip(lineColumns, ledgerColumns).map { "\(l).\($0) = \(m).\($1)" }.joined(separator: " AND ")
    }

    /// Of `link`. What names a link is in it, so that a million of them need not be looked up again.
    static let columns = "l, m, rule, match, line, transaction, movement, days"

    private var withinDays: String {
        rule.days.map { " AND l.day BETWEEN m.day - \(max(0, $0)) AND m.day + \(max(0, $0))" } ?? ""
    }

    /// Adds what the rule matches to `link`.
    ///
    /// - Parameters:
    ///   - l: The table of the lines that are left.
    ///   - m: The table of the movements that are left.
    func match(_ l: String, _ m: String) -> String {
        switch rule.choice {
        case .inOrder: inOrder(l, m)
        case .unique: unique(l, m)
        case .sum: sums(l, m)
        case .total: totals(m)
        }
    }

    /// The earliest line goes with the earliest movement. Where the rule has days, keys that come again after longer than
    /// that are other keys: each stretch without such a gap is matched by itself.
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
            WITH \(stretches(l, m, among: ["amount"], days)), placed AS (
                SELECT *, row_number() OVER (
                    PARTITION BY \(list(names)), currency, amount, stretch, m IS NULL ORDER BY day NULLS FIRST, name, part
                ) AS place FROM stretches
            )
            SELECT l.l, m.m, \(index), l.name, l.name, m.name, m.part, l.day - m.day
            FROM placed l JOIN placed m ON m.m IS NOT NULL AND \(sameStretch("l", "m")) AND l.amount = m.amount
                AND l.place = m.place AND \(isNear("l", "m", days))
            WHERE l.l IS NOT NULL
            """
    }

    /// What the keys are called in `stretches`.
    private var names: [String] { lineColumns.indices.map { "k\($0)" } }

    /// That two rows of `stretches` have the keys in common, and nothing has come between them for longer than the days.
    private func sameStretch(_ a: String, _ b: String) -> String {
        (names + ["currency", "stretch"]).map { "\(a).\($0) = \(b).\($0)" }.joined(separator: " AND ")
    }

    /// Common tables of both sides, the last one with a row's `stretch`: what comes again under the keys after more days than
    /// these without anything under them is another one. `l` or `m` is the row's number, `name` and `part` its name.
    ///
    /// - Parameter columns: What those of one stretch have in common beside the keys and the currency.
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

    /// That two are no more than so many days apart, as far as their days are known.
    private func isNear(_ l: String, _ m: String, _ days: Int) -> String {
        "coalesce(\(l).day BETWEEN \(m).day - \(days) AND \(m).day + \(days), true)"
    }

    private func unique(_ l: String, _ m: String) -> String {
        // Only what was converted may be off by its rounding.
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

    /// Everything under the keys on one side with the one of the other side that it comes to. Where the rule has days, each
    /// stretch of what stands under them is added up by itself.
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

    /// Totals of one batch on one day are added up: a terminal tells one for each of its applications. A movement that two
    /// such sums may count is in neither.
    private func totals(_ m: String) -> String {
        let lines = list(lineColumns)
        let near = rule.days.map { " AND \(isNear("t", "m", max(0, $0)))" } ?? ""
        let same = zip(lineColumns, lineColumns).map { "l.\($0) = t.\($1)" }.joined(separator: " AND ")
        return """
            INSERT INTO link (\(Self.columns))
            WITH l AS (
                SELECT n, id, day, currency, amount, \(lines),
                    row_number() OVER (PARTITION BY \(lines), currency, day ORDER BY id) AS place
                FROM l0 WHERE kind = 'total' AND NOT has_parts AND \(there(lineColumns))
                    AND NOT EXISTS (SELECT FROM link WHERE link.l = l0.n)
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

    /// Adds to `near` who has the rule's keys in common, among those of two tables.
    func near(_ l: String, _ m: String) -> String {
        guard rule.choice != .total else { return "SELECT" }
        // Where a key is a name only for some days, it says nothing about what is further apart. But a chargeback comes
        // months after its sale.
        let isName = rule.choice == .inOrder || rule.choice == .sum
        let days =
            isName ? rule.days.map { " AND (l.kind = 'chargeback' OR \(isNear("l", "m", max(0, $0))))" } ?? "" : ""
        return """
            INSERT INTO near (l, m, rule)
            SELECT l.n, m.n, \(index) FROM \(l) l JOIN \(m) m ON \(equalKeys("l", "m"))\(days)
            WHERE \(there(lineColumns, in: "l"))
            """
    }

    // MARK: What a change concerns

    /// Adds the payments that share the rule's keys with the lines of a round to the scope, and the lines that share them
    /// with its payments.
    ///
    /// - Parameter round: `$2`; the tenant is `$1`.
    var spread: [String] {
        let equal = equalKeys("l", "m")
        // A total speaks of a whole batch: what happens to one of its payments concerns the total, and the other way round.
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
