import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension API {
    private static let rulesLimit = 256 << 10

    func addRules(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/reconciliation-rules") { try await rules($0) }
        router.on(.put, "/v1/reconciliation-rules", .init(bodyLimitBytes: Self.rulesLimit)) {
            try await changeRules($0)
        }
    }

    private func rules(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        return try .document(try await ledger.rules(of: principal.tenant, at: position))
    }

    /// Proposes the tenant's reconciliation rules, which apply from the first run after their approval.
    private func changeRules(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let asked = try RulesRequest(try await request.json())
        // An operator who needs approvals must not set their limit.
        try await ledger.checkLimits(of: asked.rules, scopes: principal.scopes, tenant: principal.tenant)
        let outcome = try await ledger.reconciliation.rulesCommands.propose(
            asked.rules,
            reason: asked.reason,
            version: asked.version,
            idempotencyKey: key,
            sender: sender(principal, request),
            waitLimit: ledger.waitLimit
        )
        return try Self.answer(outcome)
    }
}
