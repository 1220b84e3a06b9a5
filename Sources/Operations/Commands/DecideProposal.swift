package import Access
package import Canonical
package import Composition
import EventLog
package import Intake
package import Matching
import Payments
import Projections
import Reconciliation
package import Redaction
import Replay

/// An operator's approval or rejection of a proposed change.
package struct ProposalStep: Sendable, Hashable {
    package var reason: Reason

    /// `{"reason": "..."}`.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        reason = try CommandBody(json, members: ["reason"]).reason()
    }
}

extension Refusal {
    /// The refusal to approve a card token without the token.
    static let tokenNeeded = Refusal(
        kind: .unprocessable,
        code: "token-needed",
        title: "The token itself is needed",
        detail: "Send the same token with PUT /v1/transactions/{id}/card-token, with `proposal`."
    )

    /// The refusal of a key whose scopes do not allow the change.
    static func missing(_ permission: Permission) -> Refusal {
        Refusal(
            kind: .forbidden,
            code: "insufficient-scope",
            title: "The key may not do this",
            detail: "This needs the scope \(permission.scopeNames)."
        )
    }
}

extension Ledger {
    /// Approves a proposal, and records its change.
    ///
    /// - Parameter scopes: Those of the approver's key. A change of the approval limits needs the permission of the
    ///   approver as of the proposer.
    /// - Throws: `Proposals.Refusal`; the refusals of the change; `IntakeProblem`.
    package func approve(
        _ id: UUID128,
        reason: Reason,
        idempotencyKey: String?,
        scopes: Set<Scope>,
        sender: Sender
    ) async throws -> CommandRecorder.Entry {
        switch try await intake.proposals.proposal(id, of: sender.tenant).proposed.change {
        case .endDoubt:
            return try await replay.doubts.approve(
                id,
                reason: reason,
                idempotencyKey: idempotencyKey,
                sender: sender
            )
        case .changeRules:
            let proposed = try await reconciliation.rulesCommands.proposed(id, of: sender.tenant)
            try await checkLimits(of: proposed, scopes: scopes, tenant: sender.tenant)
            return try await reconciliation.rulesCommands.approve(
                id,
                reason: reason,
                idempotencyKey: idempotencyKey,
                sender: sender,
                waitLimit: waitLimit
            )
        case .withdrawStatement:
            return try await reconciliation.statementCommands.approve(
                id,
                reason: reason,
                idempotencyKey: idempotencyKey,
                sender: sender
            )
        case .closeDispute:
            return try await reconciliation.disputeCommands.approve(
                id,
                reason: reason,
                idempotencyKey: idempotencyKey,
                sender: sender
            )
        case .keepCardToken: throw Refusal.tokenNeeded
        }
    }

    /// Checks that a key may set the approval limits of rules, if they differ from those in force. An approval of
    /// rules counts only for the rules in force when they were proposed.
    ///
    /// - Throws: `insufficient-scope`.
    package func checkLimits(of rules: MatchingRules, scopes: Set<Scope>, tenant: String) async throws {
        let permission = Permission.changeApprovalLimits
        guard scopes.isDisjoint(with: permission.scopes) else { return }
        guard try await reconciliation.reconciler.rules(of: tenant).approvals == rules.approvals else {
            throw Refusal.missing(permission)
        }
    }
}
