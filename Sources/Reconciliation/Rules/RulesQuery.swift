package import Canonical
import Matching
import Postgres

/// A tenant's matching rules, once a user has set them.
package struct RulesView: Sendable, Hashable {
    /// The number of changes up to this one.
    package var version: Int64
    /// The position of the event.
    package var position: Int64
    package var at: Timestamp
    package var by: String
    package var reason: String
    /// A `RulesChange`, as JSON.
    package var reported: String
}

extension ReconciliationQuery {
    /// The rules in force at a position; the standard rules when none were set.
    func matchingRules(of tenant: String, at position: Int64) async throws -> MatchingRules {
        guard let found = try await rules(of: tenant, at: position) else { return MatchingRules() }
        return try JSONValueDecoder().decode(RulesChange.self, from: JSONValue(parsing: found.reported.utf8)).rules
    }

    /// The rules that a user has set; nil while the standard rules are in force.
    ///
    /// - Parameter position: The position up to which changes count; nil for the current rules.
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
