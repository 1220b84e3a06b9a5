import Matching
import Postgres

/// Compares what files state with their own lines: payouts with the lines that they pay, and controls. The result
/// depends only on the files that count.
///
/// Works in temporary tables of one transaction, beside those of `Matcher`, and adds to its exceptions.
struct StatementCheck {
    let tenant: String
    /// Compare only payouts that files affect that changed after this position; 0 for everything.
    let since: Int64

    /// Adds the exceptions to `raised`.
    ///
    /// - Returns: The extent of the comparison.
    func check(in transaction: borrowing PostgresTransaction) async throws -> Matcher.Extent.Lines {
        try await transaction.script(EmbeddedFiles.settlements_sql)
        guard try await isChanged(in: transaction) else { return .nothing }
        if since > 0 { try await scope(in: transaction) }
        try await compare(in: transaction)
        // Files with such controls are few: all are raised again.
        _ = try await transaction.execute(EmbeddedFiles.failedControls_sql, [.text(tenant)])
        return since > 0 ? .changes : .everything
    }

    /// The condition that a recorded exception about a payout belongs to the compared ones.
    static func concerns(_ line: String, _ extent: Matcher.Extent.Lines) -> String {
        switch extent {
        case .nothing: "false"
        case .changes: "\(line) IN (SELECT line FROM scope_payouts)"
        case .everything: "true"
        }
    }

    private func isChanged(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        guard since > 0 else { return true }
        return try await transaction.query(
            "SELECT EXISTS (SELECT FROM read_statements.statements WHERE tenant = $1 AND last_position > $2)",
            [.text(tenant), .int64(since)]
        ).first?.bool(0) ?? false
    }

    /// Fills `scope_payouts`: the payouts of changed files, and all that share an id or a batch with one of their
    /// lines, or with such a payout.
    private func scope(in transaction: borrowing PostgresTransaction) async throws {
        var grown = try await transaction.execute(
            EmbeddedFiles.payoutsChanged_sql,
            [.text(tenant), .int64(since)]
        )
        var round: Int32 = 0
        while grown > 0 {
            grown = try await transaction.execute(EmbeddedFiles.payoutsSharing_sql, [.text(tenant), .int32(round)])
            round += 1
        }
        try await transaction.script("ANALYZE scope_payouts")
    }

    private func compare(in transaction: borrowing PostgresTransaction) async throws {
        let scope = since > 0 ? " AND l.id IN (SELECT line FROM scope_payouts)" : ""
        let payouts = """
            l.side = 'processor' AND l.type = 'payout' AND l.amount <> 0 AND l.role <> 'part'
                AND \(CountedLines.condition("l"))\(scope)
            """
        _ = try await transaction.execute(
            """
            INSERT INTO settlement (basis, reference, currency, merchants, format, place)
            SELECT DISTINCT k.basis, k.reference, k.currency,
                ARRAY(SELECT n.name FROM merchant_names n WHERE n.best = m.best ORDER BY n.name) || m.best,
                k.format, k.place
            FROM (\(SettlementKey.select(at: nil, where: payouts))) k
            CROSS JOIN LATERAL (SELECT coalesce(\(MerchantNames.best("k.merchant")), '') AS best) m
            WHERE k.basis <> 'none'
            """,
            [.text(tenant)]
        )
        try await transaction.script("ANALYZE settlement")
        for basis in ProofSettlement.Basis.allCases where basis != .none {
            _ = try await transaction.execute(Self.differences(basis), [.text(tenant)])
        }
    }

    /// The settlements whose payouts, without failed ones, differ from the lines that they pay. Lines without a payout
    /// and payouts without a line are not compared: the other file may not be there yet. The exception is about the
    /// first of several payouts, in the order of their ids.
    private static func differences(_ basis: ProofSettlement.Basis) -> String {
        let key = SettlementKey.Terms(
            position: nil,
            currency: "k.currency",
            reference: "k.reference",
            place: "k.place",
            merchants: "k.merchants",
            format: "k.format"
        )
        let condition = SettlementKey.condition(basis, .all, key)
        // The lines of a group are looked up by their file, other ones may be many for one payout.
        let lines =
            basis == .group
            ? "CROSS JOIN LATERAL (SELECT l.* FROM read_statements.lines l WHERE \(condition) OFFSET 0) l"
            : "JOIN read_statements.lines l ON \(condition)"
        let isPayout = "l.type = 'payout' AND l.amount <> 0 AND \(RevisedPayouts.holds("l"))"
        return """
            INSERT INTO raised (id, class, line, details)
            SELECT DISTINCT ON (x.id) x.id, '\(ExceptionClass.payoutDiffers.rawValue)', p.id,
                json_strip_nulls(json_build_object(
                    'id', x.id, 'class', '\(ExceptionClass.payoutDiffers.rawValue)', 'line', p.id,
                    'merchant', p.merchant, 'currency', p.currency,
                    'amount', CASE WHEN abs(t.paid - t.owed) <= 9223372036854775807 THEN t.paid - t.owed END,
                    'expected', CASE WHEN abs(t.owed) <= 9223372036854775807 THEN t.owed END,
                    'lineAmount', p.amount, 'day', p.day
                ))::text
            FROM (
                SELECT k.place, (min(l.id::text) FILTER (WHERE \(isPayout)))::uuid AS payout,
                    -sum(l.amount::numeric) FILTER (WHERE \(isPayout)) AS paid,
                    sum(l.amount::numeric) FILTER (WHERE l.type NOT IN ('payout', 'balance', 'authorization')) AS owed
                FROM settlement k \(lines)
                WHERE k.basis = '\(basis.rawValue)' AND l.role <> 'part' GROUP BY k.n, k.place
            ) t
            JOIN read_statements.lines p ON p.tenant = $1 AND p.id = t.payout
            CROSS JOIN LATERAL (
                SELECT md5(concat_ws('|', $1::text, '\(ExceptionClass.payoutDiffers.rawValue)', p.id))::uuid AS id
            ) x
            -- A payout may be the first one of several settlements.
            WHERE t.paid <> t.owed AND NOT EXISTS (SELECT FROM raised r WHERE r.id = x.id)
            ORDER BY x.id, t.place, t.paid - t.owed
            """
    }
}
