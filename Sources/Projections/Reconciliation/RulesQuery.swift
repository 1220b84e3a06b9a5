package import Canonical
import Matching
import Postgres

/// By which rules a tenant is reconciled, since somebody has said so.
package struct RulesView: Sendable, Hashable {
    /// How often they had changed with this change.
    package var version: Int64
    /// Of the event.
    package var position: Int64
    package var at: Timestamp
    package var by: String
    package var reason: String
    /// A `RulesChange`, as JSON.
    package var reported: String
}

extension ReconciliationQuery {
    /// The rules that held at a position: the standard ones where nobody had set any.
    func matchingRules(of tenant: String, at position: Int64) async throws -> MatchingRules {
        guard let found = try await rules(of: tenant, at: position) else { return MatchingRules() }
        return try JSONValueDecoder().decode(RulesChange.self, from: JSONValue(parsing: found.reported.utf8)).rules
    }

    /// The rules that somebody has chosen; nil where nobody has, and the standard ones hold.
    ///
    /// - Parameter position: Those that held when everything up to there was in; nil for now.
    package func rules(of tenant: String, at position: Int64? = nil) async throws -> RulesView? {
        try await pool.query(
            """
            SELECT version, position, at, actor, details ->> 'reason', details FROM read_reconciliation.rules
            WHERE tenant = $1 AND position <= $2 ORDER BY position DESC LIMIT 1
            """,
            [.text(tenant), .int64(position ?? .max)]
        ).first.map { row in
            RulesView(
                version: try row.int64(0),
                position: try row.int64(1),
                at: try row.timestamp(2),
                by: try row.text(3),
                reason: try row.text(4),
                reported: try row.text(5)
            )
        }
    }
}
