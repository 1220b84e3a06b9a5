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

    private func inOrder(_ l: String, _ m: String) -> String {
        let (lines, movements) = (list(lineColumns), list(ledgerColumns))
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
            ) m ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount AND l.place = m.place\(withinDays)
            """
    }

    private func unique(_ l: String, _ m: String) -> String {
        let amounts =
            rule.tolerance > 0
            ? "abs(l.amount::numeric - m.amount) <= \(rule.tolerance)" : "l.amount = m.amount"
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

    private func sums(_ l: String, _ m: String) -> String {
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

    private func totals(_ m: String) -> String {
        let movements = list(ledgerColumns)
        return """
            INSERT INTO link (\(Self.columns))
            SELECT l.n, m.n, \(index), l.id, l.id, m.transaction, m.line, l.day - m.day
            FROM (
                SELECT *, count(*) OVER (PARTITION BY \(list(lineColumns)), currency) AS count
                FROM l0 WHERE kind = 'total' AND NOT has_parts AND \(there(lineColumns))
                    AND NOT EXISTS (SELECT FROM link WHERE link.l = l0.n)
            ) l
            JOIN (
                SELECT \(movements), currency, sum(amount) AS amount
                FROM \(m) WHERE \(there(ledgerColumns)) GROUP BY \(movements), currency
            ) ms ON \(equalKeys("l", "ms")) AND l.currency = ms.currency AND l.amount = ms.amount AND l.count = 1
            JOIN \(m) m ON \(equalKeys("l", "m")) AND l.currency = m.currency
            """
    }

    /// Adds to `near` who has the rule's keys in common, among those of two tables.
    func near(_ l: String, _ m: String) -> String {
        guard rule.choice != .total else { return "SELECT" }
        return """
            INSERT INTO near (l, m, rule)
            SELECT l.n, m.n, \(index) FROM \(l) l JOIN \(m) m ON \(equalKeys("l", "m"))
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
        let kinds = rule.choice == .total ? " AND l.standing = 'total'" : ""
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
