package import Canonical
import Matching
import Postgres
package import Projections

extension ReconciliationQuery {
    /// The explanation of all lines and movements in a scope as of a position. Reads all of them. The same position
    /// always yields the same figures.
    ///
    /// - Parameters:
    ///   - position: The read models `reconciliation`, `statements`, `batches` and `transactions` must have reached
    ///     it.
    ///   - days: The business day that decides the day of movements, and of exceptions without a line.
    ///   - now: The end of the ages of exceptions.
    package func report(
        of tenant: String,
        _ scope: ReportScope,
        at position: Int64,
        by days: BusinessDay = .standard,
        now: Timestamp
    ) async throws -> ReconciliationReport {
        func run(_ statement: (sql: String, parameters: [PostgresValue])) async throws -> PostgresRows {
            try await pool.query(statement.sql, statement.parameters)
        }
        var scope = scope
        let merchants = MerchantQuery(pool: pool)
        scope.otherNames = try await merchants.otherNames(of: scope.merchant, tenant: tenant, at: position)
        var sql = ReportSQL(tenant: tenant, scope: scope, position: position, days: days)
        sql.batchDays = try await matchingRules(of: tenant, at: position).batchDays
        sql.names = try await merchants.bestNames(of: tenant, at: position, since: position)
        let covers = try await run(sql.covers).first?.int64(0)
        return ReconciliationReport(
            position: position,
            covers: covers,
            now: now,
            days: days,
            account: try await run(sql.account).map { row in
                ReconciliationReport.AccountLine(
                    currency: try row.text(0),
                    kind: .init(rawValue: try row.text(1)) ?? .other,
                    count: try row.int64(2),
                    gross: try row.int64OrNull(3),
                    fees: try row.int64OrNull(4),
                    amount: try row.int64OrNull(5)
                )
            },
            processor: try await run(sql.processor).map(ReconciliationReport.Share.init),
            ledger: try await run(sql.ledger(covers: covers ?? 0)).map(ReconciliationReport.Share.init),
            exceptions: try await run(sql.exceptions(now: now)).map { row in
                ReconciliationReport.ExceptionShare(
                    exceptionClass: try row.text(0),
                    currency: try row.textOrNull(1),
                    ages: [try row.int64(2), try row.int64(3), try row.int64(4), try row.int64(5)],
                    open: try row.int64(6),
                    openAmount: try row.int64OrNull(7),
                    unattributed: try row.int64(10),
                    resolved: try row.int64(8),
                    resolvedAmount: try row.int64OrNull(9)
                )
            },
            deposits: try await DepositQuery(pool: pool).coverage(of: tenant, at: position)
        )
    }

    /// A merchant's open exceptions about a day or an earlier one, by class and currency, as of a position. They
    /// equal the open exceptions in the report of these days.
    ///
    /// - Parameters:
    ///   - day: The last day.
    ///   - days: The merchant's business day.
    package func open(
        of tenant: String,
        merchant: String,
        upTo day: CivilDate,
        at position: Int64,
        by days: BusinessDay
    ) async throws -> [OpenExceptions] {
        var scope = ReportScope(to: day, merchant: merchant)
        let merchants = MerchantQuery(pool: pool)
        scope.otherNames = try await merchants.otherNames(of: merchant, tenant: tenant, at: position)
        let (sql, parameters) = ReportSQL(tenant: tenant, scope: scope, position: position, days: days).open
        return try await pool.query(sql, parameters).map { row in
            OpenExceptions(
                exceptionClass: try row.text(0),
                currency: try row.textOrNull(1),
                count: try row.int64(2),
                amount: try row.int64OrNull(3)
            )
        }
    }
}

/// The queries of a report as SQL. `$1` is the tenant, `$2` the position.
struct ReportSQL {
    let tenant: String
    let scope: ReportScope
    let position: Int64
    let days: BusinessDay
    /// The most days between a batch's payments and its total; nil for no limit.
    var batchDays: Int?
    var names = BestNames()

