package import Canonical
import Postgres

/// What a report is about: the days of lines and movements, and one merchant or all.
package struct ReportScope: Sendable, Hashable {
    /// The first and last day, by what lines say and by UTC for movements; nil for all.
    package var from: CivilDate?
    package var to: CivilDate?
    package var merchant: String?

    package init(from: CivilDate? = nil, to: CivilDate? = nil, merchant: String? = nil) {
        self.from = from
        self.to = to
        self.merchant = merchant
    }
}

/// How every cent of the processors' lines and of the ledger's movements is explained. Minor units, above zero to the
/// merchant; nil where a sum is beyond 64 bits.
package struct ReconciliationReport: Sendable, Hashable {
    /// Everything up to here has been looked at by the newest run; nil where there was none.
    package var covers: Int64?
    /// What moved on the processors' accounts.
    package var account: [AccountLine]
    /// Payments, as processors tell of them.
    package var processor: [Share]
    /// Payments, as the ledger has them.
    package var ledger: [Share]
    /// What is open, or was, by class.
    package var exceptions: [ExceptionShare]

    /// Payouts and lines of banks by whether they are explained; of the whole tenant.
    package var deposits: [DepositCoverage] = []

    /// Lines of one kind in one currency.
    package struct AccountLine: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case payments, refunds, chargebacks, fees, reserve, adjustments, payouts, transfers, other
        }

        package var currency: String
        package var kind: Kind
        package var count: Int64
        /// Before the fees that are kept of the lines themselves.
        package var gross: Int64?
        package var fees: Int64?
        /// What moved: gross and fees together.
        package var amount: Int64?
    }

    /// How some payments are explained.
    package struct Share: Sendable, Hashable {
        package enum State: String, Sendable, Hashable, CaseIterable {
            /// By the other side.
            case matched
            /// By an exception that somebody works on.
            case exception
            /// By people.
            case resolved
            /// The processor's lines have not come far enough.
            case pending
            /// By nothing: no run has looked at it.
            case unexamined
        }

        package var currency: String
        package var state: State
        package var count: Int64
        package var amount: Int64?
    }

    /// Exceptions of one class in one currency.
    package struct ExceptionShare: Sendable, Hashable {
        /// An `ExceptionClass`.
        package var exceptionClass: String
        package var currency: String?
        /// By their age in days: below 2, below 8, below 31, and older.
        package var ages: [Int64]
        package var open: Int64
        /// What of the open ones nobody has explained; of those whose currencies differ all of the line's money, in its
        /// currency. The ledger's money of these is in its own shares.
        package var openAmount: Int64?
        package var resolved: Int64
        package var resolvedAmount: Int64?
    }

    /// Payments of one currency on both sides.
    package struct Balance: Sendable, Hashable {
        package var currency: String
        package var processor: Int64?
        package var ledger: Int64?
        /// What neither the other side nor an exception explains, on both sides together: zero once a run has looked at
        /// everything.
        package var difference: Int64?
    }

    /// By currency.
    package var balances: [Balance] {
        Set((processor + ledger).map(\.currency)).sorted().map { currency in
            func sum(_ shares: [Share], _ isCounted: (Share) -> Bool = { _ in true }) -> Int64? {
                shares.filter { $0.currency == currency && isCounted($0) }.reduce(Int64?(0)) { sum, share in
                    guard let sum, let amount = share.amount else { return nil }
                    let (value, isOver) = sum.addingReportingOverflow(amount)
                    return isOver ? nil : value
                }
            }
            let processorLeft = sum(processor) { $0.state == .unexamined }
            let ledgerLeft = sum(ledger) { $0.state == .unexamined }
            let difference = processorLeft.flatMap { left in
                ledgerLeft.flatMap { right in
                    let (value, isOver) = left.subtractingReportingOverflow(right)
                    return isOver ? nil : value
                }
            }
            return Balance(
                currency: currency,
                processor: sum(processor),
                ledger: sum(ledger),
                difference: difference
            )
        }
    }
}

