package import Access

/// What an operator or sender must be allowed to execute a command: the same through the API and the console.
package enum Permission: Sendable, Hashable, CaseIterable {
    case sendDocuments
    /// To send events; those that are evidence need `sendEvidence`.
    case sendEvents
    /// To send events that are evidence of a gateway or of settlement, or that end an anomaly or a doubt.
    case sendEvidence
    /// To report printed receipts and to keep card tokens.
    case record
    case acknowledgeAnomalies
    case describeMerchants
    case importStatements
    /// To reconcile, to work exceptions and doubts, to close days, to export the journal and name its accounts, to
    /// withdraw statements and to change the rules.
    case reconcile
    /// To change the amounts above which a second operator must approve: never with the permission to reconcile alone.
    case changeApprovalLimits
    case planReplays
    /// To decide on plans and to execute them. The plan itself decides which scope a step needs.
    case decideReplays

    /// The scopes of which one is enough.
    package var scopes: [Scope] {
        switch self {
        case .sendDocuments: [.documents]
        case .sendEvents: [.events, .evidence]
        case .sendEvidence: [.evidence]
        case .record: [.documents, .events]
        case .acknowledgeAnomalies, .describeMerchants, .importStatements, .reconcile: [.reconcile, .admin]
        case .changeApprovalLimits: [.admin]
        case .planReplays: [.replayPlan]
        case .decideReplays: [.replayPlan, .replayApprove]
        }
    }

    /// The names of the scopes: `reconcile or admin`.
    package var scopeNames: String { scopes.map(\.rawValue).joined(separator: " or ") }
}
