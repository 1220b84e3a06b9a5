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
    private static let actionLimit = 64 << 10

    func addExceptions(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/exceptions/{id}") { try await exception($0) }
        let options = RouteOptions(bodyLimitBytes: Self.actionLimit)
        for name in ExceptionAction.names {
            router.on(.post, "/v1/exceptions/{id}/\(name)", options) { try await act($0, name) }
        }
    }

    private func exception(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        guard let found = try await ledger.exception(id, of: principal.tenant, at: position, time: moment?.asked) else {
            throw Problem.notFound
        }
        return try .document(found)
    }

    // MARK: Steps

    private func act(_ request: Request, _ name: String) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let step = try ExceptionStep(name, reading: try await Self.storableJSON(request))
        let outcome = try await ledger.reconciliation.exceptionCommands.act(
            step.action,
            on: id,
            reason: step.reason,
            version: step.version,
            idempotencyKey: key,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            ),
            waitLimit: ledger.waitLimit
        )
        let exception = try ExceptionJSON(outcome.exception, at: ledger.clock.now())
        var response = try EdgeResponse.document(exception, status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}
