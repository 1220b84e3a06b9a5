import Matching
import Postgres
import Projections

/// Compares both sides and computes matches and exceptions, either for everything or for the rows that a change
/// affects. The result depends only on the lines, the movements and the rules.
///
/// Works in temporary tables of one transaction, set by set.
struct Matcher {
    let tenant: String
    let rules: MatchingRules
    /// Compare only changes after this position and the rows that they affect; 0 for everything.
    let since: Int64
    /// The newest day of the processor's lines, now and in the previous run.
    let horizon: String?
    let horizonBefore: String?
    /// The progress of each account at a processor.
    let accounts: HorizonSQL
    /// The names of merchants that documents link.
    var names = BestNames()
    /// The names of terminals in payments.
    var terminals = TerminalNames()

    /// Above this number of lines and payments everything is compared, because following keys from row to row would
    /// take longer.
    private static let scopeLimit: Int64 = 100_000
    private var places: KnownPlaces { KnownPlaces(names, terminals) }

    private var ladder: [LadderSQL] {
        let places = self.places
        return rules.ladder.enumerated().map { LadderSQL(index: $0.offset, rule: $0.element, places: places) }
    }

    /// A chargeback or refund names its original payment.
    private var relation: LadderSQL {
        let rule = MatchingRule("related-id", [.relatedID], .unique)
        return LadderSQL(index: rules.ladder.count, rule: rule, places: places)
    }

    /// The extent of a comparison.
    struct Extent: Sendable {
        enum Lines: Sendable {
            case nothing
            /// The rows affected by the changes.
            case changes
            case everything
        }

        /// The extent for the processor's lines and the ledger's movements.
        var lines: Lines
        /// The extent for payouts and bank transfers.
        var deposits: Lines
        /// The extent for what files state about their own lines.
        var files = Lines.nothing
        /// The extent for the files that calendars expect.
        var calendars = Lines.nothing
    }

    /// Fills the tables with both sides and their matches.
    ///
    /// - Returns: The extent of the lines; that of deposits is not known yet.
    func match(in transaction: borrowing PostgresTransaction) async throws -> Extent {
        try await transaction.script(EmbeddedFiles.sides_sql)
        try await MerchantNames.fill(names, in: transaction)
        try await places.fill(in: transaction)
        try await accounts.fill(in: transaction)
        let isWhole = try await !scope(in: transaction)
        // Lines of a withdrawn statement do not count any more, and their exceptions are cleared.
        let changes = try await transaction.query(
            "SELECT EXISTS (SELECT FROM scope_lines) OR EXISTS (SELECT FROM scope_transactions)",
            []
        )
        guard try isWhole || changes.first?.bool(0) == true else { return Extent(lines: .nothing, deposits: .nothing) }
        try await fillLines(isWhole, in: transaction)
        try await fillMovements(isWhole, in: transaction)
        try await climb(in: transaction)
        return Extent(lines: isWhole ? .everything : .changes, deposits: .nothing)
    }

