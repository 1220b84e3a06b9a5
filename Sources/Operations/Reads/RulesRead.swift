import Access
package import Canonical
import Intake
package import Ledger
import Matching
import Payments
import Projections
import Reconciliation

extension Ledger {
    /// By which rules a tenant is reconciled, with their version: 0 for the standard ones, which nobody has said.
    ///
    /// - Parameter position: Those that held when everything up to there was in; nil for now.
    package func rules(of tenant: String, at position: Int64? = nil) async throws -> JSONValue {
        let found = try await reconciliationQuery.rules(of: tenant, at: position)
        // What rules that were told before do not say is written as it holds today.
        let rules = try found.map { found in
            try JSONValueDecoder().decode(RulesChange.self, from: JSONValue(parsing: found.reported.utf8)).rules
        }
        var object: JSONObject = ["version": .number(.init(found?.version ?? 0))]
        if let found {
            object["position"] = .number(.init(found.position))
            object["changedAt"] = .string(found.at.rfc3339)
            object["changedBy"] = .string(found.by)
            object["reason"] = .string(found.reason)
        }
        object["digest"] = .string(try Reconciler.digest(of: rules ?? MatchingRules()))
        object["rules"] = try JSONValueEncoder().encode(rules ?? MatchingRules())
        object["remarks"] = .array((rules ?? MatchingRules()).remarks.map(\.json))
        return .object(object)
    }
}

extension RuleRemark {
    package var json: JSONValue {
        ["rule": .string(rule), "code": .string(code.rawValue), "detail": .string(code.detail)]
    }
}
