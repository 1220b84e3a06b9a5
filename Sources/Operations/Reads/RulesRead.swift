import Access
package import Canonical
import Intake
package import Ledger
import Matching
import Payments
import Projections
import Reconciliation

extension Ledger {
    /// The matching rules of a tenant with their version. Version 0 are the standard rules, which no event records.
    ///
    /// - Parameter position: The log position of a past state; nil for now.
    package func rules(of tenant: String, at position: Int64? = nil) async throws -> JSONValue {
        let found = try await reconciliationQuery.rules(of: tenant, at: position)
        // Settings that older rules lack have their present defaults.
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