    typealias Statement = (sql: String, parameters: [PostgresValue])

    /// Assembles a statement with only the parameters that it uses.
    private struct Writing {
        var parameters: [PostgresValue]

        mutating func place(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
    }

    private func writing() -> Writing { Writing(parameters: [.text(tenant), .int64(position)]) }

    var covers: Statement {
        let sql = """
            SELECT covers FROM read_reconciliation.runs WHERE tenant = $1 AND completed <= $2 ORDER BY position DESC LIMIT 1
            """
        return (sql, writing().parameters)
    }

    // MARK: Scope

    /// The scope's condition on a table with `day`.
    private func onDays(_ table: String, _ writing: inout Writing) -> String {
        var conditions = ["true"]
        if let from = scope.from {
            conditions.append("\(table).day >= \(writing.place(.text(from.description)))::text::date")
        }
        if let to = scope.to {
            conditions.append("\(table).day <= \(writing.place(.text(to.description)))::text::date")
        }
        return conditions.joined(separator: " AND ")
    }

    /// The scope's condition on lines of statements `l`.
    private func ofLines(_ writing: inout Writing) -> String {
        let days = onDays("l", &writing)
        guard let merchant = scope.merchant else { return days }
        let names = writing.place(.textArray([merchant] + scope.otherNames.merchants))
        return "\(days) AND l.merchant = ANY (\(names)::text[])"
    }

    /// The scope's condition on a time, by the report's business day.
    private func during(_ time: String, _ writing: inout Writing) -> String {
        var conditions = ["true"]
        if let start = scope.from.flatMap({ days.interval(of: $0.description)?.start }) {
            conditions.append("\(time) >= \(writing.place(.timestamptz(start)))")
        }
        if let end = scope.to.flatMap({ days.interval(of: $0.description)?.end }) {
            conditions.append("\(time) < \(writing.place(.timestamptz(end)))")
        }
        return conditions.joined(separator: " AND ")
    }

    /// Exceptions of the scope. An exception about a line has the line's day; any other has its movement's day, by
    /// the report's business day.
    private func exceptions(_ writing: inout Writing) -> String {
        let table = PastExceptions.table(at: "$2")
        var merchant = "true"
        if let name = scope.merchant {
            merchant = ExceptionMerchant.condition(name, scope.otherNames) { writing.place($0) }
        }
        guard scope.from != nil || scope.to != nil else { return "\(table) x WHERE \(merchant)" }
        let lines = onDays("x", &writing)
        let others = during("o.at", &writing)
        let moment = PastExceptions.moment(at: "$2", in: days.zone) { writing.place($0) }
        return """
            \(table) x
            CROSS JOIN LATERAL (SELECT CASE WHEN x.line IS NULL THEN \(moment) END AS at) o
            WHERE \(merchant) AND CASE WHEN x.line IS NULL THEN \(others) ELSE \(lines) END
            """
    }

    /// A sum, or NULL beyond 64 bits.
    private static func sum(_ column: String, _ filter: String = "") -> String {
        let sum = "coalesce(sum(\(column))\(filter), 0)"
        return "CASE WHEN abs(\(sum)) <= 9223372036854775807 THEN (\(sum))::int8 END"
    }

    /// The processor lines recorded by the position. For a total whose parts are listed, the parts.
    private func lines(_ writing: inout Writing) -> String {
        """
        read_statements.lines l
        WHERE l.tenant = $1 AND l.side = 'processor' AND l.position <= $2 AND \(ofLines(&writing))
            AND \(RevisedPayouts.holds("l", at: "$2"))
            AND \(CountedLines.condition("l", at: "$2"))
            AND (l.role <> 'total' OR NOT \(CountedLines.areListed(partsOf: "l.id", tenant: "l.tenant", at: "$2")))
        """
    }

    /// The state of the exception about a line or a movement; NULL when there is none.
    private static func exception(_ condition: String) -> String {
        """
        (
            SELECT CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'exception' END
            FROM \(PastExceptions.table(at: "$2", where: condition)) x WHERE x.status <> 'cleared'
            ORDER BY x.status = 'resolved' LIMIT 1
        )
        """
    }

