import Matching
import Postgres

/// Chargebacks in statements, and the ledger's record of them, as SQL over the tables of `sides.sql`.
///
/// A line that nothing has recorded yet is an exception; `DisputeRecorder` records it, and the next run matches it.
enum DisputeSQL {
    /// Fills `dispute` with the lines and `chargeback_link` with their matches.
    ///
    /// - Parameter strong: The indices of the rules that name one payment.
    static func fill(
        _ tenant: String,
        strong: [Int],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        _ = try await transaction.execute(EmbeddedFiles.disputes_sql, [.int32Array(strong.map { Int32($0) })])
        _ = try await transaction.execute(EmbeddedFiles.disputesNamed_sql, [])
        _ = try await transaction.execute(EmbeddedFiles.disputesRepeated_sql, [])
        _ = try await transaction.execute(EmbeddedFiles.disputesMatched_sql, [.text(tenant)])
    }

    /// Adds the chargebacks that the lines of a round name, and the lines that name its chargebacks, to the scope.
    static let spread = EmbeddedFiles.disputesSpread_sql

    /// The lines that no recorded chargeback explains. A repetition of one is a duplicate.
    static let exceptions = EmbeddedFiles.disputeExceptions_sql
}

extension RunChange {
    private static let isFound = """
        SELECT FROM chargeback_link k
        WHERE k.line = r.line AND k.transaction = r.transaction AND k.movement = r.movement
        """

    static let newChargebacksSQL = """
        SELECT 0, count(*), string_agg(details, ',')
        FROM (
            SELECT '["' || k.line || '","' || k.transaction || '",' || to_json(k.movement)::text || ']' AS details,
                (row_number() OVER (ORDER BY k.line) - 1) / \(partLinks) AS part
            FROM chargeback_link k
            WHERE NOT EXISTS (
                SELECT FROM read_reconciliation.links r WHERE r.tenant = $1 AND r.line = k.line
                    AND r.transaction = k.transaction AND r.movement = k.movement AND r.until IS NULL
            )
            ORDER BY k.line
        ) t GROUP BY part ORDER BY part
        """

    /// - Parameter links: The recorded links of the compared rows.
    static func oldChargebacksSQL(_ links: String) -> String {
        """
        SELECT 0, count(*), string_agg(details, ',' ORDER BY line)
        FROM (
            SELECT r.line, '["' || r.line || '","' || r.transaction || '",' || to_json(r.movement)::text || ']' AS details,
                (row_number() OVER (ORDER BY r.line) - 1) / \(partLinks) AS part
            FROM \(links) r
            WHERE r.tenant = $1 AND r.until IS NULL AND r.rule = '\(MatchingRule.chargeback)' AND NOT EXISTS (\(isFound))
        ) t GROUP BY part ORDER BY part
        """
    }
}