    /// Fills the tables with the matches of deposits and with the exceptions of everything that was matched.
    ///
    /// - Parameter deposits: The comparison of payouts with deposits.
    /// - Returns: The complete extent.
    func explain(
        _ matched: Extent,
        with deposits: DepositMatcher,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Extent {
        var extent = matched
        if extent.lines != .nothing { try await explain(in: transaction) }
        extent.deposits = try await deposits.match(besides: extent.lines, in: transaction)
        extent.files = try await StatementCheck(tenant: tenant, since: since).check(in: transaction)
        try await transaction.script("ANALYZE raised")
        return extent
    }

    // MARK: Comparison

    /// Determines the rows affected by the changes.
    ///
    /// - Returns: False when that is everything.
    private func scope(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        guard since > 0 else { return false }
        // A change affects few rows, even if the statistics of two very differently sized statements suggest
        // otherwise. So the queries use indexes, and if the change is large after all, the limit is reached early.
        try await transaction.script(
            "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
        )
        let isSmall = try await spreadScope(in: transaction)
        try await transaction.script(
            "RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin"
        )
        return isSmall
    }

    private func spreadScope(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        var count = Int64(
            try await transaction.execute(
                """
                -- From the files to their lines, however few files there are: guessed from these it would be the other way.
                INSERT INTO scope_lines
                SELECT l.id, 0
                FROM (SELECT id FROM read_statements.statements WHERE tenant = $1 AND last_position > $2 OFFSET 0) s
                CROSS JOIN LATERAL (
                    SELECT line FROM read_statements.placements WHERE tenant = $1 AND statement = s.id OFFSET 0
                ) p
                CROSS JOIN LATERAL (
                    SELECT id FROM read_statements.lines
                    WHERE tenant = $1 AND id = p.line AND side = 'processor' OFFSET 0
                ) l
                LIMIT \(Self.scopeLimit + 1)
                ON CONFLICT DO NOTHING
                """,
                [.text(tenant), .int64(since)]
            )
        )
        count += Int64(
            try await transaction.execute(
                EmbeddedFiles.scopeSpread_sql,
                [
                    .text(tenant), .int64(since), .text(horizonBefore ?? "0001-01-01"), .text(horizon ?? "0001-01-01"),
                    .int32(Int32(clamping: rules.expiryDays)),
                ]
            )
        )
        count += Int64(
            try await transaction.execute(
                HorizonSQL.scope,
                [.text(tenant), .int32(Int32(clamping: rules.graceDays))]
            )
        )
        let newNames = [(KnownPlaces.scope, terminals.new), (KnownPlaces.scopeOfMerchants, names.new.sorted())]
        for (statement, found) in newNames where !found.isEmpty {
            count += Int64(
                try await transaction.execute(
                    statement,
                    [.text(tenant), .textArray(found), .int64(Self.scopeLimit + 1)]
                )
            )
        }
        for decided in HandMatchSQL.scope {
            count += Int64(try await transaction.execute(decided, [.text(tenant), .int64(since)]))
        }
        var round: Int32 = 0
        var grown = count
        let spreads =
            (ladder + [relation]).flatMap(\.spread) + Self.linked + HandMatchSQL.spread
            + [DisputeSQL.spread, CarriedBalances.spread, RepeatedFees.spread, Exchanges.spread]
        while grown > 0 {
            guard count <= Self.scopeLimit else {
                try await transaction.script("TRUNCATE scope_lines, scope_transactions")
                return false
            }
            grown = 0
            for spread in spreads {
                grown += Int64(try await transaction.execute(spread, [.text(tenant), .int32(round)]))
            }
            count += grown
            round += 1
        }
        return true
    }

    /// Earlier matches are followed from both ends.
    private static let linked = [
        """
        INSERT INTO scope_transactions
        SELECT DISTINCT k.transaction, $2::int + 1 FROM scope_lines s
        JOIN read_reconciliation.links k ON k.tenant = $1 AND k.line = s.line AND k.until IS NULL
        WHERE s.round = $2::int ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO scope_lines
        SELECT DISTINCT k.line, $2::int + 1 FROM scope_transactions s
        JOIN read_reconciliation.links k ON k.tenant = $1 AND k.transaction = s.transaction AND k.until IS NULL
        WHERE s.round = $2::int ON CONFLICT DO NOTHING
        """,
    ]

    private func fillLines(_ isWhole: Bool, in transaction: borrowing PostgresTransaction) async throws {
        _ = try await transaction.execute(
            """
            INSERT INTO l0 (id, type, kind, currency, amount, day, processor_id, related_id, rrn, auth_code, trace, invoice,
                merchant, terminal, batch, last_four, brand, fees, gross, line_currency, has_parts,
                named)
            SELECT l.id, l.type,
                CASE
                    WHEN l.role = 'total' THEN 'total'
                    WHEN l.type IN ('chargeback', 'chargeback-reversal') THEN 'chargeback'
                    WHEN l.type IN ('void', 'authorization') OR \(MovingLines.isStill("l")) THEN 'nothing'
                    WHEN \(RepeatedFees.condition("l")) THEN 'fee'
                    WHEN l.type = 'transfer' AND f.format IN (\(CarriedBalances.formats)) THEN 'carried'
                    WHEN l.type IN (\(rules.examinedTypes)) THEN 'unexplained'
                    ELSE 'money'
                END,
                CASE WHEN l.type = 'fee' THEN l.currency ELSE coalesce(l.paid_currency, l.currency) END,
                CASE WHEN l.type = 'fee' THEN coalesce(l.amount, 0) ELSE coalesce(l.paid, l.gross, l.amount, 0) END,
                l.day, l.processor_id,
                l.related_id, l.rrn, l.auth_code, l.trace, l.invoice, coalesce(n.best, l.merchant), l.terminal, l.batch,
                l.last_four, l.brand, l.fees, l.gross, l.currency,
                l.role = 'total' AND \(CountedLines.areListed(partsOf: "l.id", tenant: "l.tenant")),
                CASE WHEN n.best IS NOT NULL THEN l.merchant END
            FROM read_statements.lines l \(isWhole ? "" : "JOIN scope_lines s ON s.line = l.id")
            JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement
            LEFT JOIN merchant_names n ON n.name = l.merchant
            WHERE l.tenant = $1 AND l.side = 'processor'
                AND (l.role = 'total' OR l.type IN ('sale', 'capture', 'refund', 'refund-reversal', 'void',
                    'authorization', 'chargeback', 'chargeback-reversal')
                    OR \(rules.isExamined) OR \(RepeatedFees.condition("l")))
                AND (f.status = 'imported' OR EXISTS (
                    SELECT FROM read_statements.placements p
                    JOIN read_statements.statements o ON o.tenant = p.tenant AND o.id = p.statement
                    WHERE p.tenant = l.tenant AND p.line = l.id AND o.status = 'imported'
                ))
            """,
            [.text(tenant)]
        )
        try await transaction.script("ANALYZE l0")
    }

    private func fillMovements(_ isWhole: Bool, in transaction: borrowing PostgresTransaction) async throws {
        _ = try await transaction.execute(
            """
            INSERT INTO m0 (transaction, line, type, status, currency, amount, day, gateway_id, host_id, vendor_id,
                origin_id, rrn, auth_code, invoice, reference, merchant, terminal, batch, last_four, brand, tender, named,
                terminals)
            SELECT m.transaction, m.line, m.type, m.status, m.currency, m.amount, m.day, m.gateway_id, m.host_id,
                m.vendor_id, m.origin_id, m.rrn, m.auth_code, m.invoice, m.reference, coalesce(n.best, m.merchant),
                m.terminal, m.batch, m.last_four, m.brand, m.tender, CASE WHEN n.best IS NOT NULL THEN m.merchant END,
                m.terminals
            FROM read_movements.movements m
            \(isWhole ? "" : "JOIN scope_transactions s ON s.transaction = m.transaction")
            LEFT JOIN merchant_names n ON n.name = m.merchant
            WHERE m.tenant = $1
            """,
            [.text(tenant)]
        )
        try await transaction.script("ANALYZE m0")
    }

    // MARK: Matches

    /// Applies the rules in order: each rule sees what the earlier ones left unmatched.
    private func climb(in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script(
            """
            CREATE TEMPORARY VIEW lines_left_0 AS SELECT * FROM l0 WHERE kind = 'money';
            CREATE TEMPORARY VIEW movements_left_0 AS SELECT * FROM m0 WHERE type <> 'none'
            """
        )
        var (lines, movements) = ("lines_left_0", "movements_left_0")
        var generation = 0
        func leave() async throws {
            generation += 1
            try await transaction.script(
                """
                ANALYZE link;
                CREATE TEMPORARY TABLE lines_left_\(generation) ON COMMIT DROP AS
                    SELECT * FROM \(lines) l WHERE NOT EXISTS (SELECT FROM link k WHERE k.l = l.n);
                CREATE TEMPORARY TABLE movements_left_\(generation) ON COMMIT DROP AS
                    SELECT * FROM \(movements) m WHERE NOT EXISTS (SELECT FROM link k WHERE k.m = m.n);
                ANALYZE lines_left_\(generation), movements_left_\(generation)
                """
            )
            (lines, movements) = ("lines_left_\(generation)", "movements_left_\(generation)")
        }
        if try await transaction.execute(HandMatchSQL.match, [.text(tenant)]) > 0 { try await leave() }
        // The rules for totals look up whether each total is matched, so the index is created before them. Created
        // earlier, it would slow down the rules with the most matches.
        let firstTotal = ladder.firstIndex { $0.rule.choice == .total } ?? ladder.endIndex
        for rule in ladder[..<firstTotal] {
            if try await transaction.execute(rule.match(lines, movements), []) > 0 { try await leave() }
        }
        try await transaction.script("CREATE INDEX ON link (l); ANALYZE link")
        for rule in ladder[firstTotal...] {
            if try await transaction.execute(rule.match(lines, movements), []) > 0 { try await leave() }
        }
        try await transaction.script(
            """
            INSERT INTO lo SELECT * FROM \(lines);
            INSERT INTO mo SELECT * FROM \(movements);
            DROP VIEW lines_left_0, movements_left_0;
            ANALYZE lo, mo, link
            """
        )
    }

    // MARK: Exceptions

    private func explain(in transaction: borrowing PostgresTransaction) async throws {
        // Exceptions are few: their rows are looked up one by one in these tables, which are in memory.
        try await transaction.script(
            "CREATE INDEX ON l0 (n); CREATE INDEX ON m0 (n); CREATE INDEX ON link (m); SET LOCAL random_page_cost = 1.1"
        )
        // Lines that move no money, and chargebacks, may relate to payments too.
        try await transaction.script(
            """
            CREATE TEMPORARY TABLE asking ON COMMIT DROP AS
                SELECT * FROM lo UNION ALL SELECT * FROM l0 WHERE kind IN ('nothing', 'chargeback', 'unexplained');
            ANALYZE asking
            """
        )
        for rule in ladder + [relation] {
            _ = try await transaction.execute(rule.near("asking", "m0"), [])
            if rule.rule.choice == .inOrder { _ = try await transaction.execute(rule.near("l0", "mo"), []) }
        }
        try await transaction.script("CREATE INDEX ON near (l); CREATE INDEX ON near (m); ANALYZE near")
        let strong = rules.ladder.indices.filter { rules.ladder[$0].choice == .inOrder } + [relation.index]
        try await DisputeSQL.fill(tenant, strong: strong, in: transaction)
        for (place, rule) in rules.postings.enumerated() {
            _ = try await transaction.execute(PostingSQL.explain, PostingSQL.parameters(tenant, place, rule))
        }
        _ = try await transaction.execute(
            CarriedBalances.explain,
            [.text(tenant), .int32(Int32(rules.postings.count))]
        )
        _ = try await transaction.execute(RepeatedFees.find, [.text(tenant)])
        _ = try await transaction.execute(Exchanges.find, [.text(tenant)])
        let exceptions = ExceptionSQL(rules: rules, horizon: horizon, places: places)
        for statement in exceptions.statements {
            _ = try await transaction.execute(statement, statement.contains("$1") ? [.text(tenant)] : [])
        }
        _ = try await transaction.execute(
            EmbeddedFiles.raisedExceptions_sql,
            [.text(tenant), .textArray(rules.ladder.map(\.name) + ["related-id"])]
        )
        try await transaction.script("RESET random_page_cost")
    }
}