    /// A movement of a batch is explained by the exception of the nearest total with its number, as when it was raised.
    private func totalException(_ writing: inout Writing) -> String {
        let day = "coalesce(m.local_at, m.occurred_at AT TIME ZONE 'UTC')::date"
        let isNear = batchDays.map { " AND coalesce(\(day) BETWEEN t.day - \($0) AND t.day + \($0), true)" } ?? ""
        let isSame = MerchantNames.areOne("m.merchant", "t.merchant", names) { writing.place($0) }
        let mayBe = MerchantNames.mayBeOne("m.merchant", "t.merchant", names) { writing.place($0) }
        return """
            (
                SELECT CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'exception' END
                FROM \(PaymentRelations.batches) b
                JOIN read_statements.lines t ON t.tenant = b.tenant AND t.batch = b.number AND t.role = 'total'
                    AND t.side = 'processor' AND t.position <= $2 AND \(CountedLines.condition("t", at: "$2"))
                CROSS JOIN LATERAL \(
                PastExceptions.table(at: "$2", where: "x.line = t.id AND x.class = 'batch-out-of-balance'")
            ) x
                WHERE b.tenant = m.tenant AND b.id = m.batch AND x.status <> 'cleared'
                    AND coalesce(t.paid_currency, t.currency) = m.currency
                    AND (t.terminal IS NULL OR m.terminal = t.terminal)
                    AND (t.merchant IS NULL OR \(isSame) OR t.terminal IS NOT NULL AND \(mayBe))\(isNear)
                    AND NOT \(CountedLines.areListed(partsOf: "t.id", tenant: "t.tenant", at: "$2"))
                ORDER BY abs(\(day) - t.day), t.id LIMIT 1
            )
            """
    }

    private static let holds = "k.position <= $2 AND (k.until IS NULL OR k.until > $2)"

    // MARK: Sections

    var account: Statement {
        var writing = writing()
        let sql = """
            SELECT currency, kind, count(*), \(Self.sum("gross")), \(Self.sum("fees")), \(Self.sum("amount"))
            FROM (
                SELECT l.currency, coalesce(l.gross, l.amount) AS gross, l.fees, l.amount,
                    CASE
                        WHEN l.type IN ('sale', 'capture', 'batch') THEN 'payments'
                        WHEN l.type IN ('refund', 'refund-reversal') THEN 'refunds'
                        WHEN l.type IN ('chargeback', 'chargeback-reversal') THEN 'chargebacks'
                        WHEN l.type = 'fee' THEN 'fees'
                        WHEN l.type IN ('reserve', 'reserve-release') THEN 'reserve'
                        WHEN l.type = 'adjustment' THEN 'adjustments'
                        WHEN l.type IN ('payout', 'payout-return') THEN 'payouts'
                        WHEN l.type IN ('transfer', 'conversion') THEN 'transfers'
                        ELSE 'other'
                    END AS kind
                FROM \(lines(&writing)) AND l.type NOT IN ('void', 'authorization', 'balance')
                    AND \(MovingLines.moves("l"))
            ) t GROUP BY currency, kind ORDER BY currency, kind
            """
        return (sql, writing.parameters)
    }

    /// Lines that move no money, such as a declined sale, need no explanation.
    var processor: Statement {
        var writing = writing()
        let sql = """
            SELECT currency, state, count(*), \(Self.sum("amount"))
            FROM (
                SELECT coalesce(l.paid_currency, l.currency) AS currency, coalesce(l.paid, l.gross, l.amount) AS amount,
                    CASE
                        WHEN EXISTS (
                            SELECT FROM read_reconciliation.links k
                            WHERE k.tenant = l.tenant AND k.line = l.id AND \(Self.holds)
                        ) THEN 'matched'
                        WHEN EXISTS (
                            SELECT FROM read_reconciliation.postings k
                            WHERE k.tenant = l.tenant AND k.line = l.id AND \(Self.holds)
                        ) THEN 'posted'
                        ELSE coalesce(\(Self.exception("x.line = l.id")), 'unexamined')
                    END AS state
                FROM \(lines(&writing))
                    AND (l.role = 'total'
                        OR l.type IN ('sale', 'capture', 'refund', 'refund-reversal', 'adjustment', 'other')
                            AND \(MovingLines.isStill("l")) IS NOT TRUE)
                    AND coalesce(l.paid, l.gross, l.amount, 0) <> 0
            ) t GROUP BY currency, state ORDER BY currency, state
            """
        return (sql, writing.parameters)
    }

