import Matching

/// The deposit rules as SQL over the tables of `deposits.sql`. Only column names and numbers are interpolated.
///
/// As with `LadderSQL`, the matches of a rule depend only on what the earlier rules left unmatched, and never on the
/// order of rows.
struct DepositSQL {
    /// The rule's index in the ladder.
    let index: Int
    let rule: DepositRule

    /// The payout column of a key.
    private static func payoutColumn(_ key: DepositKey) -> String {
        switch key {
        case .bankReference, .endToEnd, .customerReference: "payout"
        case .trace: "trace"
        case .account: "account"
        case .remittance: "payout_word"
        case .merchant: "merchant_word"
        case .batch: "batch_word"
        }
    }

    /// The deposit column of a key; nil when the key is only compared with the words of the entry.
    private static func depositColumn(_ key: DepositKey) -> String? {
        switch key {
        case .bankReference, .trace: "bank_reference"
        case .endToEnd: "end_to_end"
        case .customerReference: "reference"
        case .account: "account"
        case .remittance: "named"
        case .merchant, .batch: nil
        }
    }

    private var days: Int? { rule.days.map { min(max(0, $0), 36_500) } }

    private var withinDays: String {
        days.map { " AND d.day BETWEEN p.day - \($0) AND p.day + \($0)" } ?? ""
    }

    /// Payouts and deposits with equal keys.
    private func pairs(_ p: String, _ d: String) -> String {
        let words = rule.keys.filter(\.isWord).enumerated()
        let joins = words.map { place, key in
            "JOIN deposit_words w\(place) ON w\(place).word = p.\(Self.payoutColumn(key))"
        }
        var conditions = words.map { place, _ in "w\(place).d = d.n" }
        for key in rule.keys where !key.isWord {
            guard let column = Self.depositColumn(key) else { continue }
            conditions.append("p.\(Self.payoutColumn(key)) = d.\(column)")
        }
        conditions.append("p.currency = d.currency")
        return
            "\(p) p \(joins.joined(separator: " ")) JOIN \(d) d ON \(conditions.joined(separator: " AND "))\(withinDays)"
    }

    /// Adds the matches of the rule to `deposit_link`.
    ///
    /// - Parameters:
    ///   - p: The table of the unmatched payouts.
    ///   - d: The table of the unmatched deposits.
    func match(_ p: String, _ d: String) -> String {
        switch rule.choice {
        case .inOrder:
            let columns = rule.keys.compactMap(Self.depositColumn)
            return columns.isEmpty || columns.count < rule.keys.count ? unique(p, d) : inOrder(p, d, columns)
        case .unique: return unique(p, d)
        // Without a key, everything would be one sum.
        case .sum: return rule.keys.isEmpty ? "SELECT" : sums(p, d)
        case .payoutsOfDay:
            return ofDay(grouped: p, single: d, by: ["sender", "merchant"]) { "\($0).n, \($1).n" }
        case .depositsOfDay:
            return ofDay(grouped: d, single: p, by: ["account", "party"]) { "\($1).n, \($0).n" }
        }
    }

    private func inOrder(_ p: String, _ d: String, _ columns: [String]) -> String {
        let payouts = rule.keys.map(Self.payoutColumn)
        func numbered(_ table: String, _ keys: [String]) -> String {
            """
            (
                SELECT n, id, day, \(keys.joined(separator: ", ")), currency, amount,
                    row_number() OVER (PARTITION BY \(keys.joined(separator: ", ")), currency, amount ORDER BY day, id) AS place
                FROM \(table) WHERE \(keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
            )
            """
        }
        let equal = zip(payouts, columns).map { "p.\($0) = d.\($1)" }.joined(separator: " AND ")
        return """
            INSERT INTO deposit_link (p, d, rule, match)
            SELECT p.n, d.n, \(index), p.id
            FROM \(numbered(p, Self.distinct(payouts))) p JOIN \(numbered(d, Self.distinct(columns))) d
                ON \(equal) AND p.currency = d.currency AND p.amount = d.amount AND p.place = d.place\(withinDays)
            """
    }

