extension LadderSQL {
    /// Matches the earliest line with the earliest movement. If the rule has a number of days, keys that recur after
    /// a longer gap are different keys: each stretch without such a gap is matched separately. Nearly all keys occur
    /// once on each side, and are compared without looking for gaps.
    func inOrder(_ l: String, _ m: String) -> String {
        let (lines, movements) = (list(lineColumns), list(ledgerColumns))
        guard let days = limit else {
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
                        row_number() OVER (
                            PARTITION BY \(movements), currency, amount ORDER BY day, transaction, line
                        ) AS place
                    FROM \(m) WHERE \(there(ledgerColumns))
                ) m ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount AND l.place = m.place
                """
        }
        let (at, moved) =
            places.areSeveral
            ? (" terminal AS at_terminal, merchant AS at_merchant,", " terminals, merchant AS at_merchant,") : ("", "")
        return """
            INSERT INTO link (\(Self.columns))
            WITH lines AS (
                SELECT n, id, day, \(lines), currency, amount, auth_code AS code,\(at)
                    count(*) OVER (PARTITION BY \(lines), currency, amount) AS equal
                FROM \(l) WHERE \(there(lineColumns))
            ), movements AS (
                SELECT n, transaction, line, day, \(movements), currency, amount, auth_code AS code,\(moved)
                    count(*) OVER (PARTITION BY \(movements), currency, amount) AS equal
                FROM \(m) WHERE \(there(ledgerColumns))
            ), recurring AS (
                SELECT \(lines), currency, amount FROM lines WHERE equal > 1
                UNION SELECT \(movements), currency, amount FROM movements WHERE equal > 1
            ), recurring_lines AS (
                SELECT l.* FROM lines l JOIN recurring r ON \(recurs("l", lineColumns))
            ), recurring_movements AS (
                SELECT m.* FROM movements m JOIN recurring r ON \(recurs("m", ledgerColumns))
            ), \(stretches("recurring_lines", "recurring_movements", among: ["amount"], days, "at_")), \(pairs(days))
            SELECT l.n, m.n, \(index), l.id, l.id, m.transaction, m.line, l.day - m.day
            FROM lines l JOIN movements m
                ON \(equalKeys("l", "m")) AND l.currency = m.currency AND l.amount = m.amount
            WHERE l.equal = 1 AND m.equal = 1 AND (\(isNear("l", "m", days))\(isSame("code")))
                \(atOnePlace(lineColumns, "at_"))
            UNION ALL
            SELECT l, m, \(index), line, line, transaction, part, days FROM paired
            \(hasNames ? confirmed : "")
            """
    }

    /// Common table expressions over `stretches`; the last one, `paired`, has the pairs of recurring rows: first those
    /// of one terminal, then those of one merchant, then others that are not of two places. The earliest are paired
    /// with the earliest each time, in the last step of the rows that may have a partner.
    private func pairs(_ days: Int) -> String {
        let steps: [String?] = places.areSeveral ? ["at_terminal", "at_merchant", nil] : [nil]
        var rows = "stretches"
        var tables: [String] = []
        func fit(_ step: Int) -> String {
            """
            l.l IS NOT NULL AND m.m IS NOT NULL AND \(sameStretch("l", "m")) AND l.amount = m.amount
                AND \(isNear("l", "m", days))\(steps[step].map { " AND l.\($0) = m.\($0)" } ?? "")\(atOnePlace(names, "at_"))
            """
        }
        for (step, column) in steps.enumerated() {
            if column == nil, step > 0 {
                tables.append(
                    """
                    fitting AS (
                        SELECT l.* FROM \(rows) l WHERE EXISTS (SELECT FROM \(rows) m WHERE \(fit(step)))
                        UNION ALL SELECT m.* FROM \(rows) m WHERE EXISTS (SELECT FROM \(rows) l WHERE \(fit(step)))
                    )
                    """
                )
                rows = "fitting"
            }
            let own = column.map { "\($0), " } ?? ""
            tables.append(
                """
                placed_\(step) AS (
                    SELECT *, row_number() OVER (
                        PARTITION BY \(list(names)), currency, amount, stretch, \(own)m IS NULL
                        ORDER BY day NULLS FIRST, name, part
                    ) AS place FROM \(rows) \(column.map { "WHERE \($0) IS NOT NULL" } ?? "")
                ), paired_\(step) AS (
                    SELECT l.l, m.m, l.name AS line, m.name AS transaction, m.part, l.day - m.day AS days
                    FROM placed_\(step) l JOIN placed_\(step) m ON l.place = m.place AND \(fit(step))
                )
                """
            )
            guard step < steps.count - 1 else { break }
            tables.append(
                """
                left_\(step) AS (
                    SELECT s.* FROM \(rows) s
                    LEFT JOIN paired_\(step) a ON a.l = s.l LEFT JOIN paired_\(step) b ON b.m = s.m
                    WHERE a.l IS NULL AND b.m IS NULL
                )
                """
            )
            rows = "left_\(step)"
        }
        let all = steps.indices.map { "SELECT * FROM paired_\($0)" }.joined(separator: " UNION ALL ")
        return tables.joined(separator: ", ") + ", paired AS (\(all))"
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
                AND l.place = m.place\(atOnePlace(lineColumns, "at_"))
            """
    }

    /// The condition that a row has the keys, currency and amount of the row `r` of `recurring`.
    private func recurs(_ row: String, _ columns: [String]) -> String {
        zip(columns + ["currency", "amount"], lineColumns + ["currency", "amount"])
            .map { "\(row).\($0) = r.\($1)" }.joined(separator: " AND ")
    }
}