extension ReconciliationQuery {
    /// How everything that a scope is about is explained now. Looks at all of its lines and movements.
    ///
    /// - Parameter now: What ages are counted to.
    package func report(
        of tenant: String,
        _ scope: ReportScope,
        now: Timestamp
    ) async throws -> ReconciliationReport {
        func text(_ value: String?) -> PostgresValue { value.map(PostgresValue.text) ?? .null }
        let parameters: [PostgresValue] = [
            .text(tenant), text(scope.from?.description), text(scope.to?.description), text(scope.merchant),
        ]
        let covers = try await pool.query(
            """
            SELECT covers FROM read_reconciliation.runs WHERE tenant = $1 AND completed IS NOT NULL
            ORDER BY position DESC LIMIT 1
            """,
            [.text(tenant)]
        ).first?.int64(0)
        return ReconciliationReport(
            covers: covers,
            account: try await pool.query(Self.account, parameters).map { row in
                ReconciliationReport.AccountLine(
                    currency: try row.text(0),
                    kind: .init(rawValue: try row.text(1)) ?? .other,
                    count: try row.int64(2),
                    gross: try row.int64OrNull(3),
                    fees: try row.int64OrNull(4),
                    amount: try row.int64OrNull(5)
                )
            },
            processor: try await pool.query(Self.processor, parameters).map(ReconciliationReport.Share.init),
            ledger: try await pool.query(Self.ledger, parameters + [.int64(covers ?? 0)])
                .map(ReconciliationReport.Share.init),
            exceptions: try await pool.query(Self.exceptions, parameters + [.timestamptz(now)]).map { row in
                ReconciliationReport.ExceptionShare(
                    exceptionClass: try row.text(0),
                    currency: try row.textOrNull(1),
                    ages: [try row.int64(2), try row.int64(3), try row.int64(4), try row.int64(5)],
                    open: try row.int64(6),
                    openAmount: try row.int64OrNull(7),
                    resolved: try row.int64(8),
                    resolvedAmount: try row.int64OrNull(9)
                )
            },
            deposits: try await DepositQuery(pool: pool).coverage(of: tenant)
        )
    }

    /// Beyond 64 bits there is no sum.
    private static func sum(_ column: String, _ filter: String = "") -> String {
        let sum = "coalesce(sum(\(column))\(filter), 0)"
        return "CASE WHEN abs(\(sum)) <= 9223372036854775807 THEN (\(sum))::int8 END"
    }

    private static func within(_ table: String) -> String {
        """
        ($2::text IS NULL OR \(table).day >= $2::text::date) AND ($3::text IS NULL OR \(table).day <= $3::text::date)
            AND ($4::text IS NULL OR \(table).merchant = $4)
        """
    }

    /// The lines of the processors that are in: of a total whose parts are listed, the parts.
    private static let lines = """
        read_statements.lines l
        WHERE l.tenant = $1 AND l.side = 'processor' AND \(within("l"))
            AND EXISTS (
                SELECT FROM read_statements.statements f
                WHERE f.tenant = l.tenant AND f.id = l.statement AND f.status = 'imported'
            )
            AND (l.standing <> 'total' OR l.line_group IS NULL OR NOT EXISTS (
                SELECT FROM read_statements.lines p
                WHERE p.tenant = l.tenant AND p.statement = l.statement AND p.line_group = l.line_group
                    AND p.standing = 'part'
            ))
        """

    private static let account = """
        SELECT currency, kind, count(*), \(sum("gross")), \(sum("fees")), \(sum("amount"))
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
            FROM \(lines) AND l.type NOT IN ('void', 'authorization', 'balance') AND l.amount <> 0
        ) t GROUP BY currency, kind ORDER BY currency, kind
        """