    /// The columns without repetitions, because two keys may use the same column.
    private static func distinct(_ columns: [String]) -> [String] {
        columns.enumerated().filter { !columns.prefix($0.offset).contains($0.element) }.map(\.element)
    }

    private func unique(_ p: String, _ d: String) -> String {
        """
        INSERT INTO deposit_link (p, d, rule, match)
        SELECT p, d, \(index), id
        FROM (
            SELECT p.n AS p, d.n AS d, p.id, count(*) OVER (PARTITION BY p.n) AS deposits,
                count(*) OVER (PARTITION BY d.n) AS payouts
            FROM \(pairs(p, d)) AND p.amount = d.amount
        ) pair WHERE deposits = 1 AND payouts = 1
        """
    }

    /// Several payouts in one deposit, or one payout in several deposits.
    private func sums(_ p: String, _ d: String) -> String {
        """
        WITH pair AS (
            SELECT p.n AS p, d.n AS d, p.id, p.amount AS paid, d.amount AS came,
                count(*) OVER (PARTITION BY p.n) AS deposits, count(*) OVER (PARTITION BY d.n) AS payouts
            FROM \(pairs(p, d))
        ), gathered AS (
            SELECT d, min(id::text)::uuid AS match FROM pair GROUP BY d, came
            HAVING count(*) > 1 AND max(deposits) = 1 AND sum(paid) = came
        ), divided AS (
            SELECT p FROM pair GROUP BY p, paid HAVING count(*) > 1 AND max(payouts) = 1 AND sum(came) = paid
        )
        INSERT INTO deposit_link (p, d, rule, match)
        SELECT pair.p, pair.d, \(index), g.match FROM pair JOIN gathered g ON g.d = pair.d
        UNION ALL
        SELECT pair.p, pair.d, \(index), pair.id FROM pair JOIN divided v ON v.p = pair.p
        """
    }

    /// Matches groups of one side with the same day, currency and columns to one row of the other side with the same
    /// sum.
    private func ofDay(
        grouped: String,
        single: String,
        by columns: [String],
        _ pair: (_ grouped: String, _ single: String) -> String
    ) -> String {
        let list = (["day", "currency"] + columns).joined(separator: ", ")
        let group = (["day", "currency"] + columns).map { "g.\($0)" }.joined(separator: ", ")
        let same = columns.map { " AND g.\($0) IS NOT DISTINCT FROM x.\($0)" }.joined()
        let near = days.map { " AND s.day BETWEEN g.day - \($0) AND g.day + \($0)" } ?? ""
        return """
            INSERT INTO deposit_link (p, d, rule, match)
            SELECT \(pair("g", "x")), \(index), \(rule.choice == .payoutsOfDay ? "x.match" : "x.id")
            FROM (
                SELECT g.*, s.n, s.id, count(*) OVER (PARTITION BY \(group)) AS singles,
                    count(*) OVER (PARTITION BY s.n) AS groups
                FROM (
                    SELECT \(list), sum(amount) AS amount, min(id::text)::uuid AS match
                    FROM \(grouped) WHERE day IS NOT NULL GROUP BY \(list) HAVING count(*) > 1
                ) g JOIN \(single) s ON s.currency = g.currency AND s.amount = g.amount\(near)
            ) x JOIN \(grouped) g ON g.day = x.day AND g.currency = x.currency\(same)
            WHERE x.singles = 1 AND x.groups = 1
            """
    }

    /// Adds pairs of the two tables with equal keys to `deposit_near`.
    func near(_ p: String, _ d: String) -> String {
        guard rule.choice == .inOrder, !rule.keys.isEmpty else { return "SELECT" }
        return """
            INSERT INTO deposit_near (p, d, rule)
            SELECT p.n, d.n, \(index) FROM \(pairs(p, d))
            """
    }
}
