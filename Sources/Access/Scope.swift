/// A permission of a credential.
package enum Scope: String, Sendable, Hashable, CaseIterable {
    /// To send the documents of vendors. What they report is relayed, unless the key has `evidence` as well.
    case documents
    /// To send events of a till in the ledger's form.
    case events
    /// To send events that are evidence of a gateway or of settlement, or that end an anomaly or a doubt, and to vouch
    /// for documents.
    case evidence
    case read
    case reconcile
    case replayPlan = "replay:plan"
    case replayApprove = "replay:approve"
    case audit
    case admin
}

/// The authenticated source of a request.
package struct Principal: Sendable, Hashable {
    package var tenant: String
    /// The key's name in the audit trail.
    package var keyID: String
    package var scopes: Set<Scope>
    /// The holder of the key, if known.
    package var holder: String?
    /// What the documents and events of the key must name.
    package var binding: KeyBinding

    package init(
        tenant: String,
        keyID: String,
        scopes: Set<Scope>,
        holder: String? = nil,
        binding: KeyBinding = KeyBinding()
    ) {
        self.tenant = tenant
        self.keyID = keyID
        self.scopes = scopes
        self.holder = holder
        self.binding = binding
    }

    /// How the names of keys begin in events.
    static let actorPrefix = "key:"

    package var actor: String { Self.actorPrefix + keyID }
}