    private static let processor = """
        SELECT currency, state, count(*), \(sum("amount"))
        FROM (
            SELECT coalesce(l.paid_currency, l.currency) AS currency, coalesce(l.paid, l.gross, l.amount) AS amount,
                CASE
                    WHEN EXISTS (
                        SELECT FROM read_reconciliation.links k
                        WHERE k.tenant = l.tenant AND k.line = l.id AND k.until IS NULL
                    ) THEN 'matched'
                    ELSE coalesce((
                        SELECT CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'exception' END
                        FROM read_reconciliation.exceptions x
                        WHERE x.tenant = l.tenant AND x.line = l.id AND x.status <> 'cleared'
                        ORDER BY x.status = 'resolved' LIMIT 1
                    ), 'unexamined')
                END AS state
            FROM \(lines)
                AND (l.standing = 'total' OR l.type IN ('sale', 'capture', 'refund', 'refund-reversal'))
                AND coalesce(l.paid, l.gross, l.amount, 0) <> 0
        ) t GROUP BY currency, state ORDER BY currency, state
        """

    private static let ledger = """
        SELECT currency, state, count(*), \(sum("amount"))
        FROM (
            SELECT m.currency, m.amount,
                CASE
                    WHEN EXISTS (
                        SELECT FROM read_reconciliation.links k
                        WHERE k.tenant = m.tenant AND k.transaction = m.transaction AND k.movement = m.line
                            AND k.until IS NULL
                    ) THEN 'matched'
                    ELSE coalesce((
                        SELECT CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'exception' END
                        FROM read_reconciliation.exceptions x
                        WHERE x.tenant = m.tenant AND x.transaction = m.transaction AND x.movement = m.line
                            AND x.status <> 'cleared'
                        ORDER BY x.status = 'resolved' LIMIT 1
                    ), CASE WHEN m.position > $5 THEN 'unexamined' END, (
                        -- What a total counts is explained by the exception of the total.
                        SELECT CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'exception' END
                        FROM read_statements.lines t
                        JOIN read_reconciliation.exceptions x ON x.tenant = t.tenant AND x.line = t.id
                            AND x.class = 'batch-out-of-balance' AND x.status <> 'cleared'
                        WHERE t.tenant = m.tenant AND t.batch = m.batch AND t.standing = 'total' AND t.side = 'processor'
                            AND coalesce(t.paid_currency, t.currency) = m.currency
                            AND (t.terminal IS NULL OR m.terminal = t.terminal)
                            AND (t.merchant IS NULL OR t.terminal IS NOT NULL OR m.merchant = t.merchant)
                            AND (t.line_group IS NULL OR NOT EXISTS (
                                SELECT FROM read_statements.lines p
                                WHERE p.tenant = t.tenant AND p.statement = t.statement AND p.line_group = t.line_group
                                    AND p.standing = 'part'
                            ))
                        ORDER BY t.id LIMIT 1
                    ), 'pending')
                END AS state
            FROM read_movements.movements m WHERE m.tenant = $1 AND m.type <> 'none' AND \(within("m"))
        ) t GROUP BY currency, state ORDER BY currency, state
        """

    private static let exceptions = """
        SELECT class, currency, count(*) FILTER (WHERE age < 2), count(*) FILTER (WHERE age >= 2 AND age < 8),
            count(*) FILTER (WHERE age >= 8 AND age < 31), count(*) FILTER (WHERE age >= 31), count(age),
            \(sum("amount", " FILTER (WHERE age IS NOT NULL)")), count(*) FILTER (WHERE age IS NULL),
            \(sum("amount", " FILTER (WHERE age IS NULL)"))
        FROM (
            SELECT x.class, x.currency, x.amount,
                CASE WHEN x.status <> 'resolved' THEN extract(epoch FROM $5 - x.first_at) / 86400 END AS age
            FROM read_reconciliation.exceptions x
            WHERE x.tenant = $1 AND x.status <> 'cleared' AND \(within("x"))
        ) t GROUP BY class, currency ORDER BY class, currency
        """
}

extension ReconciliationReport.Share {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            currency: try row.text(0),
            state: State(rawValue: try row.text(1)) ?? .unexamined,
            count: try row.int64(2),
            amount: try row.int64OrNull(3)
        )
    }
}
