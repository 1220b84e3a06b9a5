import Matching

/// The ladder as SQL. Only column names and numbers are interpolated.
///
/// The matches of a rule depend only on what the earlier rules left unmatched, and never on the order of rows: the
/// same lines and movements are matched in the same way, in whatever order they arrived.
struct LadderSQL {
    /// The rule's index in the ladder.
    let index: Int
    let rule: MatchingRule
    /// The places that lines and movements may be at.
    let places: KnownPlaces

    var lineColumns: [String] { rule.keys.map(\.lineColumn) }
    var ledgerColumns: [String] { rule.keys.map(\.ledgerColumn) }

    func list(_ columns: [String], of table: String = "") -> String {
        columns.map { table.isEmpty ? $0 : "\(table).\($0)" }.joined(separator: ", ")
    }

    func there(_ columns: [String], in table: String = "") -> String {
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

    /// The rule's days. Rows of several places are looked at in the same way without a limit.
    var limit: Int? { rule.days.map { max(0, $0) } ?? (places.areSeveral ? Self.anyDays : nil) }

    /// More than between any two days of a ledger.
    private static let anyDays = 100_000

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

    /// Whether a key names one payment. The clock of a terminal may be wrong: such a name with the same authorization
    /// is the same payment at any distance.
    var hasNames: Bool { !rule.keys.allSatisfy(\.comesAgain) }

    /// No id of this length is given twice: UUIDs, and ids that contain a terminal and a moment, have 32 characters and more;
    /// numbers that begin again have at most 12.
    private static let uniqueLength = 20

    /// What shows that two rows with equal keys are about one payment however far apart they are, as an alternative.
    ///
    /// - Parameter code: The column with the authorization code.
    func isSame(_ code: String) -> String {
        guard hasNames else { return "" }
        return " OR l.\(code) = m.\(code)" + isUnique(lineColumns)
    }

    /// An id that is not given twice, as an alternative.
    ///
    /// - Parameter columns: The columns with the line's keys, in the order of the rule's.
    private func isUnique(_ columns: [String]) -> String {
        zip(rule.keys, columns).filter { !$0.0.comesAgain }
            .map { " OR length(l.\($0.1)) >= \(Self.uniqueLength)" }.joined()
    }

    /// The condition, as a further one, that the line `l` was at no other place than the movement `m`, or that their
    /// key is not given twice; empty if no places can differ.
    ///
    /// - Parameters:
    ///   - columns: The columns with the line's keys, in the order of the rule's.
    ///   - prefix: What the names of the columns with terminal and merchant begin with.
    func atOnePlace(_ columns: [String], _ prefix: String = "") -> String {
        guard places.areSeveral else { return "" }
        let areOne = places.areOne(
            terminal: "l.\(prefix)terminal",
            merchant: "l.\(prefix)merchant",
            "m",
            merchant: "m.\(prefix)merchant"
        )
        return " AND (\(areOne)\(isUnique(columns)))"
    }

    /// The names of the keys in `stretches`.
    var names: [String] { lineColumns.indices.map { "k\($0)" } }

    /// The condition that two rows of `stretches` have equal keys and are in the same stretch.
    func sameStretch(_ a: String, _ b: String) -> String {
        (names + ["currency", "stretch"]).map { "\(a).\($0) = \(b).\($0)" }.joined(separator: " AND ")
    }

    /// Common table expressions over both sides; the last one adds the `stretch` of a row. Rows with equal keys are
    /// in different stretches when more than `days` days without such a row are between them. `l` or `m` is the row's
    /// number; `name` and `part` are its name.
    ///
    /// - Parameters:
    ///   - columns: The columns that are equal within a stretch, besides the keys and the currency.
    ///   - prefix: What the names of the columns with the place begin with. In the result it is `at_`, and
    ///     `at_terminal` of a movement is the gateway's name.
    func stretches(
        _ l: String,
        _ m: String,
        among columns: [String] = [],
        _ days: Int,
        _ prefix: String = ""
    ) -> String {
        let line = places.areSeveral ? ", \(prefix)terminal, NULL::text[], \(prefix)merchant" : ""
        let movement =
            places.areSeveral ? ", terminals[array_upper(terminals, 1)], terminals, \(prefix)merchant" : ""
        let place = places.areSeveral ? ", at_terminal, terminals, at_merchant" : ""
        let partition = "PARTITION BY \(list(names + ["currency"] + columns))"
        return """
            details (l, m, name, part, day, currency, amount, \(list(names))\(place)) AS (
                SELECT n, NULL::bigint, id, '', day, currency, amount, \(list(lineColumns))\(line)
                FROM \(l) WHERE \(there(lineColumns))
                UNION ALL
                SELECT NULL, n, transaction, line, day, currency, amount, \(list(ledgerColumns))\(movement)
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
    func isNear(_ l: String, _ m: String, _ days: Int) -> String {
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
                    \(atOnePlace(lineColumns))
                WHERE \(there(lineColumns, in: "l"))
            ) pair WHERE movements = 1 AND lines = 1
            """
    }

    /// Matches all rows with equal keys on one side with the one row of the other side that equals their sum. If the
    /// rule has a number of days, each stretch is added up separately.
    private func sums(_ l: String, _ m: String) -> String {
        if let days = limit { return sums(l, m, days) }
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
        // A sum is of one place or of none.
        let place =
            places.areSeveral
            ? ", bool_and(true\(atOnePlace(names, "at_"))) OVER (PARTITION BY s.match) AS at_one_place" : ""
        return """
            INSERT INTO link (\(Self.columns))
            WITH \(stretches(l, m, days)), ls AS (\(sum("l"))), ms AS (\(sum("m"))), matched AS (
                SELECT ls.* FROM ls JOIN ms ON \(sameStretch("ls", "ms")) AND ls.amount = ms.amount
                    AND (ls.count = 1 OR ms.count = 1) AND ls.count + ms.count > 2
            )
            SELECT l, m, \(index), match, line, transaction, part, days
            FROM (
                SELECT l.l, m.m, s.match, l.name AS line, m.name AS transaction, m.part, l.day - m.day AS days\(place)
                FROM matched s
                JOIN stretches l ON l.l IS NOT NULL AND \(sameStretch("l", "s"))
                JOIN stretches m ON m.m IS NOT NULL AND \(sameStretch("m", "s"))
            ) pair \(place.isEmpty ? "" : "WHERE at_one_place")
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
        let known = places.areSeveral ? ["known_terminal", "known_merchant"] : []
        let place = known.map { ", \($0)" }.joined()
        let same = (lineColumns.map { "l.\($0) = t.\($0)" } + known.map { "l.\($0) IS NOT DISTINCT FROM t.\($0)" })
            .joined(separator: " AND ")
        let areOne = places.areOne(
            terminal: "t.known_terminal",
            merchant: "t.known_merchant",
            "m",
            merchant: "m.merchant"
        )
        return """
            INSERT INTO link (\(Self.columns))
            WITH totals AS (
                SELECT n, id, day, currency, amount, \(lines)\(places.columns)
                FROM l0 WHERE kind = 'total' AND NOT has_parts AND \(there(lineColumns))
                    AND NOT EXISTS (SELECT FROM link WHERE link.l = l0.n) \(unnamed)
            ), l AS (
                SELECT *, row_number() OVER (PARTITION BY \(lines), currency, day\(place) ORDER BY id) AS place
                FROM totals
            ), t AS (
                SELECT \(lines), currency, day\(place), sum(amount) AS amount, min(id::text)::uuid AS match
                FROM l GROUP BY \(lines), currency, day\(place)
            ), counted AS (
                SELECT m.n, m.transaction, m.line, m.day AS moved, m.amount AS part, t.*,
                    count(*) OVER (PARTITION BY m.n) AS sums
                FROM t JOIN \(m) m ON \(equalKeys("t", "m")) AND t.currency = m.currency\(near) AND \(areOne)
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
            \(atOnePlace(lineColumns))
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