    /// - Parameter covers: The position up to which a run has examined all events.
    func ledger(covers: Int64) -> Statement {
        var writing = writing()
        let span = RowTime(of: "m", in: days.zone).isWithin(
            from: scope.from.flatMap { days.interval(of: $0.description)?.start },
            before: scope.to.flatMap { days.interval(of: $0.description)?.end }
        ) { writing.place($0) }
        var conditions = [span ?? "true"]
        if let merchant = scope.merchant {
            conditions.append(scope.otherNames.condition(merchant, row: "m.") { writing.place($0) })
        }
        let seen = writing.place(.int64(covers))
        let sql = """
            SELECT currency, state, count(*), \(Self.sum("amount"))
            FROM (
                SELECT m.currency,
                    (m.amount - m.voided) * CASE WHEN m.type IN ('refund', 'credit') THEN -1 ELSE 1 END AS amount,
                    CASE
                        WHEN EXISTS (
                            SELECT FROM read_reconciliation.links k
                            WHERE k.tenant = m.tenant AND k.transaction = m.transaction AND k.movement = m.line
                                AND \(Self.holds)
                        ) THEN 'matched'
                        ELSE coalesce(
                            \(Self.exception("x.transaction = m.transaction AND x.movement = m.line")),
                            CASE WHEN m.since > \(seen) THEN 'unexamined' END,
                            \(totalException(&writing)), 'pending'
                        )
                    END AS state
                FROM \(PaymentRelations.lines) m
                WHERE m.tenant = $1 AND m.since <= $2 AND (m.until IS NULL OR m.until > $2) AND m.amount > m.voided
                    AND \(conditions.joined(separator: " AND "))
            ) t GROUP BY currency, state ORDER BY currency, state
            """
        return (sql, writing.parameters)
    }

    func exceptions(now: Timestamp) -> Statement {
        var writing = writing()
        let time = writing.place(.timestamptz(now))
        let sql = """
            SELECT class, currency, count(*) FILTER (WHERE age < 2), count(*) FILTER (WHERE age >= 2 AND age < 8),
                count(*) FILTER (WHERE age >= 8 AND age < 31), count(*) FILTER (WHERE age >= 31), count(age),
                \(Self.sum("amount", " FILTER (WHERE age IS NOT NULL)")), count(*) FILTER (WHERE age IS NULL),
                \(Self.sum("amount", " FILTER (WHERE age IS NULL)")), count(age) FILTER (WHERE merchant IS NULL)
            FROM (
                SELECT x.class, x.currency, x.amount, x.merchant,
                    CASE WHEN x.status <> 'resolved' THEN extract(epoch FROM \(time) - x.first_at) / 86400 END AS age
                FROM \(exceptions(&writing)) AND x.status <> 'cleared'
            ) t GROUP BY class, currency ORDER BY class, currency
            """
        return (sql, writing.parameters)
    }

    var open: Statement {
        var writing = writing()
        let sql = """
            SELECT x.class, x.currency, count(*),
                CASE WHEN abs(sum(x.amount)) <= 9223372036854775807 THEN sum(x.amount)::int8 END
            FROM \(exceptions(&writing)) AND x.status IN ('open', 'assigned', 'proposed')
            GROUP BY x.class, x.currency ORDER BY x.class, x.currency
            """
        return (sql, writing.parameters)
    }
}
