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
    func addReconciliations(to router: inout EdgeRouter<Principal>) {
        router.on(.post, "/v1/reconciliations", .init(span: .stream)) { try await reconcile($0) }
        router.on(.get, "/v1/reconciliations/{id}") { try await run($0) }
    }

    private func run(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        try await waitForWrites(&query, in: "reconciliation")
        try query.finish()
        return try .document(RunJSON(try await run(try transactionID(request), of: principal.tenant)))
    }

    private func run(_ id: UUID128, of tenant: String) async throws -> RunView {
        guard let found = try await ledger.reconciliation.reconciler.run(id, of: tenant) else { throw Problem.notFound }
        return found
    }

    /// Reconciles what changed, and answers when the run has completed.
    private func reconcile(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        var query = request.query
        let isWhole = try query.flag("whole") ?? false
        try query.finish()
        let tenant = principal.tenant
        let sender = Sender(tenant: tenant, actor: principal.actor, correlation: request.id)
        let asked = key.map { RunRequest(named: $0, whole: isWhole, sender: sender) }
        if let asked, try await ledger.reconciliation.reconciler.isKnown(asked, of: tenant),
            let earlier = try await ledger.reconciliation.query.run(asked.run, of: tenant),
            let end = earlier.completion?.position
        {
            var response = try await answer(earlier, resolved: 0, of: tenant)
            response.fields[.daybookPosition] = String(end)
            response.fields[.idempotencyReplayed] = "true"
            return response
        }
        let done = try await ledger.reconciliation.round.run(
            asked: asked,
            whole: isWhole,
            sender: sender,
            waitLimit: ledger.waitLimit
        )
        guard let first = done.first, let last = done.last else { throw Problem.internal }
        try await wait(for: last.position, in: "reconciliation")
        var response = try await answer(try await run(first.run, of: tenant), resolved: done.resolved, of: tenant)
        response.fields[.daybookPosition] = String(done.position)
        return response
    }

    /// A run, with the present counts of matched lines and open exceptions.
    private func answer(_ run: RunView, resolved: Int, of tenant: String) async throws -> EdgeResponse {
        let result = try RunResultJSON(
            resolved: resolved,
            explained: try await ledger.reconciliation.query.counts(of: tenant),
            open: try await ledger.reconciliation.query.open(of: tenant)
        )
        var response = try EdgeResponse.document(RunAnswerJSON(RunJSON(run), result), status: .created)
        response.fields[.location] = "/v1/reconciliations/\(run.id.text)"
        return response
    }
}
