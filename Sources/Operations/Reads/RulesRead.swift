import Access
import Canonical
package import Composition
import EventLog
import Intake
import Matching
import Payments
import Projections
import Reconciliation

extension Ledger {
    /// What a proposal changes. Rules are compared with those in force, which are read from the log: the read models
    /// may be behind.
    package func changes(of proposal: ProposalJSON, tenant: String) async throws -> ProposedChanges {
        guard proposal.change == .changeRules else { return ProposedChanges(proposal.request) }
        var filter = EventFilter()
        filter.stream = StreamName.reconciliation(of: tenant)
        filter.type = ReconciliationEvent.Name.rulesChanged.rawValue
        let newest = try await reader.newest(of: tenant, matching: filter, limit: 1).last
        let inForce = try newest.map { try JSONValueDecoder().decode(RulesChange.self, parsing: $0.data).rules }
        return ProposedChanges(
            proposal.request,
            replacing: try JSONValueEncoder().encode(inForce ?? MatchingRules())
        )
    }

    /// The matching rules of a tenant with their version. Version 0 are the standard rules, which no event records.
    ///
    /// - Parameter position: The log position of a past state; nil for now.
    package func rules(of tenant: String, at position: Int64? = nil) async throws -> RulesJSON {
        let found = try await reconciliation.query.rules(of: tenant, at: position)
        // Settings that older rules lack have their present defaults.
        let rules =
            try found.map { try JSONValueDecoder().decode(RulesChange.self, parsing: $0.reported).rules }
            ?? MatchingRules()
        return RulesJSON(
            version: found?.version ?? 0,
            position: found?.position,
            changedAt: found?.at,
            changedBy: found?.by,
            reason: found?.reason,
            digest: try Reconciler.digest(of: rules),
            rules: rules,
            remarks: rules.remarks.map { .init(rule: $0.rule, code: $0.code, detail: $0.code.detail) }
        )
    }
}
