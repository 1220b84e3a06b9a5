/// What a credential may do.
package enum Scope: String, Sendable, Hashable, CaseIterable {
    case intake
    case read
    case reconcile
    case replayPlan = "replay:plan"
    case replayApprove = "replay:approve"
    case audit
    case admin
}

/// Who a request comes from, once that is proven.
package struct Principal: Sendable, Hashable {
    package var tenant: String
    /// What the audit trail calls them.
    package var keyID: String
    package var scopes: Set<Scope>
    /// The person the key belongs to, where that is known.
    package var holder: String?

    package init(tenant: String, keyID: String, scopes: Set<Scope>, holder: String? = nil) {
        self.tenant = tenant
        self.keyID = keyID
        self.scopes = scopes
        self.holder = holder
    }

    package var actor: String { "key:\(keyID)" }
}
